//! Sources of bytes that behave as real ones do on a bad day.
//!
//! All of them speak `std::io::Error`, so that they stand where a file or an object store would. They wrap each other:
//! `Recording::new(Short::new(Memory::new(bytes), 3))`.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use ggufkit_format::ReadAt;

/// Bytes in memory.
#[derive(Clone, Debug)]
pub struct Memory {
    bytes: Vec<u8>,
    sized: bool,
}

impl Memory {
    /// A source of these bytes.
    #[must_use]
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), sized: true }
    }

    /// The same source, not telling its length: a pipe, a response without a length.
    #[must_use]
    pub fn without_size(mut self) -> Self {
        self.sized = false;
        self
    }
}

impl ReadAt for Memory {
    type Error = io::Error;

    fn size(&self) -> Option<u64> {
        self.sized.then_some(self.bytes.len() as u64)
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        self.bytes.as_slice().read_at(buf, offset).map_err(|never| match never {})
    }
}

/// One call of `read_at`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Read {
    /// Where it began.
    pub offset: u64,
    /// Bytes asked for.
    pub asked: u64,
    /// Bytes that came; `None` for an error.
    pub got: Option<u64>,
}

/// Keeps a list of what was read: the snapshot that proves how few bytes a question costs.
#[derive(Debug)]
pub struct Recording<S> {
    inner: S,
    reads: Mutex<Vec<Read>>,
}

impl<S> Recording<S> {
    /// Records the reads of `inner`.
    #[must_use]
    pub fn new(inner: S) -> Self {
        Self { inner, reads: Mutex::new(Vec::new()) }
    }

    /// The calls so far, in order.
    #[must_use]
    pub fn reads(&self) -> Vec<Read> {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What was asked for so far, as `(offset, length)` in order.
    #[must_use]
    pub fn ranges(&self) -> Vec<(u64, u64)> {
        self.reads().iter().map(|r| (r.offset, r.asked)).collect()
    }

    /// All bytes that came so far.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.reads().iter().filter_map(|r| r.got).sum()
    }

