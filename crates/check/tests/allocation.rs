//! Memory: judging allocates no more than a constant times the file's bytes.
//!
//! Every allocation of this process is counted, so this is one test in a program of its own.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[allow(dead_code, reason = "each test uses its part")]
mod judged;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use ggufkit_testkit::{Builder, Tensor, Value, controls, corpus};

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is handed on to the system's allocator unchanged; only numbers are kept beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(live, Relaxed);
        // SAFETY: the caller's promises are the ones that `System` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes for each byte of the file, at most: the index takes 16 to 48 while it grows, hashes and extents as much again.
const PER_BYTE: usize = 100;

/// Bytes beside that: what is kept of findings, the buffer that weights are read into, the tables of templates.
const FIXED: usize = 4 << 20;

fn bounded(name: &str, bytes: &[u8]) {
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    judged::judge(bytes, |_, _, _| ());
    let peak = PEAK.load(Relaxed) - before;
    let bound = PER_BYTE * bytes.len() + FIXED;
    assert!(peak <= bound, "{name}: {peak} bytes for a file of {}, over {bound}", bytes.len());
}

#[test]
fn judging_takes_no_more_memory_than_the_bytes_can_back() {
    for (name, document) in controls::all() {
        bounded(&name, &document.bytes());
    }
    for file in
        corpus::shared_files("cases/files", "judging hostile files in little memory").into_iter().flatten()
    {
        bounded(&file.name, &file.bytes);
    }
    let many = 20_000_u32;
    let keys = (0..many).fold(Builder::new().version(1), |file, n| file.kv(n.to_le_bytes(), 1_u8));
    bounded("keys", &keys.bytes());
    let tensors = (0..many).fold(Builder::new().version(1), |file, n| {
        file.tensor(Tensor::new(n.to_le_bytes(), 0, &[]).data([]).offset(1))
    });
    bounded("misaligned tensors", &tensors.bytes());
    let tokens = Value::from(vec![""; 200_000]);
    let vocabulary = Builder::new()
        .kv("general.architecture", "llama")
        .kv("tokenizer.ggml.model", "gpt2")
        .kv("tokenizer.ggml.tokens", tokens.clone())
        .kv("tokenizer.ggml.merges", tokens);
    bounded("empty tokens and merges", &vocabulary.bytes());
    let template = "{% if a %}".repeat(50_000);
    bounded("template", &Builder::new().kv("tokenizer.chat_template", template.as_str()).bytes());
}
