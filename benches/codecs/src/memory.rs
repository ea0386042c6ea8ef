//! Memory for inputs and outputs: at the start of a page, huge pages asked for, every page touched before anything is measured.

use std::ops::{Deref, DerefMut};

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

/// So many numbers or bytes.
pub struct Pages<T: Copy> {
    start: *mut T,
    len: usize,
}

impl<T: Copy> Pages<T> {
    /// Filled with one value.
    pub fn new(len: usize, value: T) -> Self {
        let bytes = (len * size_of::<T>()).max(1).next_multiple_of(2 << 20);
        // SAFETY: a new mapping of its own.
        let start = unsafe {
            mmap_anonymous(std::ptr::null_mut(), bytes, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)
        };
        let start: *mut T = start.map_or(std::ptr::null_mut(), <*mut _>::cast);
        assert!(!start.is_null(), "no memory");
        // SAFETY: the mapping above; a refusal leaves pages small.
        let _ = unsafe { madvise(start.cast(), bytes, Advice::LinuxHugepage) };
        let mut pages = Self { start, len };
        pages.fill(value);
        pages
    }
}

// SAFETY: memory of its own that plain values lie in; it is written through `&mut` alone.
unsafe impl<T: Copy + Send> Send for Pages<T> {}
// SAFETY: as above.
unsafe impl<T: Copy + Sync> Sync for Pages<T> {}

impl<T: Copy> Deref for Pages<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        // SAFETY: mapped for as long as this lives; zeros from the system, then values of this type.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }
}

impl<T: Copy> DerefMut for Pages<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and borrowed by nobody else.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.len) }
    }
}

impl<T: Copy> Drop for Pages<T> {
    fn drop(&mut self) {
        let bytes = (self.len * size_of::<T>()).max(1).next_multiple_of(2 << 20);
        // SAFETY: the mapping of `new`, whole.
        let _ = unsafe { munmap(self.start.cast(), bytes) };
    }
}
