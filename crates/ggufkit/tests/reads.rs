//! Which bytes of a file are read for which question: the list of ranges is what is asserted.

#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use ggufkit_format::Options;
use ggufkit_io::{HeadBuffer, lookup};
use ggufkit_testkit::sources::{Memory, Recording};
use ggufkit_testkit::{Builder, Tensor, Value};

/// A file with the head of a large vocabulary: 262,144 tokens, scores and types, in front of some weights.
fn big_vocabulary() -> Vec<u8> {
    const TOKENS: u32 = 262_144;
    let text = (0..TOKENS).map(|i| format!("token{i}")).collect::<Vec<_>>();
    let scores = (0..TOKENS).map(|i| -(i as f32)).collect::<Vec<_>>();
    Builder::new()
        .kv("general.architecture", "llama")
        .kv("tokenizer.ggml.tokens", Value::strings(&text))
        .kv("tokenizer.ggml.scores", scores)
        .kv("tokenizer.ggml.token_type", vec![1_i32; TOKENS as usize])
        .kv("general.name", "behind the vocabulary")
        .tensor(Tensor::f32("token_embd.weight", &[64, 16384]))
        .bytes()
}

/// The ranges that were read, as start and end.
fn spans(source: &Recording<Memory>) -> Vec<(u64, u64)> {
    source.ranges().into_iter().map(|(start, len)| (start, start + len)).collect()
}

fn total(spans: &[(u64, u64)]) -> u64 {
    spans.iter().map(|(start, end)| end - start).sum()
}

#[test]
fn an_early_key_costs_one_page() {
    let source = Recording::new(Memory::new(big_vocabulary()));
    let found = lookup(&source, Options::new(), &mut |key| key == b"general.architecture").unwrap();
    assert!(found.found.is_some());
    assert_eq!(spans(&source), [(0, 4096)]);
}

#[test]
fn a_late_key_jumps_over_numbers() {
    let bytes = big_vocabulary();
    let source = Recording::new(Memory::new(bytes));
    let found = lookup(&source, Options::new(), &mut |key| key == b"general.name").unwrap();
    let record = found.found.expect("the key is there");
    let index = record.index();
    assert_eq!(
        record.view(&index).get("general.name").and_then(|v| v.as_str()),
        Some("behind the vocabulary")
    );
    // 262,144 scores and as many types, 4 bytes each, are not read; at most a window on each side of them is.
    let numbers = 2 * 4 * 262_144;
    let (_, end) = *spans(&source).last().unwrap();
    assert!(total(&spans(&source)) <= end - numbers + 4 * (64 << 10));
    // Forwards only: no range begins before the end of the one before it.
    assert!(spans(&source).windows(2).all(|pair| pair[1].0 >= pair[0].1), "{:?}", spans(&source));
}

#[test]
fn a_head_is_read_once_and_hardly_more_than_it() {
    let bytes = big_vocabulary();
    let size = bytes.len() as u64;
    let source = Recording::new(Memory::new(bytes));
    let mut buffer = HeadBuffer::new();
    let index = buffer.read(&source, Options::new()).unwrap().into_result().unwrap();
    let ranges = spans(&source);
    assert_eq!(ranges[0], (0, 64 << 10));
    assert!(ranges.windows(2).all(|pair| pair[1].0 == pair[0].1), "no byte twice, none left out: {ranges:?}");
    let (_, end) = *ranges.last().unwrap();
    assert!(end >= index.data_start().unwrap() && end <= size);
    // One growth past the head at most.
    assert!(end - index.head_end() <= 8 << 20);
}

/// A file of which only the head is in memory; its weights are zeros.
struct Large {
    head: Vec<u8>,
    size: u64,
}

impl ggufkit_format::ReadAt for Large {
    type Error = std::io::Error;

    fn size(&self) -> Option<u64> {
        Some(self.size)
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> std::io::Result<usize> {
        let left = self.size.saturating_sub(offset).min(buf.len() as u64) as usize;
        buf[..left].fill(0);
        let there = self.head.get(offset as usize..).unwrap_or_default();
        let n = there.len().min(left);
        buf[..n].copy_from_slice(&there[..n]);
        Ok(left)
    }
}

#[test]
fn one_layer_costs_its_bytes_and_the_head() {
    // 200 layers of one F16 tensor [2048, 26], behind a vocabulary of 32,000 tokens.
    const LAYER: u64 = 2 * 2048 * 26;
    let text = (0..32_000).map(|i| format!("token number {i}")).collect::<Vec<_>>();
    let mut document =
        Builder::new().kv("general.architecture", "llama").kv("tokenizer.ggml.tokens", Value::strings(&text));
    for layer in 0..200_u64 {
        let name = format!("blk.{layer}.ffn_up.weight");
        document = document.tensor(Tensor::new(name, 1, &[2048, 26]).data(Vec::new()).offset(layer * LAYER));
    }
    let head = document.without_data().bytes();
    let size = head.len() as u64 + 200 * LAYER;
    let source = Recording::new(Large { head, size });

    let mut buffer = HeadBuffer::new();
    let index = buffer.read(&source, Options::new()).unwrap().into_result().unwrap();
    let reader = ggufkit_io::TensorReader::new(&source, ggufkit_format::View::new(&index, buffer.bytes()));
    let chosen = reader.select(&ggufkit_io::Selection::new().layers(7..=7));
    assert_eq!(chosen.len(), 1);
    let before: u64 = source.bytes_read();
    let mut chunks = reader.chunks(chosen[0], 1 << 20).unwrap();
    while let Some(chunk) = chunks.next_chunk() {
        chunk.unwrap();
    }
    assert_eq!(source.bytes_read() - before, LAYER, "the layer itself, nothing around it");
    assert!(source.bytes_read() <= LAYER + (1 << 20), "{} bytes", source.bytes_read());
}
