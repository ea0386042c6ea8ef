//! Tensor data: which bytes are read for which question.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::sync::Mutex;

use ggufkit_format::glob::Glob;
use ggufkit_format::layout::SizeError;
use ggufkit_format::spec::TensorType;
use ggufkit_format::{Index, Options, ReadAt, View, parse};
use ggufkit_io::{DataReason, Selection, TensorReader};
use ggufkit_testkit::sources::{Failing, Memory, Recording, Short, Shrinking};
use ggufkit_testkit::{Builder, Built, Tensor};

const Q8_0: u32 = 8;
const UNKNOWN: u32 = 156;

fn file() -> Built {
    Builder::new()
        .tensor(Tensor::f32("token_embd.weight", &[4, 3]))
        .tensor(Tensor::new("blk.0.ffn_up.weight", Q8_0, &[64, 2, 3]))
        .tensor(Tensor::new("blk.0.odd", UNKNOWN, &[7]).data([9; 100]))
        .tensor(Tensor::f32("blk.1.scalar", &[]))
        .tensor(Tensor::f32("blk.1.empty", &[4, 0]))
        .tensor(Tensor::new("blk.10.last", UNKNOWN, &[7]).data([8; 10]))
        .build()
}

fn index(file: &Built) -> Index {
    parse(file.gguf(), Options::new().with_base(file.base())).into_result().unwrap()
}