    /// Forgets the calls so far.
    pub fn clear(&self) {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl<S: ReadAt<Error = io::Error>> ReadAt for Recording<S> {
    type Error = io::Error;

    fn size(&self) -> Option<u64> {
        self.inner.size()
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let result = self.inner.read_at(buf, offset);
        let got = result.as_ref().ok().map(|&n| n as u64);
        let read = Read { offset, asked: buf.len() as u64, got };
        self.reads.lock().unwrap_or_else(PoisonError::into_inner).push(read);
        result
    }
}

/// Fails at one call, or wherever a read touches what lies beyond a position.
#[derive(Debug)]
pub struct Failing<S> {
    inner: S,
    call: Option<u64>,
    beyond: Option<u64>,
    kind: io::ErrorKind,
    calls: AtomicU64,
}

impl<S> Failing<S> {
    fn new(inner: S, call: Option<u64>, beyond: Option<u64>) -> Self {
        Self { inner, call, beyond, kind: io::ErrorKind::Other, calls: AtomicU64::new(0) }
    }

    /// Fails at the `n`-th call, counted from 0; the calls before and after it succeed.
    #[must_use]
    pub fn at_call(inner: S, n: u64) -> Self {
        Self::new(inner, Some(n), None)
    }

    /// Fails when a read touches a byte at or past `position`: a bad sector, a connection that is gone.
    #[must_use]
    pub fn beyond(inner: S, position: u64) -> Self {
        Self::new(inner, None, Some(position))
    }

    /// The same source with another kind of error.
    #[must_use]
    pub fn with_kind(mut self, kind: io::ErrorKind) -> Self {
        self.kind = kind;
        self
    }
}

impl<S: ReadAt<Error = io::Error>> ReadAt for Failing<S> {
    type Error = io::Error;

    fn size(&self) -> Option<u64> {
        self.inner.size()
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let end = offset.saturating_add(buf.len() as u64);
        if self.call == Some(call) || self.beyond.is_some_and(|position| end > position) {
            return Err(io::Error::new(self.kind, "the source failed, as it was told to"));
        }
        self.inner.read_at(buf, offset)
    }
}

/// Gives at most so many bytes at a time; of 1 byte for the worst of all sources.
#[derive(Clone, Debug)]
pub struct Short<S> {
    inner: S,
    most: usize,
}

impl<S> Short<S> {
    /// At most `most` bytes for each read.
    #[must_use]
    pub fn new(inner: S, most: usize) -> Self {
        assert!(most > 0, "a read of 0 bytes would mean the end");
        Self { inner, most }
    }

    /// One byte for each read.
    #[must_use]
    pub fn one_byte(inner: S) -> Self {
        Self::new(inner, 1)
    }
}

impl<S: ReadAt<Error = io::Error>> ReadAt for Short<S> {
    type Error = io::Error;

    fn size(&self) -> Option<u64> {
        self.inner.size()
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let most = buf.len().min(self.most);
        self.inner.read_at(&mut buf[..most], offset)
    }
}

/// Shrinks while it is being read: the size that it told is not true any more.
#[derive(Debug)]
pub struct Shrinking<S> {
    inner: S,
    after: u64,
    to: u64,
    calls: AtomicU64,
}

impl<S> Shrinking<S> {
    /// After `after` calls the source ends at `to`; it goes on telling its first size.
    #[must_use]
    pub fn new(inner: S, after: u64, to: u64) -> Self {
        Self { inner, after, to, calls: AtomicU64::new(0) }
    }
}

impl<S: ReadAt<Error = io::Error>> ReadAt for Shrinking<S> {
    type Error = io::Error;

    fn size(&self) -> Option<u64> {
        self.inner.size()
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        if self.calls.fetch_add(1, Ordering::Relaxed) < self.after {
            return self.inner.read_at(buf, offset);
        }
        let left = usize::try_from(self.to.saturating_sub(offset)).unwrap_or(usize::MAX);
        let most = buf.len().min(left);
        self.inner.read_at(&mut buf[..most], offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: &impl ReadAt<Error = io::Error>, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        let mut buf = vec![0; len];
        let n = source.read_at(&mut buf, offset)?;
        buf.truncate(n);
        Ok(buf)
    }

    #[test]
    fn recording_lists_what_was_asked_and_what_came() {
        let source = Recording::new(Short::new(Memory::new(*b"abcdef"), 4));
        assert_eq!(read(&source, 1, 5).unwrap(), b"bcde");
        assert_eq!(read(&source, 6, 2).unwrap(), b"");
        assert_eq!(source.ranges(), [(1, 5), (6, 2)]);
        assert_eq!(source.reads()[0].got, Some(4));
        assert_eq!(source.bytes_read(), 4);
        source.clear();
        assert_eq!(source.ranges(), []);
        assert_eq!(source.size(), Some(6));
    }

    #[test]
    fn failing_fails_once_or_beyond() {
        let once = Failing::at_call(Memory::new(*b"abc"), 1).with_kind(io::ErrorKind::TimedOut);
        assert_eq!(read(&once, 0, 3).unwrap(), b"abc");
        assert_eq!(read(&once, 0, 3).unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert_eq!(read(&once, 0, 3).unwrap(), b"abc");
        let beyond = Failing::beyond(Memory::new(*b"abc"), 2);
        assert_eq!(read(&beyond, 0, 2).unwrap(), b"ab");
        assert!(read(&beyond, 1, 2).is_err());
    }

    #[test]
    fn one_byte_at_a_time_and_none_after_shrinking() {
        let source = Short::one_byte(Shrinking::new(Memory::new(*b"abc"), 1, 2));
        assert_eq!(source.size(), Some(3));
        assert_eq!(read(&source, 2, 3).unwrap(), b"c");
        assert_eq!(read(&source, 1, 3).unwrap(), b"b");
        assert_eq!(read(&source, 2, 3).unwrap(), b"");
        assert_eq!(Memory::new(*b"abc").without_size().size(), None);
    }
}
