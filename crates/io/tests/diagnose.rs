//! What is said about files that are something else, mis-written, cut short or joined.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use ggufkit_format::identify::Identity;
use ggufkit_format::{Dialect, Limits, Options};
use ggufkit_io::{Diagnosis, HeadBuffer, Outside, Partial, diagnose, diagnose_stream};
use ggufkit_testkit::sources::{Memory, Recording};
use ggufkit_testkit::{Builder, Tensor, Value, controls};

/// The diagnosis of a file, and the ranges that were read for it besides the head.
fn look_at(bytes: &[u8], options: Options) -> (Diagnosis, Vec<(u64, u64)>) {
    let source = Recording::new(Memory::new(bytes));
    let mut buffer = HeadBuffer::new();
    let outcome = buffer.read(&source, options).unwrap();
    source.clear();
    let diagnosis = diagnose(&source, options, &outcome, buffer.bytes()).unwrap();
    (diagnosis, source.ranges())
}

fn look(bytes: &[u8]) -> Diagnosis {
    look_at(bytes, Options::new()).0
}

fn model() -> Builder {
    Builder::new()
        .kv("general.architecture", "llama")
        .kv("tokens", vec!["a", "b"])
        .tensor(Tensor::f32("a", &[5]))
        .tensor(Tensor::new("b", 8, &[32, 2]))
}

#[test]
fn a_sound_file_is_left_alone_and_costs_no_read() {
    for document in [model(), model().final_padding(false), Builder::new().kv("a", 1_u8), Builder::new()] {
        let (diagnosis, ranges) = look_at(&document.bytes(), Options::new());
        assert!(diagnosis.is_empty(), "{diagnosis:?}");
        assert_eq!((ranges, diagnosis.to_string()), (vec![], String::new()));
    }
    for (name, document) in controls::all() {
        let file = document.build();
        let options = Options::new().with_base(file.base()).with_dialect(document.layout());
        let (diagnosis, _) = look_at(file.bytes(), options);
        assert_eq!((diagnosis.identity, diagnosis.dialect, diagnosis.partial), (None, None, None), "{name}");
    }
}

#[test]
fn what_is_no_gguf_is_identified() {
    assert_eq!(look(b"").identity, Some(Identity::Empty));
    assert_eq!(look(b"GG").identity, Some(Identity::TooShort { len: 2 }));
    let diagnosis = look(b"<!DOCTYPE html><title>Sign in</title>");
    assert_eq!(diagnosis.identity.as_ref().unwrap().name(), "html");
    assert!(diagnosis.to_string().contains("Sign in"), "{diagnosis}");
    // What begins as one is the parser's to explain.
    assert_eq!(look(b"GGUF\x03\0").identity, None);
    assert_eq!(look(b"GGUF\xff\0\0\0").identity, None);
}

#[test]
fn an_offset_past_the_end_does_not_make_a_file_empty() {
    let bytes = model().bytes();
    let end = bytes.len() as u64;
    for base in [end, end + 1, u64::MAX] {
        let (diagnosis, _) = look_at(&bytes, Options::new().with_base(base));
        assert_eq!(diagnosis.identity, None, "at {base}");
        assert_eq!(diagnosis.outside, Some(Outside { offset: base, rest: 0, size: Some(end) }));
    }
    let (diagnosis, _) = look_at(b"abcd", Options::new().with_base(4));
    assert!(diagnosis.to_string().starts_with("offset 4 is the end of the file, which has 4 bytes"));
    let (diagnosis, _) = look_at(b"abcd", Options::new().with_base(5));
    assert!(diagnosis.to_string().starts_with("offset 5 is beyond the end of the file, which has 4 bytes"));
    let (diagnosis, _) = look_at(&[], Options::new());
    assert_eq!(diagnosis.identity, Some(Identity::Empty));
}