fn with<S: ReadAt<Error = io::Error>, T>(
    file: &Built,
    source: &S,
    ask: impl FnOnce(&TensorReader<'_, S>, &[ggufkit_format::Tensor]) -> T,
) -> T {
    let index = index(file);
    ask(&TensorReader::new(source, View::new(&index, file.gguf())), index.tensors())
}

#[test]
fn a_tensor_is_one_read_of_its_bytes() {
    let file = file();
    let source = Recording::new(Memory::new(file.bytes()));
    with(&file, &source, |reader, tensors| {
        for at in [0, 1, 3, 4] {
            source.clear();
            let span = file.span(&format!("tensors[{at}].data"));
            assert_eq!(reader.read(&tensors[at]).unwrap(), file.get(&format!("tensors[{at}].data")));
            let ranges = source.ranges();
            assert!(
                ranges.is_empty() == (span.len == 0) && ranges.iter().all(|r| *r == (span.start, span.len))
            );
        }
    });
}

#[test]
fn sizes_of_unknown_types_are_inferred_from_what_follows() {
    let file = file();
    with(&file, &Memory::new(file.bytes()), |reader, tensors| {
        let extent = reader.extent(&tensors[2]).unwrap();
        assert!(extent.inferred);
        assert_eq!(extent.span.start, file.span("tensors[2].data").start);
        assert_eq!(extent.span.end(), file.span("tensors[3].data").start, "padding and all");
        assert_eq!(&reader.read(&tensors[2]).unwrap()[..100], file.get("tensors[2].data"));
        // The last goes on to the file's end.
        assert_eq!(reader.extent(&tensors[5]).unwrap().span.end(), file.size());
        assert!(!reader.extent(&tensors[1]).unwrap().inferred);
        let reason = reader.rows(&tensors[2], 0..1).unwrap_err();
        assert!(matches!(reason.reason(), DataReason::Size(SizeError::UnknownType(TensorType(UNKNOWN)))));
    });
    with(&file, &Memory::new(file.bytes()).without_size(), |reader, tensors| {
        assert!(reader.extent(&tensors[2]).is_ok());
        assert_eq!(reader.extent(&tensors[5]).unwrap_err().code(), "unknown-size");
    });
}

#[test]
fn rows_are_parts_of_the_tensor() {
    let file = file();
    let source = Recording::new(Memory::new(file.bytes()));
    with(&file, &source, |reader, tensors| {
        let all = file.get("tensors[1].data");
        assert_eq!(reader.row_shape(&tensors[1]).unwrap(), (6, 68));
        assert_eq!(reader.rows(&tensors[1], 0..6).unwrap(), all);
        source.clear();
        assert_eq!(reader.rows(&tensors[1], 2..4).unwrap(), all[2 * 68..4 * 68]);
        assert_eq!(source.ranges(), [(file.span("tensors[1].data").start + 2 * 68, 2 * 68)]);
        assert_eq!(reader.rows(&tensors[1], 6..6).unwrap(), [0_u8; 0]);
        assert_eq!(reader.row_shape(&tensors[3]).unwrap(), (1, 4));
        assert_eq!(reader.rows(&tensors[3], 0..1).unwrap(), file.get("tensors[3].data"));
        #[allow(clippy::reversed_empty_ranges, reason = "what is to be refused")]
        for rows in [5..7, 7..7, 3..2, 0..u64::MAX] {
            let error = reader.rows(&tensors[1], rows).unwrap_err();
            assert!(matches!(error.reason(), DataReason::Rows { count: 6, .. }), "{error}");
        }
    });
}

#[test]
fn chunks_are_whole_rows_in_bounded_memory() {
    let file = file();
    let source = Recording::new(Memory::new(file.bytes()));
    with(&file, &source, |reader, tensors| {
        let start = file.span("tensors[1].data").start;
        for (max, rows) in [(1 << 20, 6), (300, 4), (136, 2), (68, 1), (100, 1)] {
            source.clear();
            let mut chunks = reader.chunks(&tensors[1], max).unwrap();
            let (mut bytes, mut row) = (Vec::<u8>::new(), 0);
            while let Some(chunk) = chunks.next_chunk() {
                let chunk = chunk.unwrap();
                assert_eq!(chunk.rows, row..(row + rows).min(6));
                assert_eq!(chunk.elements, chunk.rows.start * 64..chunk.rows.end * 64);
                assert_eq!(chunk.span.start, start + bytes.len() as u64);
                row = chunk.rows.end;
                bytes.extend(chunk.bytes);
            }
            assert_eq!(bytes, file.get("tensors[1].data"));
            assert!(source.ranges().iter().all(|(_, len)| *len <= max as u64));
        }
    });
}

#[test]
fn chunks_of_some_rows_are_those_rows() {
    let file = file();
    let source = Recording::new(Memory::new(file.bytes()));
    with(&file, &source, |reader, tensors| {
        let span = reader.row_span(&tensors[1], 1..4).unwrap();
        assert_eq!((span.start, span.len), (file.span("tensors[1].data").start + 68, 3 * 68));
        // Two rows at once, and half a row at once.
        for (max, count) in [(140, 2), (34, 6)] {
            source.clear();
            let mut chunks = reader.row_chunks(&tensors[1], 1..4, max).unwrap();
            let (mut bytes, mut elements) = (Vec::<u8>::new(), Vec::new());
            while let Some(chunk) = chunks.next_chunk() {
                let chunk = chunk.unwrap();
                bytes.extend(chunk.bytes);
                elements.push(chunk.elements);
            }
            assert_eq!(bytes, file.get("tensors[1].data")[68..4 * 68]);
            assert_eq!((elements.len(), elements[0].start, elements[count - 1].end), (count, 64, 256));
            assert_eq!(source.bytes_read(), span.len);
        }
        assert!(reader.row_chunks(&tensors[1], 2..2, 34).unwrap().next_chunk().is_none());
        assert_eq!(reader.row_chunks(&tensors[1], 5..7, 34).unwrap_err().code(), "no-such-rows");
    });
}

#[test]
fn a_row_that_is_longer_than_a_chunk_is_cut_between_blocks() {
    let file = file();
    with(&file, &Memory::new(file.bytes()), |reader, tensors| {
        // Rows of two blocks of 34 bytes and 32 elements.
        let mut chunks = reader.chunks(&tensors[1], 40).unwrap();
        let (mut bytes, mut seen) = (Vec::<u8>::new(), Vec::new());
        while let Some(chunk) = chunks.next_chunk() {
            let chunk = chunk.unwrap();
            seen.push((chunk.rows, chunk.elements));
            bytes.extend(chunk.bytes);
        }
        assert_eq!(bytes, file.get("tensors[1].data"));
        assert_eq!(seen.len(), 12);
        assert_eq!(seen[..3], [(0..1, 0..32), (0..1, 32..64), (1..2, 64..96)]);
        // Less than a block is a block.
        let mut chunks = reader.chunks(&tensors[1], 0).unwrap();
        assert_eq!(chunks.next_chunk().unwrap().unwrap().bytes.len(), 34);
        // Rows of three blocks in chunks of two: no chunk goes over a row's end.
        let three = Builder::new().tensor(Tensor::new("t", Q8_0, &[96, 2])).build();
        with(&three, &Memory::new(three.bytes()), |reader, tensors| {
            let mut chunks = reader.chunks(&tensors[0], 70).unwrap();
            let mut elements = Vec::new();
            while let Some(chunk) = chunks.next_chunk() {
                elements.push(chunk.unwrap().elements);
            }
            assert_eq!(elements, [0..64, 64..96, 96..160, 160..192]);
        });
        // What has no rows has bytes.
        let mut chunks = reader.chunks(&tensors[2], 50).unwrap();
        assert!(chunks.extent().inferred);
        let chunk = chunks.next_chunk().unwrap().unwrap();
        assert_eq!((chunk.bytes, chunk.rows, chunk.elements), (&[9; 50][..], 0..0, 0..0));
        assert!(reader.chunks(&tensors[4], 50).unwrap().next_chunk().is_none(), "no bytes, no chunk");
    });
}

#[test]
fn a_buffer_must_fit() {
    let file = file();
    with(&file, &Memory::new(file.bytes()), |reader, tensors| {
        let mut buffer = [0; 48];
        reader.read_into(&tensors[0], &mut buffer).unwrap();
        assert_eq!(buffer, file.get("tensors[0].data"));
        for len in [0, 47, 49] {
            let error = reader.read_into(&tensors[0], &mut vec![0; len]).unwrap_err();
            assert!(matches!(error.reason(), DataReason::Buffer { needed: 48, .. }), "{error}");
        }
    });
}

#[test]
fn data_that_is_not_in_the_file_is_refused_with_numbers() {
    let mut file = file();
    file.truncate(file.span("tensors[1].data").start + 10);
    let source = Recording::new(Memory::new(file.bytes()));
    with(&file, &source, |reader, tensors| {
        let error = reader.read(&tensors[1]).unwrap_err();
        assert_eq!(error.name(), b"blk.0.ffn_up.weight");
        assert_eq!(error.code(), "data-out-of-file");
        assert!(error.to_string().contains("its 408 bytes"), "{error}");
        assert!(error.to_string().ends_with("are not all in the file: 10 are"), "{error}");
        assert!(reader.chunks(&tensors[1], 1 << 20).is_err() && reader.rows(&tensors[1], 0..1).is_err());
        assert_eq!(reader.read(&tensors[2]).unwrap_err().code(), "data-out-of-file");
        assert_eq!(source.ranges(), [], "nothing was read for nothing");
        assert!(reader.read(&tensors[0]).is_ok());
    });
}

#[test]
fn numbers_that_overflow_or_fit_no_block_are_refused() {
    let mut file = file();
    file.set_u64("tensors[0].dims[0]", u64::MAX);
    file.set_u64("tensors[1].dims[0]", 33);
    file.set_u64("tensors[3].offset", u64::MAX);
    file.set_u64("tensors[5].offset", u64::MAX - 4096);
    with(&file, &Memory::new(file.bytes()), |reader, tensors| {
        let codes: Vec<_> = [0, 1, 3, 5].map(|at| reader.read(&tensors[at]).unwrap_err().code()).into();
        assert_eq!(codes, ["unknown-size", "unknown-size", "no-data-position", "data-out-of-file"]);
    });
}

#[test]
fn a_head_that_was_not_read_to_its_end_has_no_data() {
    let mut file = file();
    file.truncate(file.span("tensors[3]").start + 2);
    let index = parse(file.gguf(), Options::new()).index.unwrap();
    let source = Memory::new(file.bytes());
    let reader = TensorReader::new(&source, View::new(&index, file.gguf()));
    assert_eq!(reader.read(&index.tensors()[0]).unwrap_err().code(), "no-data-position");
}

#[test]
fn sources_that_misbehave_are_errors_and_never_half_a_tensor() {
    let file = file();
    with(&file, &Short::one_byte(Memory::new(file.bytes())), |reader, tensors| {
        assert_eq!(reader.read(&tensors[1]).unwrap(), file.get("tensors[1].data"));
    });
    with(
        &file,
        &Shrinking::new(Memory::new(file.bytes()), 0, file.span("tensors[1].data").start + 9),
        |reader, tensors| {
            let error = reader.read(&tensors[1]).unwrap_err();
            assert!(matches!(error.reason(), DataReason::Ended { read: 9, .. }), "{error}");
            let mut chunks = reader.chunks(&tensors[1], 68).unwrap();
            assert!(chunks.next_chunk().unwrap().is_err());
            assert!(chunks.next_chunk().is_none(), "an error is the end");
        },
    );
    let failing = Failing::beyond(Memory::new(file.bytes()), 0).with_kind(io::ErrorKind::TimedOut);
    with(&file, &failing, |reader, tensors| {
        let error = reader.read(&tensors[0]).unwrap_err();
        assert!(matches!(error.reason(), DataReason::Io { .. }));
        assert!(std::error::Error::source(&error).is_some());
    });
    with(&file, &Memory::new(file.bytes()).without_size(), |reader, tensors| {
        assert_eq!(reader.read(&tensors[1]).unwrap(), file.get("tensors[1].data"));
    });
    // A length that nothing backs is not allocated when nobody vouches for it.
    let mut huge = file;
    huge.set_u64("tensors[0].dims[1]", 1 << 40);
    with(&huge, &Memory::new(huge.bytes()).without_size(), |reader, tensors| {
        assert_eq!(reader.read(&tensors[0]).unwrap_err().code(), "unexpected-end");
    });
}

#[test]
fn tensors_are_chosen_by_name_pattern_and_layer() {
    let file = file();
    with(&file, &Memory::new(file.bytes()), |reader, _| {
        let names = |selection: Selection| -> Vec<&str> {
            let view = reader.view();
            reader.select(&selection).into_iter().map(|tensor| view.name(tensor).to_str().unwrap()).collect()
        };
        assert_eq!(names(Selection::new()), Vec::<&str>::new());
        assert_eq!(names(Selection::new().name("blk.1.scalar")), ["blk.1.scalar"]);
        let glob = |pattern| Selection::new().glob(Glob::new(pattern).unwrap());
        assert_eq!(names(glob("blk.1.*")), ["blk.1.scalar", "blk.1.empty"]);
        assert_eq!(names(glob("*.weight")), ["token_embd.weight", "blk.0.ffn_up.weight"]);
        assert_eq!(names(Selection::new().layers(0..=1)).len(), 4);
        // In file order, once, by whichever part.
        let several = glob("*").layers(10..=10).name("token_embd.weight");
        assert_eq!(names(several).len(), 6);
    });
}

#[test]
fn a_layer_costs_its_own_bytes() {
    let mut document = Builder::new().tensor(Tensor::f32("token_embd.weight", &[1024, 512]));
    for layer in 0..8 {
        for part in ["attn_q", "ffn_up", "ffn_down"] {
            document = document.tensor(Tensor::f32(format!("blk.{layer}.{part}.weight"), &[256, 128]));
        }
    }
    let file = document.build();
    let source = Recording::new(Memory::new(file.bytes()));
    with(&file, &source, |reader, _| {
        let layer = reader.select(&Selection::new().layers(5..=5));
        let bytes: u64 = layer.iter().map(|tensor| reader.read(tensor).unwrap().len() as u64).sum();
        assert_eq!(bytes, 3 * 256 * 128 * 4);
        assert_eq!(source.bytes_read(), bytes);
        assert_eq!(source.ranges().len(), 3);
    });
}

#[test]
fn many_tensors_are_read_by_threads_in_the_order_asked_for() {
    let mut document = Builder::new();
    for i in 0..50_u8 {
        document = document.tensor(Tensor::f32(format!("t{i}"), &[16]).data([i; 64]));
    }
    let file = document.build();
    with(&file, &Memory::new(file.bytes()), |reader, tensors| {
        let reversed: Vec<_> = tensors.iter().rev().collect();
        for threads in [1, 2, 7, 1000] {
            let threads = NonZeroUsize::new(threads).unwrap();
            let want: Vec<Vec<u8>> = (0..50).rev().map(|i| vec![i; 64]).collect();
            let seen: Mutex<BTreeMap<usize, Vec<u8>>> = Mutex::default();
            let visit = |at: usize, chunk: &ggufkit_io::Chunk<'_>| {
                assert!(chunk.bytes.len() <= 16);
                seen.lock().unwrap().entry(at).or_default().extend(chunk.bytes);
            };
            reader.visit_many(&reversed, threads, 16, &visit).unwrap();
            assert_eq!(seen.into_inner().unwrap().into_values().collect::<Vec<_>>(), want);
        }
        reader.visit_many(&[], NonZeroUsize::MIN, 16, &|_, _| panic!("nothing to visit")).unwrap();
    });
}

#[test]
fn the_first_error_in_order_is_the_one_that_is_told() {
    let mut document = Builder::new();
    for i in 0..40 {
        document = document.tensor(Tensor::f32(format!("t{i}"), &[16]));
    }
    let mut file = document.build();
    for i in [11, 17, 39] {
        file.set_u64(&format!("tensors[{i}].offset"), 1 << 40);
    }
    with(&file, &Memory::new(file.bytes()), |reader, tensors| {
        let all: Vec<_> = tensors.iter().collect();
        for _ in 0..20 {
            let error =
                reader.visit_many(&all, NonZeroUsize::new(4).unwrap(), 1 << 20, &|_, _| ()).unwrap_err();
            assert_eq!(error.name(), b"t11");
        }
    });
}
