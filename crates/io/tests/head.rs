//! Heads: which ranges are read, in what memory, and what becomes of sources that misbehave.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::io::{self, Read};

use ggufkit_format::{Options, Outcome, ReadAt, Reason, View, parse};
use ggufkit_io::HeadBuffer;
use ggufkit_testkit::reading::{account, assert_reads_back};
use ggufkit_testkit::sources::{Failing, Memory, Recording, Short, Shrinking};
use ggufkit_testkit::{Builder, Kind, Tensor, Value, controls};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// A head with so many tokens of 17 bytes each with their lengths, then a key, then 1 MiB of tensor data.
fn vocabulary(tokens: u64) -> Builder {
    let tokens: Vec<String> = (0..tokens).map(|i| format!("token{i:04}")).collect();
    Builder::new()
        .kv("general.architecture", "llama")
        .kv("tokenizer.ggml.tokens", Value::strings(tokens))
        .kv("general.name", "last")
        .tensor(Tensor::f32("output.weight", &[1024, 256]))
}

fn read(source: &impl ReadAt<Error = io::Error>) -> (Outcome, HeadBuffer) {
    let mut buffer = HeadBuffer::new();
    let outcome = buffer.read(source, Options::new()).unwrap();
    (outcome, buffer)
}

/// Consecutive ranges from `base` on, as their lengths.
fn lengths(ranges: &[(u64, u64)], base: u64) -> Vec<u64> {
    let mut next = base;
    for (offset, len) in ranges {
        assert_eq!(*offset, next, "in order, nothing twice: {ranges:?}");
        next += len;
    }
    ranges.iter().map(|(_, len)| *len).collect()
}

#[test]
fn a_small_head_is_one_read_of_64_kib() {
    let file = vocabulary(10).bytes();
    let source = Recording::new(Memory::new(file.clone()));
    let (outcome, buffer) = read(&source);
    assert_eq!(source.ranges(), [(0, 64 * KIB)]);
    assert!(outcome.error.is_none());
    assert!(buffer.bytes() == &file[..64 << 10]);
}

#[test]
fn a_file_smaller_than_that_is_read_whole_and_not_asked_for_its_end() {
    let file = Builder::new().kv("a", 1_u32).bytes();
    let source = Recording::new(Memory::new(file.clone()));
    let (outcome, _) = read(&source);
    assert_eq!(source.ranges(), [(0, file.len() as u64)]);
    assert!(outcome.error.is_none());
}

#[test]
fn a_large_head_is_read_once_in_order_in_growing_steps() {
    // 1,700,000 bytes of tokens and a file that is longer by 1 MiB.
    let file = vocabulary(100_000).bytes();
    let source = Recording::new(Memory::new(file.clone()));
    let (outcome, buffer) = read(&source);
    let index = outcome.into_result().unwrap();
    let steps = lengths(&source.ranges(), 0);
    assert_eq!(steps, [64, 64, 128, 256, 512, 512, 512].map(|kib| kib * KIB));
    let view = View::new(&index, buffer.bytes());
    assert_eq!(view.get("general.name").and_then(|v| v.as_str()), Some("last"));
    assert!(source.bytes_read() < 2 * index.head_end(), "one growth past what is needed at most");
}

#[test]
fn steps_end_with_the_file() {
    let file = vocabulary(100_000).tensor(Tensor::f32("b", &[4])).without_data().bytes();
    let source = Recording::new(Memory::new(file.clone()));
    let (outcome, _) = read(&source);
    assert!(outcome.error.is_none());
    assert_eq!(lengths(&source.ranges(), 0).iter().sum::<u64>(), file.len() as u64);
}

#[test]
fn steps_can_be_larger() {
    let file = Builder::new().kv("long", "x".repeat(30 << 20)).kv("z", 1_u8).bytes();
    let source = Recording::new(Memory::new(file.clone()).without_size());
    for (max_step, most) in [(8 << 20, 8 * MIB), (512 << 10, 512 * KIB), (0, 64 * KIB)] {
        source.clear();
        let mut buffer = HeadBuffer::new().with_max_step(max_step);
        assert!(buffer.read(&source, Options::new()).unwrap().error.is_none());
        let steps = lengths(&source.ranges(), 0);
        assert_eq!(steps.iter().max(), Some(&most));
    }
}

#[test]
fn a_long_value_is_read_at_once_when_the_size_is_known() {
    let file = Builder::new().kv("long", "x".repeat(5 << 20)).kv("z", 1_u8).bytes();
    let source = Recording::new(Memory::new(file.clone()));
    let (outcome, _) = read(&source);
    assert!(outcome.error.is_none());
    let steps = lengths(&source.ranges(), 0);
    assert_eq!(steps[0], 64 * KIB);
    // The second read is what the value needs, to the byte: what follows it is read by the third.
    assert_eq!(steps[1], 24 + 12 + 4 + 8 + (5 << 20) - 64 * KIB);
    assert_eq!(steps.len(), 3);
}

