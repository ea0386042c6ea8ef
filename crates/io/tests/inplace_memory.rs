//! What is kept beside a file is not held in memory, however much it is.

#![cfg(unix)]
#![allow(unsafe_code, reason = "an allocator that counts")]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use ggufkit_format::{Plan, Span};
use ggufkit_io::{FileSource, inplace};

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is the system's allocator's, with the same arguments.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(now, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn much_that_is_lost_and_comes_back_passes_through_little_memory() {
    const SIZE: u64 = 48 << 20;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.gguf");
    std::fs::write(&path, vec![7; SIZE as usize]).unwrap();
    let source = FileSource::open(&path).unwrap();
    let mut plan = Plan::new();
    plan.literal(b"other").unwrap();
    plan.copy(Span::new(5, 1000)).unwrap();
    let how = plan.in_place(SIZE, None, 1 << 30).unwrap();
    MOST.store(NOW.load(Ordering::Relaxed), Ordering::Relaxed);
    let before = NOW.load(Ordering::Relaxed);
    inplace::change(&how, &source, false, inplace::Call { id: 1, files: 1 }, &mut inplace::unwatched)
        .unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 1005);
    inplace::undo(&path, false, &mut inplace::unwatched).unwrap();
    let most = MOST.load(Ordering::Relaxed) - before;
    assert!(most < 8 << 20, "{most} bytes");
    assert!(std::fs::read(&path).unwrap().iter().all(|byte| *byte == 7));
}
