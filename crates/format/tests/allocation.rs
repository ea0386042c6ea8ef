//! Memory: no count or length of a file makes the reader allocate more than the file's bytes can back.
//!
//! Every allocation of this process is counted, so this is one test in a program of its own.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use ggufkit_format::{Detail, Options, View, parse};
use ggufkit_testkit::reading::in_pieces;
use ggufkit_testkit::{Builder, Tensor, Value, controls, corpus, fuzzing};

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn grew(by: usize) {
    let live = LIVE.fetch_add(by, Relaxed) + by;
    PEAK.fetch_max(live, Relaxed);
}

// SAFETY: every call is handed on to the system's allocator unchanged; only numbers are kept beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grew(layout.size());
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

/// The most that was allocated at once while `work` ran, beyond what was there before.
fn peak<T>(work: impl FnOnce() -> T) -> usize {
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    drop(work());
    PEAK.load(Relaxed) - before
}

/// While a vector grows, its old and its new half stand beside each other: half as much again, and at most twice too
/// large.
const GROWTH: usize = 3;

fn check(name: &str, bytes: &[u8], options: Options) {
    let bound = GROWTH * fuzzing::MEMORY_PER_BYTE * bytes.len() + fuzzing::MEMORY;
    for size in [None, Some(options.base + bytes.len() as u64)] {
        for text in [true, false] {
            let options = options.with_size(size).with_text(text);
            let whole = peak(|| parse(bytes, options));
            assert!(whole <= bound, "{name}: {whole} bytes for a file of {}, over {bound}", bytes.len());
            let pieces = peak(|| in_pieces(bytes, options, |_| 4096));
            assert!(pieces <= bound, "{name} in pieces: {pieces} bytes, over {bound}");
        }
    }
    // Looking at what was read costs no more than a field at a time.
    let outcome = parse(bytes, options);
    let Some(index) = &outcome.index else { return };
    let view = View::new(index, bytes);
    let walk = peak(|| view.fields(Detail::All).take(100_000).count());
    assert!(walk <= 16 << 10, "{name}: a walk over the fields takes {walk} bytes");
}

/// Files whose every number that tells a length or count is set to what would hurt.
fn forged() {
    let documents = [
        ("strings", Builder::new().kv("k", vec!["a", "b"])),
        ("numbers", Builder::new().kv("k", vec![1_u64])),
        ("bools", Builder::new().kv("k", vec![true])),
        ("nested", Builder::new().kv("k", Value::nested([Value::nested([vec!["x"].into()])]))),
        ("tensor", Builder::new().kv("k", "v").tensor(Tensor::f32("t", &[4, 4]))),
    ];
    let mut forged = 0;
    for (name, document) in documents {
        for version in [1, 3] {
            let whole = document.clone().version(version).build();
            for field in whole.fields() {
                let counts = [".length", "count", ".n_dims"].iter().any(|end| field.name.ends_with(end));
                if !counts {
                    continue;
                }
                let max = if field.span.len == 4 { u64::from(u32::MAX) } else { u64::MAX };
                for value in [max, max / 2, max / 8 + 1, (1 << 30) - 1, 1 << 30, 1 << 29, 1 << 20, 100_000] {
                    let mut file = whole.clone();
                    file.set_u64(&field.name, value);
                    check(&format!("{name}: {} = {value}", field.name), file.bytes(), Options::new());
                    forged += 1;
                }
            }
        }
    }
    assert!(forged > 200, "{forged}");
}

/// The files that cost most for their size: the shortest records, the most anomalies, the deepest nesting.
fn dense() {
    let n = 20_000;
    let records = (0..n).fold(Builder::new().version(1), |d, _| d.kv("", 0_u8));
    check("shortest key-values", &records.bytes(), Options::new());
    let arrays =
        (0..n).fold(Builder::new().version(1), |d, _| d.kv("k", Value::empty(ggufkit_testkit::Kind::U8)));
    check("empty arrays", &arrays.bytes(), Options::new());
    let tensors = (0..n).fold(Builder::new().version(1), |d, _| d.tensor(Tensor::new("", 99, &[])));
    check("shortest tensors", &tensors.bytes(), Options::new());
    let bad = Value::strings(vec![b"\xff"; n]);
    check("strings that are not UTF-8", &Builder::new().kv("k", bad).bytes(), Options::new());
    let empty = Value::nested(vec![Value::empty(ggufkit_testkit::Kind::Array); n]);
    check("empty arrays in an array", &Builder::new().kv("k", empty).bytes(), Options::new());
    let deep = (0..40).fold(Value::from(vec![1_u8]), |inner, _| Value::nested([inner]));
    check("deeper than the limit", &Builder::new().kv("k", deep).bytes(), Options::new());
}

#[test]
fn memory_follows_the_bytes_and_not_the_counts() {
    let mut probe = vec![0_u8; 0];
    assert!(peak(|| probe.reserve_exact(1 << 20)) >= 1 << 20, "the allocator counts");
    drop(probe);
    forged();
    dense();
    for (name, document) in controls::all() {
        let file = document.build();
        let options = Options::new().with_base(file.base()).with_dialect(document.layout());
        check(&name, file.gguf(), options);
    }
    for file in corpus::shared_files("cases/files", "memory of the case files").into_iter().flatten() {
        check(&file.name, &file.bytes, Options::new());
    }
}