#[test]
fn an_array_at_the_end_that_was_jumped_over_is_in_the_buffer_too() {
    let scores = Value::Array(Kind::F32, vec![Value::F32(0.5); 100_000]);
    let file = Builder::new().kv("scores", scores).head_padding(false).bytes();
    let source = Recording::new(Memory::new(file.clone()));
    let (outcome, buffer) = read(&source);
    let index = outcome.into_result().unwrap();
    assert!(buffer.bytes() == file);
    let view = View::new(&index, buffer.bytes());
    assert_eq!(view.get("scores").unwrap().as_array().unwrap().iter().count(), 100_000);
    assert_eq!(lengths(&source.ranges(), 0).len(), 2);
}

#[test]
fn a_gguf_inside_a_file_is_read_from_its_base() {
    let file = vocabulary(5).prefix(vec![0xee; 1000]).build();
    let source = Recording::new(Memory::new(file.bytes()));
    let mut buffer = HeadBuffer::new();
    let outcome = buffer.read(&source, Options::new().with_base(1000)).unwrap();
    assert_reads_back(&vocabulary(5).prefix(vec![0xee; 1000]), &file, &outcome.into_result().unwrap());
    assert_eq!(source.ranges()[0].0, 1000);
    assert!(buffer.bytes().starts_with(b"GGUF"));
    // A base behind the end is an end.
    let outcome = buffer.read(&source, Options::new().with_base(1 << 40)).unwrap();
    assert!(matches!(outcome.error.unwrap().reason(), Reason::UnexpectedEnd { remaining: 0, .. }));
}

#[test]
fn every_control_reads_the_same_by_source_and_by_stream() {
    for (name, document) in controls::all() {
        let file = document.build();
        let options = Options::new().with_base(file.base()).with_dialect(document.layout());
        let want = account(&parse(file.gguf(), options.with_size(Some(file.size()))));
        let unsized_want = account(&parse(file.gguf(), options));
        let mut buffer = HeadBuffer::new();
        let outcome = buffer.read(&Short::new(Memory::new(file.bytes()), 7), options).unwrap();
        assert_eq!(account(&outcome), want, "{name}");
        let outcome = buffer.read_stream(&mut OneByte(file.bytes()), options).unwrap();
        assert_eq!(account(&outcome), unsized_want, "{name}");
    }
}

/// A stream that gives one byte at a time, and is interrupted before each.
struct OneByte<'a>(&'a [u8]);

impl Read for OneByte<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let most = buf.len().min(1);
        Read::read(&mut self.0, &mut buf[..most])
    }
}

/// A stream of zeros after some bytes; counts what was taken.
struct Endless<'a> {
    first: &'a [u8],
    taken: u64,
}

impl Read for Endless<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = if self.first.is_empty() {
            buf.fill(0);
            buf.len()
        } else {
            Read::read(&mut self.first, buf)?
        };
        self.taken += n as u64;
        Ok(n)
    }
}

#[test]
fn a_stream_is_read_no_further_than_a_growth_past_its_head() {
    let file = vocabulary(100_000).bytes();
    let mut stream = Endless { first: &file, taken: 0 };
    let mut buffer = HeadBuffer::new();
    let outcome = buffer.read_stream(&mut stream, Options::new()).unwrap();
    let index = outcome.into_result().unwrap();
    assert!(stream.taken < 2 * index.head_end(), "{}", stream.taken);
    assert_eq!(buffer.bytes().len() as u64, stream.taken);
    assert!(buffer.bytes()[..1 << 20] == file[..1 << 20]);
}

#[test]
fn a_stream_that_stalls_behind_its_head_is_not_waited_for() {
    struct Stalling<'a>(&'a [u8]);
    impl Read for Stalling<'_> {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            assert!(!self.0.is_empty(), "asked for bytes behind the head");
            Read::read(&mut self.0, buf)
        }
    }
    let file = Builder::new().kv("a", "b").tensor(Tensor::f32("t", &[4])).without_data().head_padding(false);
    let file = file.bytes();
    let outcome = HeadBuffer::new().read_stream(&mut Stalling(&file), Options::new()).unwrap();
    assert!(outcome.error.is_none());
}

#[test]
fn a_streams_base_is_discarded() {
    let file = vocabulary(5).prefix(vec![0xee; 100_000]).build();
    let mut buffer = HeadBuffer::new();
    let options = Options::new().with_base(100_000);
    let outcome = buffer.read_stream(&mut OneByte(file.bytes()), options).unwrap();
    assert!(outcome.error.is_none());
    assert!(buffer.bytes().starts_with(b"GGUF"));
    let outcome = buffer.read_stream(&mut &file.bytes()[..50], options).unwrap();
    assert!(matches!(outcome.error.unwrap().reason(), Reason::UnexpectedEnd { .. }));
}