#[test]
fn an_offset_shortly_before_the_end_does_not_make_a_file_text() {
    let bytes = [&[0xf9; 100][..], b"some words at the end"].concat();
    let end = bytes.len() as u64;
    for rest in [1, 3, 4, 15] {
        let (diagnosis, _) = look_at(&bytes, Options::new().with_base(end - rest));
        assert_eq!(diagnosis.identity, None, "{rest}");
        assert_eq!(diagnosis.outside, Some(Outside { offset: end - rest, rest, size: Some(end) }));
    }
    let (diagnosis, _) = look_at(&bytes, Options::new().with_base(end - 1));
    assert!(
        diagnosis.to_string().starts_with("only 1 byte follows offset 120 of the file, which has 121 bytes")
    );
    // From 16 bytes on there is room for a header, and what stands there instead is named.
    let (diagnosis, _) = look_at(&bytes, Options::new().with_base(end - 16));
    assert_eq!((diagnosis.identity.unwrap().name(), diagnosis.outside), ("text", None));
    // A GGUF that is cut there is cut.
    let (diagnosis, _) = look_at(b"....GGUF\x03", Options::new().with_base(4));
    assert_eq!((diagnosis.identity, diagnosis.outside), (None, None));
}

#[test]
fn every_mis_written_layout_is_named_although_it_is_read_as_the_standard() {
    for (name, dialect) in Dialect::CANDIDATES {
        // A file in which every trait shows: an array, two tensors of which one has an offset and another type.
        let file = model().kv("f", 7_u64).dialect(*dialect).build();
        let (diagnosis, _) = look_at(file.bytes(), Options::new());
        assert_eq!(diagnosis.dialect.as_ref().map(ToString::to_string).as_deref(), Some(*name));
        let help = format!("read it with --dialect {name}; `gguf repair` writes it anew");
        assert_eq!(diagnosis.messages()[0].help, Some(help));
        // A layout that was asked for is not guessed at.
        let options = Options::new().with_dialect(*dialect);
        assert_eq!(look_at(file.bytes(), options).0, Diagnosis::default(), "{name}");
    }
}

#[test]
fn a_swapped_tensor_table_reads_without_error_and_is_noticed_by_its_nonsense() {
    let file = model().dialect(Dialect::OFFSET_BEFORE_TYPE).bytes();
    let mut buffer = HeadBuffer::new();
    let outcome = buffer.read(&Memory::new(file.clone()), Options::new()).unwrap();
    assert!(outcome.error.is_none());
    assert_eq!(look(&file).dialect, Some(Dialect::OFFSET_BEFORE_TYPE));
    // A type that nobody knows in a table that makes no sense the other way round either is just that.
    let unknown = model().tensor(Tensor::new("c", 156, &[32]).data([0; 64])).bytes();
    assert_eq!(look(&unknown).dialect, None);
}

#[test]
fn a_broken_file_is_not_taken_for_a_mis_written_one() {
    let mut file = model().build();
    file.set_u64("kv[1].type", 77);
    assert!(look(file.bytes()).is_empty());
    let mut file = model().build();
    file.truncate(file.span("kv[1].value").start + 3);
    assert!(look(file.bytes()).is_empty());
}

#[test]
fn a_mis_written_head_larger_than_what_was_read_is_read_on() {
    let tokens: Vec<String> = (0..20_000).map(|i| format!("t{i}")).collect();
    let file = Builder::new()
        .kv("tokens", Value::strings(tokens))
        .tensor(Tensor::f32("a", &[5]))
        .dialect(Dialect::ARRAY_COUNT32)
        .bytes();
    assert!(file.len() > 200_000);
    assert_eq!(look(&file).dialect, Some(Dialect::ARRAY_COUNT32));
    let options = Options::new().with_limits(Limits::DEFAULT.with_max_head(100_000));
    assert_eq!(look_at(&file, options).0.dialect, None, "the caller's budget holds for guesses too");
}

#[test]
fn a_file_whose_data_is_cut_is_half_a_download() {
    let mut file = model().final_padding(false).build();
    let whole = file.size();
    file.truncate(whole - 1);
    let diagnosis = look(file.bytes());
    assert_eq!(diagnosis.partial, Some(Partial { wanted: whole, present: whole - 1 }));
    let message = &diagnosis.messages()[0];
    assert!(message.text.ends_with("; 1 byte is missing"), "{}", message.text);
    assert!(message.help.as_ref().unwrap().contains("resume"));
    // The same file, with nothing of its data.
    file.truncate(file.span("tensors[1].offset").end());
    let diagnosis = look(file.bytes());
    assert_eq!(diagnosis.partial.unwrap().wanted, whole);
    assert_eq!((diagnosis.trailing, diagnosis.joined), (0, None));
}

