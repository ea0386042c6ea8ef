//! What is encoded reads back value for value, from every layout and in both byte orders.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use ggufkit_format::encode::{Bools, EncodeError, Encoder, widen};
use ggufkit_format::{Endian, Options, Scalar, Value, View, parse};
use ggufkit_testkit::{Builder, controls};

/// The head of `file` written anew.
fn rewritten(file: &Builder, encoder: Encoder) -> Vec<u8> {
    let built = file.build();
    let options = Options::new().with_base(built.base()).with_dialect(file.layout());
    let index = parse(built.gguf(), options.with_size(Some(built.size()))).into_result().unwrap();
    let view = View::new(&index, built.gguf());
    let mut out = Vec::new();
    encoder.header(&mut out, index.tensors().len() as u64, index.kvs().len() as u64);
    for (key, kv) in view.kvs() {
        encoder.string(&mut out, key.0);
        encoder.value_type(&mut out, ggufkit_format::encode::written_type(kv.value_type));
        encoder.value(&mut out, view.value(kv), Bools::Keep).unwrap();
    }
    for (name, tensor) in view.tensors() {
        encoder.tensor(&mut out, name.0, index.dims(tensor), tensor.tensor_type, tensor.offset).unwrap();
    }
    out
}

#[test]
fn every_layout_is_rewritten_with_its_values() {
    for (name, file) in controls::all() {
        for endian in [Endian::Little, Endian::Big] {
            let bytes = rewritten(&file, Encoder::new(3, endian).unwrap());
            // The same document, as a writer that is not the encoder puts it down.
            let plain = ggufkit_testkit::Builder::new().endian(endian).head_padding(false).without_data();
            let plain = file.kvs().iter().fold(plain, |d, (key, value)| d.kv(key, value.clone()));
            let offsets = file.offsets();
            let tensors = file.tensors().iter().zip(offsets);
            let plain = tensors.fold(plain, |d, (tensor, offset)| d.tensor(tensor.clone().offset(offset)));
            assert_eq!(bytes, plain.bytes(), "{name}, {}", endian.name());
        }
    }
}

#[test]
fn what_cannot_be_written_is_said() {
    assert_eq!(Encoder::new(1, Endian::Little), Err(EncodeError::Version(1)));
    assert_eq!(Encoder::new(4, Endian::Little), Err(EncodeError::Version(4)));
    assert_eq!(Encoder::new(2, Endian::Big), Err(EncodeError::EarlyBigEndian(2)));
    let encoder = Encoder::new(2, Endian::Little).unwrap();
    let mut out = Vec::new();
    assert_eq!(encoder.scalar(&mut out, Scalar::F16(1)), Err(EncodeError::HalfPrecision));
    assert!(out.is_empty());
    assert_eq!(widen(Scalar::F16(0x3c00)), Scalar::F32(1.0));
    // The bytes of the array are not there.
    let file = Builder::new().kv("a", vec!["one", "two"]).kv("n", vec![1_u32, 2]).bytes();
    let index = parse(&file, Options::new()).into_result().unwrap();
    for kv in index.kvs() {
        let short = View::new(&index, &file[..24]);
        assert_eq!(encoder.value(&mut out, short.value(kv), Bools::Keep), Err(EncodeError::Incomplete));
    }
    out.clear();
    encoder.value(&mut out, Value::Scalar(Scalar::Bool(7)), Bools::Normalise).unwrap();
    assert_eq!(out, [1]);
}
