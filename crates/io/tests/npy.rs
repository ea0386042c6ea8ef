//! Arrays for NumPy: headers byte by byte, elements as they stand in the file.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::ops::Range;

use ggufkit_format::{Endian, Options, View, parse};
use ggufkit_io::TensorReader;
use ggufkit_io::npy::{self, Bf16, NpyError};
use ggufkit_testkit::sources::Memory;
use ggufkit_testkit::{Builder, Tensor};

fn write(document: &Builder, bf16: Bf16) -> Result<Vec<u8>, NpyError> {
    write_rows(document, None, bf16)
}

fn write_rows(document: &Builder, rows: Option<Range<u64>>, bf16: Bf16) -> Result<Vec<u8>, NpyError> {
    let file = document.build();
    let index = parse(file.gguf(), Options::new()).into_result().unwrap();
    let source = Memory::new(file.bytes());
    let reader = TensorReader::new(&source, View::new(&index, file.gguf()));
    let mut out = Vec::new();
    npy::write(&reader, &index.tensors()[0], rows, bf16, &mut out).map(|()| out)
}

/// The header's text and what follows it.
fn split(file: &[u8]) -> (&str, &[u8]) {
    assert_eq!(&file[..8], b"\x93NUMPY\x01\x00");
    let len = usize::from(u16::from_le_bytes([file[8], file[9]]));
    assert_eq!((10 + len) % 64, 0);
    let text = std::str::from_utf8(&file[10..10 + len]).unwrap();
    assert!(text.ends_with('\n'));
    (text.trim_end(), &file[10 + len..])
}

#[test]
fn every_plain_type_has_its_name_in_both_byte_orders() {
    // The ids of F32, F16, F64, I8, I16, I32, I64.
    for (id, little, big) in [
        (0, "<f4", ">f4"),
        (1, "<f2", ">f2"),
        (28, "<f8", ">f8"),
        (24, "|i1", "|i1"),
        (25, "<i2", ">i2"),
        (26, "<i4", ">i4"),
        (27, "<i8", ">i8"),
    ] {
        for (endian, descr) in [(Endian::Little, little), (Endian::Big, big)] {
            let document = Builder::new().endian(endian).tensor(Tensor::new("t", id, &[4, 3]));
            let out = write(&document, Bf16::Refuse).unwrap();
            let (text, data) = split(&out);
            assert_eq!(text, format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (3, 4), }}"));
            assert_eq!(data, document.build().get("tensors[0].data"));
        }
    }
}

#[test]
fn shapes_of_no_one_and_many_dimensions_are_tuples() {
    for (dims, shape) in
        [(&[][..], "()"), (&[5], "(5,)"), (&[5, 0], "(0, 5)"), (&[1, 2, 3, 4], "(4, 3, 2, 1)")]
    {
        let out = write(&Builder::new().tensor(Tensor::f32("t", dims)), Bf16::Refuse).unwrap();
        assert!(split(&out).0.ends_with(&format!("'shape': {shape}, }}")));
    }
    let many = [u64::MAX; 64];
    let header = npy::header("<f4", &many).unwrap();
    assert!(split(&header).1.is_empty());
    assert!(matches!(npy::header("<f4", &[1; 65]), Err(NpyError::TooManyDims { count: 65 })));
}

#[test]
fn bf16_is_refused_or_made_into_something_that_numpy_has() {
    // 1.0 and -2.5 by their upper halves.
    let halves: [u16; 2] = [0x3f80, 0xc020];
    let little =
        Builder::new().tensor(Tensor::new("t", 30, &[2]).data(halves.map(u16::to_le_bytes).concat()));
    let big = Builder::new()
        .endian(Endian::Big)
        .tensor(Tensor::new("t", 30, &[2]).data(halves.map(u16::to_be_bytes).concat()));
    let error = write(&little, Bf16::Refuse).unwrap_err();
    assert_eq!(
        error.to_string(),
        "tensor \"t\": NumPy has no type for BF16 (it can be widened to f4, or written as bits, u2)"
    );
    let bits = write(&little, Bf16::Bits).unwrap();
    assert!(split(&bits).0.contains("'<u2'"));
    assert_eq!(split(&bits).1, halves.map(u16::to_le_bytes).concat());
    let wide = write(&little, Bf16::Widen).unwrap();
    assert!(split(&wide).0.contains("'<f4'"));
    assert_eq!(split(&wide).1, [1.0_f32, -2.5].map(f32::to_le_bytes).concat());
    let wide = write(&big, Bf16::Widen).unwrap();
    assert!(split(&wide).0.contains("'>f4'"));
    assert_eq!(split(&wide).1, [1.0_f32, -2.5].map(f32::to_be_bytes).concat());
}

#[test]
fn quantized_and_unknown_types_are_refused_before_anything_is_written() {
    for (id, word) in [(8, "Q8_0"), (156, "unknown(156)")] {
        let error = write(&Builder::new().tensor(Tensor::new("t", id, &[32])), Bf16::Widen).unwrap_err();
        assert!(matches!(error, NpyError::NoType { .. }));
        assert!(error.to_string().contains(word), "{error}");
    }
}

#[test]
fn a_large_tensor_is_written_piece_by_piece() {
    let document = Builder::new().tensor(Tensor::f32("t", &[1000, 700]));
    let out = write(&document, Bf16::Refuse).unwrap();
    assert!(split(&out).1 == document.build().get("tensors[0].data"));
}

#[test]
fn rows_become_an_array_of_two_dimensions() {
    let document = Builder::new().tensor(Tensor::f32("t", &[4, 3, 2]));
    let out = write_rows(&document, Some(2..5), Bf16::Refuse).unwrap();
    assert!(split(&out).0.ends_with("'shape': (3, 4), }"));
    assert_eq!(split(&out).1, &document.build().get("tensors[0].data")[2 * 16..5 * 16]);
    let error = write_rows(&document, Some(5..7), Bf16::Refuse).unwrap_err();
    assert!(matches!(error, NpyError::Data(_)), "{error}");
}