#[test]
fn joined_files_are_told_by_the_second_magic() {
    let second = model().bytes();
    for first in [model(), model().final_padding(false), Builder::new().kv("a", 1_u8)] {
        let first = first.bytes();
        let file = [&first[..], &second].concat();
        let (diagnosis, ranges) = look_at(&file, Options::new());
        assert_eq!(diagnosis.joined, Some(first.len() as u64));
        assert!(diagnosis.trailing > 0);
        assert!(ranges.iter().map(|(_, len)| len).sum::<u64>() <= 8 << 10);
        assert_eq!(diagnosis.messages().len(), 1);
    }
}

#[test]
fn a_second_gguf_between_tensors_is_found_too() {
    let inner = Builder::new().kv("a", 1_u8).bytes();
    let file =
        Builder::new().tensor(Tensor::f32("a", &[8])).tensor(Tensor::f32("b", &[8]).offset(4096)).build();
    let mut bytes = file.bytes().to_vec();
    let at = file.span("tensors[0].data").end() as usize + 100;
    bytes[at..at + inner.len()].copy_from_slice(&inner);
    assert_eq!(look(&bytes).joined, Some(at as u64));
    // A gap alone is nothing to say here.
    assert!(look(file.bytes()).is_empty());
}

#[test]
fn trailing_bytes_are_counted_behind_the_padding() {
    let file = model().trailing(vec![1; 77]).bytes();
    let (diagnosis, _) = look_at(&file, Options::new());
    assert_eq!((diagnosis.trailing, diagnosis.joined, diagnosis.partial), (77, None, None));
    assert_eq!(diagnosis.to_string(), "77 bytes follow the last tensor and belong to nothing");
    // Without tensors they follow the head.
    let file = Builder::new().kv("a", 1_u8).trailing(vec![1; 5]).bytes();
    assert_eq!(look(&file).trailing, 5);
    // A last tensor of unknown size may take all that is there.
    let file = model().tensor(Tensor::new("c", 156, &[32]).data([0; 640])).trailing(vec![1; 5]).bytes();
    assert_eq!(look(&file).trailing, 0);
    // The end is where the data ends that reaches farthest, also where a tensor of unknown size begins inside it.
    let far = Tensor::f32("far", &[40]).offset(0);
    let unknown = Tensor::new("unknown", 156, &[1]).data([0; 4]).offset(32);
    let file = Builder::new().tensor(far).tensor(unknown).tensor(Tensor::f32("near", &[2]).offset(64));
    assert_eq!(look(&file.bytes()).trailing, 0);
}

#[test]
fn much_trailing_data_is_not_scanned() {
    let file = model().trailing(vec![1; 5 << 20]).bytes();
    let (diagnosis, ranges) = look_at(&file, Options::new());
    assert_eq!(diagnosis.trailing, 5 << 20);
    assert_eq!(ranges.iter().map(|(_, len)| len).sum::<u64>(), 8 << 10);
}

#[test]
fn a_gguf_at_a_base_is_measured_from_there() {
    let document = model().prefix(vec![0; 7]);
    let file = document.build();
    let options = Options::new().with_base(7);
    assert!(look_at(file.bytes(), options).0.is_empty());
    let file = document.trailing(vec![1; 3]).build();
    assert_eq!(look_at(file.bytes(), options).0.trailing, 3);
}

#[test]
fn a_stream_is_judged_by_what_is_left_of_it() {
    let look = |mut bytes: &[u8]| {
        let mut buffer = HeadBuffer::new();
        let outcome = buffer.read_stream(&mut bytes, Options::new()).unwrap();
        diagnose_stream(Options::new(), &outcome, buffer.bytes())
    };
    assert!(look(&model().bytes()).is_empty());
    assert_eq!(look(b"PK\x03\x04").identity.unwrap().name(), "zip");
    assert_eq!(look(&model().dialect(Dialect::NUL_STRINGS).bytes()).dialect, Some(Dialect::NUL_STRINGS));
}

#[test]
fn positions_that_overflow_are_survived() {
    let mut file = model().build();
    file.set_u64("tensors[1].offset", u64::MAX);
    let diagnosis = look(file.bytes());
    assert_eq!(diagnosis.joined, None);
    file.set_u64("tensors[1].offset", u64::MAX - 300);
    let diagnosis = look(file.bytes());
    assert!(diagnosis.partial.is_some());
    assert_eq!(
        diagnosis.messages()[0].help.as_deref(),
        Some("no file is so long: the tensor table is damaged")
    );
}
