//! Which bytes of a file are read for what is put into another one, and what comes there.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::num::NonZeroUsize;
use std::ops::Range;

use ggufkit_format::{Endian, Index, Options, ReadAt as _, View};
use ggufkit_io::{HeadBuffer, Parts, TensorReader, Turned, npy, safetensors, sink};
use ggufkit_quant::half;
use ggufkit_testkit::sources::{Memory, Recording};
use ggufkit_testkit::{Builder, Tensor};
use ggufkit_values::Float;
use ggufkit_values::export::{Chosen, Form, plan};

/// Rows of 256 values: 1,024 of F32, 2,048 of Q8_0 (272 bytes each), and one of integers.
fn model(endian: Endian) -> Vec<u8> {
    let value = |at: u32| ((at % 511) as f32 - 255.0) / 128.0;
    let float = |at: u32| match endian {
        Endian::Little => value(at).to_le_bytes(),
        Endian::Big => value(at).to_be_bytes(),
    };
    let mut blocks = Vec::new();
    for block in 0..2048 * 8_u32 {
        let scale = half::f32_to_f16(1.0 / (1 + block % 7) as f32);
        blocks.extend(match endian {
            Endian::Little => scale.to_le_bytes(),
            Endian::Big => scale.to_be_bytes(),
        });
        blocks.extend((0..32).map(|at| (block * 31 + at * 7) as u8));
    }
    Builder::new()
        .endian(endian)
        .kv("general.architecture", "toy")
        .tensor(Tensor::f32("first", &[256, 1024]).data((0..256 * 1024).flat_map(float).collect::<Vec<u8>>()))
        .tensor(Tensor::new("blocks", 8, &[256, 2048]).data(blocks))
        .tensor(Tensor::new("ids", 24, &[5]).data(vec![1, 2, 3, 4, 5]))
        .bytes()
}

struct Model {
    bytes: Vec<u8>,
    index: Index,
}

/// What came out, and what was read of the file: by the stream, and by the plan itself.
struct Made {
    bytes: Vec<u8>,
    stream: Vec<(u64, u64)>,
    plan: Vec<(u64, u64)>,
}

impl Model {
    fn new(endian: Endian) -> Self {
        let bytes = model(endian);
        let mut buffer = HeadBuffer::new();
        let index = buffer.read(&Memory::new(bytes.clone()), Options::new()).unwrap().into_result().unwrap();
        Self { bytes, index }
    }

    /// Where a tensor is.
    fn span(&self, at: usize) -> Range<u64> {
        let span = self.index.data_span(&self.index.tensors()[at]).unwrap();
        span.start..span.end()
    }

    fn export(&self, form: Form, to: Option<Float>, tensors: &[(usize, Option<Range<u64>>)]) -> Made {
        let source = Recording::new(Memory::new(self.bytes.clone()));
        let reader = TensorReader::new(&source, View::new(&self.index, &self.bytes));
        let chosen: Vec<_> = tensors
            .iter()
            .map(|(at, rows)| {
                Chosen::of(&source, &reader, &self.index.tensors()[*at], rows.clone(), Some(0)).unwrap()
            })
            .collect();
        let mut parts = Parts::new();
        parts.memory(&self.bytes).unwrap();
        let export = plan(form, to, &chosen, NonZeroUsize::new(2).unwrap(), &mut parts).unwrap();
        assert!(source.ranges().is_empty(), "planning reads nothing");
        let spans = export.plan.pieces().iter().filter_map(|piece| match piece {
            ggufkit_format::Piece::Copy(span) if span.end() <= self.bytes.len() as u64 => {
                Some((span.start, span.len))
            }
            _ => None,
        });
        let spans = spans.collect();
        let turned = Turned::new(&parts, export.turned).unwrap();
        let mut bytes = Vec::new();
        sink::write_plan(&export.plan, &turned, &mut bytes, &mut sink::unwatched).unwrap();
        assert_eq!(bytes.len() as u64, export.plan.len(), "the size was known");
        let mut stream = source.ranges();
        stream.sort_unstable();
        Made { bytes, stream, plan: spans }
    }

    fn values(&self, at: usize, endian: Endian) -> Vec<f32> {
        let span = self.span(at);
        let data = &self.bytes[span.start as usize..span.end as usize];
        if at == 0 {
            let float = |b: &[u8; 4]| match endian {
                Endian::Little => f32::from_le_bytes(*b),
                Endian::Big => f32::from_be_bytes(*b),
            };
            return data.as_chunks().0.iter().map(float).collect();
        }
        let block = |b: &[u8; 34]| {
            let bits = [b[0], b[1]];
            let bits =
                if endian == Endian::Big { u16::from_be_bytes(bits) } else { u16::from_le_bytes(bits) };
            let scale = half::f16_to_f32(bits);
            (2..34).map(|at| f32::from(b[at] as i8) * scale).collect::<Vec<_>>()
        };
        data.as_chunks().0.iter().flat_map(block).collect()
    }
}