#[test]
fn declared_lengths_do_not_become_memory_in_a_stream() {
    let mut file = Builder::new().kv("long", "x".repeat(100)).build();
    file.set_u64("kv[0].value.length", 1 << 29);
    let mut buffer = HeadBuffer::new();
    let outcome = buffer.read_stream(&mut &file.bytes()[..], Options::new()).unwrap();
    assert!(matches!(outcome.error.unwrap().reason(), Reason::UnexpectedEnd { .. }));
    assert!(buffer.capacity() <= 1 << 20, "{}", buffer.capacity());
    // Nor in a source that does not tell its size.
    buffer.read(&Memory::new(file.bytes()).without_size(), Options::new()).unwrap();
    assert!(buffer.capacity() <= 1 << 20, "{}", buffer.capacity());
    // Where the size is known, one read shows the length to be false.
    let source = Recording::new(Memory::new(file.bytes()));
    let outcome = buffer.read(&source, Options::new()).unwrap();
    assert!(outcome.error.is_some());
    assert_eq!(source.ranges().len(), 1);
}

#[test]
fn memory_is_used_again_and_given_back_when_it_is_large() {
    let large = Builder::new().kv("long", "x".repeat(70 << 20)).bytes();
    let small = vocabulary(5).bytes();
    let middle = vocabulary(100_000).bytes();
    let mut buffer = HeadBuffer::new();
    assert_eq!(buffer.capacity(), 0);
    buffer.read(&Memory::new(middle), Options::new()).unwrap();
    let kept = buffer.capacity();
    let outcome = buffer.read(&Memory::new(small.clone()), Options::new()).unwrap();
    assert!(outcome.error.is_none());
    assert_eq!(buffer.capacity(), kept);
    assert_eq!(buffer.bytes(), &small[..buffer.bytes().len()], "nothing is left of the file before");
    buffer.read(&Memory::new(large), Options::new()).unwrap();
    assert!(buffer.capacity() > 70 << 20);
    buffer.read(&Memory::new(small), Options::new()).unwrap();
    assert_eq!(buffer.capacity(), 64 << 10);
}

#[test]
fn a_source_that_shrinks_is_a_file_that_ends() {
    let file = vocabulary(100_000).bytes();
    for (after, to) in [(0, 0), (0, 30), (1, 64 << 10), (2, 200_000), (3, 300_001)] {
        let source = Shrinking::new(Memory::new(file.clone()), after, to);
        let (outcome, buffer) = read(&source);
        let error = outcome.error.unwrap();
        assert!(matches!(error.reason(), Reason::UnexpectedEnd { .. }), "{error}");
        assert!(buffer.bytes() == &file[..to as usize]);
    }
}

#[test]
fn what_was_jumped_over_and_is_gone_is_an_end_too() {
    let scores = Value::Array(Kind::F32, vec![Value::F32(0.5); 100_000]);
    let document = Builder::new().kv("a", "b").kv("scores", scores).head_padding(false);
    for document in [document.clone(), document.tensor(Tensor::f32("t", &[4]))] {
        let file = document.bytes();
        let (outcome, buffer) = read(&Shrinking::new(Memory::new(file), 1, 70_000));
        let error = outcome.error.unwrap();
        assert!(matches!(error.reason(), Reason::UnexpectedEnd { .. }), "{error}");
        let index = outcome.index.unwrap();
        assert_eq!(index.kvs().len(), 1, "only what is there counts as read");
        assert!(index.head_end() <= buffer.bytes().len() as u64);
    }
}

#[test]
fn a_file_that_ends_behind_a_jumped_array_keeps_the_array() {
    let scores = Value::Array(Kind::F32, vec![Value::F32(0.5); 100_000]);
    let mut file = Builder::new().kv("scores", scores).kv("z", 1_u8).build();
    file.truncate(file.span("kv[0]").end());
    let (outcome, buffer) = read(&Memory::new(file.bytes()));
    assert!(matches!(outcome.error.unwrap().reason(), Reason::UnexpectedEnd { .. }));
    let index = outcome.index.unwrap();
    assert_eq!(
        View::new(&index, buffer.bytes()).value(&index.kvs()[0]).as_array().unwrap().iter().count(),
        100_000
    );
}

#[test]
fn the_sources_error_is_passed_on_and_an_interruption_is_not() {
    let file = vocabulary(100_000).bytes();
    let mut buffer = HeadBuffer::new();
    let failing = Failing::at_call(Memory::new(file.clone()), 2).with_kind(io::ErrorKind::TimedOut);
    assert_eq!(buffer.read(&failing, Options::new()).unwrap_err().kind(), io::ErrorKind::TimedOut);
    let interrupted = Failing::at_call(Memory::new(file), 2).with_kind(io::ErrorKind::Interrupted);
    assert!(buffer.read(&interrupted, Options::new()).unwrap().error.is_none());
}

#[test]
fn the_bytes_can_be_kept() {
    let file = vocabulary(5).bytes();
    let (_, buffer) = read(&Memory::new(file.clone()));
    let bytes = buffer.into_bytes();
    assert_eq!(bytes, &file[..bytes.len()]);
}
