//! Positions: a byte range of the source, always in `u64` and always absolute.

use core::fmt;

/// A range of bytes of the source: `start` is counted from the source's first byte, `len` is in bytes.
///
/// Spans are kept as `u64` on every host, so that a 32-bit program can describe a file larger than its memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// Position of the first byte, from the start of the source.
    pub start: u64,
    /// Length in bytes.
    pub len: u64,
}

impl Span {
    /// A span of `len` bytes at `start`.
    #[must_use]
    pub const fn new(start: u64, len: u64) -> Self {
        Self { start, len }
    }

    /// The span from `start` up to, and not including, `end`; empty when `end` lies before `start`.
    #[must_use]
    pub const fn between(start: u64, end: u64) -> Self {
        Self { start, len: end.saturating_sub(start) }
    }

    /// Position just past the last byte (saturating at `u64::MAX`).
    #[must_use]
    pub const fn end(self) -> u64 {
        self.start.saturating_add(self.len)
    }

    /// Whether the span holds no byte.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Whether the byte at `position` belongs to the span.
    #[must_use]
    pub const fn contains(self, position: u64) -> bool {
        position >= self.start && position < self.end()
    }

    /// The bytes of this span in `bytes`, whose first byte stands at position `base` of the source.
    ///
    /// `None` when any byte of the span is not there.
    #[must_use]
    pub fn slice(self, bytes: &[u8], base: u64) -> Option<&[u8]> {
        let from = usize::try_from(self.start.checked_sub(base)?).ok()?;
        let len = usize::try_from(self.len).ok()?;
        bytes.get(from..from.checked_add(len)?)
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}..{:#x}", self.start, self.end())
    }
}

impl fmt::Display for Span {
    /// Hexadecimal, as findings print it: `0x0090..0x0098`; `0x0090..2^64 and beyond` of one that no position can end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.start.checked_add(self.len) {
            Some(end) => write!(f, "0x{:04x}..0x{end:04x}", self.start),
            None => write!(f, "0x{:04x}..2^64 and beyond", self.start),
        }
    }
}