#[test]
fn bytes_that_stay_are_copied_and_nothing_else_is_read() {
    let model = Model::new(Endian::Little);
    let first = model.span(0);
    let made = model.export(Form::Safetensors, None, &[(2, None), (0, Some(10..20))]);
    // Wider elements come first; rows have 1,024 bytes.
    let ids = model.span(2);
    assert_eq!(made.plan, [(first.start + 10_240, 10_240), (ids.start, 5)]);
    assert!(made.stream.is_empty());
    let read = safetensors::read(&Memory::new(made.bytes.clone())).unwrap();
    assert_eq!(read.get("first").unwrap().dims, [256, 10]);
    let data = read.get("first").unwrap().data;
    assert_eq!(
        made.bytes[data.start as usize..data.end() as usize],
        model.bytes[(first.start + 10_240) as usize..(first.start + 20_480) as usize]
    );
    assert_eq!(data.start % 8, 0);
    // The same as an array, and as bytes alone.
    let made = model.export(Form::Npy, None, &[(0, Some(10..20))]);
    assert_eq!(made.plan, [(first.start + 10_240, 10_240)]);
    let array = npy::read(&Memory::new(made.bytes)).unwrap();
    assert_eq!((array.dims, array.data.len), (vec![256, 10], 10_240));
    assert_eq!(model.export(Form::Raw, None, &[(1, None)]).plan, [(model.span(1).start, 2048 * 272)]);
}

#[test]
fn what_is_decoded_is_read_by_whole_blocks_of_its_rows() {
    let model = Model::new(Endian::Little);
    let blocks = model.span(1);
    // 1,500 rows from the 3rd on: units of 2^18 values are 1,024 rows, and reading goes by 2^17 values, 139,264 bytes.
    let made = model.export(Form::Npy, Some(Float::F32), &[(1, Some(3..1503))]);
    let start = blocks.start + 3 * 272;
    let expected = [(start, 139_264), (start + 139_264, 139_264), (start + 2 * 139_264, 476 * 272)];
    assert_eq!(made.stream, expected);
    assert!(made.plan.is_empty());
    let floats: Vec<u8> = model.values(1, Endian::Little)[3 * 256..1503 * 256]
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    let array = npy::read(&Memory::new(made.bytes.clone())).unwrap();
    assert_eq!(array.dims, [256, 1500]);
    assert!(made.bytes[array.data.start as usize..] == floats);
}

#[test]
fn floats_become_what_was_asked_for_and_integers_stay_in_either_byte_order() {
    for endian in [Endian::Little, Endian::Big] {
        let model = Model::new(endian);
        for (to, round) in
            [(Float::F16, half::f32_to_f16 as fn(f32) -> u16), (Float::BF16, half::f32_to_bf16)]
        {
            let made = model.export(Form::Safetensors, Some(to), &[(0, None), (1, None), (2, None)]);
            let read = safetensors::read(&Memory::new(made.bytes.clone())).unwrap();
            for (at, name) in ["first", "blocks"].iter().enumerate() {
                let stored = read.get(name).unwrap();
                assert_eq!(stored.tensor_type, Some(to.tensor_type()));
                let expected: Vec<u8> =
                    model.values(at, endian).iter().flat_map(|value| round(*value).to_le_bytes()).collect();
                assert!(
                    made.bytes[stored.data.start as usize..stored.data.end() as usize] == expected,
                    "{name}"
                );
            }
            let ids = read.get("ids").unwrap();
            assert_eq!(made.bytes[ids.data.start as usize..ids.data.end() as usize], [1, 2, 3, 4, 5]);
        }
        // Floats that are wanted as they are keep their bits: only their order changes.
        let made = model.export(Form::Safetensors, Some(Float::F32), &[(0, None)]);
        let expected: Vec<u8> =
            model.values(0, endian).iter().flat_map(|value| value.to_le_bytes()).collect();
        assert!(made.bytes.ends_with(&expected) && made.stream.is_empty());
        // An array names the order of its file.
        let made = model.export(Form::Npy, None, &[(0, None)]);
        assert_eq!(npy::read(&Memory::new(made.bytes)).unwrap().endian, endian);
    }
}

#[test]
fn an_archive_holds_arrays() {
    let model = Model::new(Endian::Little);
    let made = model.export(Form::Npz, Some(Float::F16), &[(2, None), (1, Some(0..1))]);
    let npy = model.export(Form::Npy, Some(Float::F16), &[(1, Some(0..1))]);
    let found = made.bytes.windows(npy.bytes.len()).any(|part| part == npy.bytes);
    assert!(found && made.bytes.starts_with(b"PK\x03\x04"));
    let again = model.export(Form::Npz, Some(Float::F16), &[(2, None), (1, Some(0..1))]);
    assert!(made.bytes == again.bytes, "the same bytes each time");
    let (ids, blocks) = (model.span(2).start, model.span(1).start);
    assert_eq!(made.stream, [(blocks, 272), (ids, 5)]);
}

#[test]
fn types_without_a_name_there_are_refused() {
    let model = Model::new(Endian::Little);
    let source = Memory::new(model.bytes.clone());
    assert!(source.size().is_some());
    let reader = TensorReader::new(&source, View::new(&model.index, &model.bytes));
    let one = Chosen::of(&source, &reader, &model.index.tensors()[1], None, Some(0)).unwrap();
    let chosen = [one];
    let mut parts = Parts::new();
    for form in [Form::Npy, Form::Npz, Form::Safetensors] {
        let error = plan(form, None, &chosen, NonZeroUsize::MIN, &mut parts).unwrap_err();
        assert!(error.is_type(), "{error}");
    }
    // NumPy has no BF16.
    let error = plan(Form::Npy, Some(Float::BF16), &chosen, NonZeroUsize::MIN, &mut parts).unwrap_err();
    assert!(error.is_type() && error.to_string().contains("BF16"), "{error}");
}
