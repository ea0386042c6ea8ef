//! Looks into padding and gaps with few and small reads.

use ggufkit_format::Span;
use ggufkit_io::read_full;

use crate::subject::File;

/// Bytes of one read.
const WINDOW: u64 = 4 << 10;

/// Reads of one file, at most.
const MOST: u32 = 4096;

/// Bytes of one stretch that are looked at, at most.
const STRETCH: u64 = 1 << 20;

/// Why a stretch was not looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::rules) enum Unseen {
    /// The file is a stream, or reading failed.
    Unreadable,
    /// Enough was read.
    Enough,
}

impl Unseen {
    /// In words that follow "because".
    pub(in crate::rules) const fn why(self) -> &'static str {
        match self {
            Self::Unreadable => "the bytes could not be read again",
            Self::Enough => "that would take too many reads",
        }
    }
}

/// A file's bytes, of which a small window is at hand.
pub(in crate::rules) struct Peek<'a> {
    file: &'a File<'a>,
    window: Vec<u8>,
    start: u64,
    reads: u32,
}

impl<'a> Peek<'a> {
    pub(in crate::rules) fn new(file: &'a File<'a>) -> Self {
        Self { file, window: Vec::new(), start: 0, reads: 0 }
    }

    /// The position of the first byte of the span that is not zero. Bytes that the file does not have are none.
    pub(in crate::rules) fn nonzero(&mut self, span: Span) -> Result<Option<u64>, Unseen> {
        let mut at = span.start;
        let end = span.end().min(self.file.size.unwrap_or(u64::MAX));
        let last = end.min(span.start.saturating_add(STRETCH));
        while at < last {
            let bytes = self.at(at, end.saturating_sub(at))?;
            let bytes = bytes.get(..usize::try_from(last - at).unwrap_or(usize::MAX)).unwrap_or(bytes);
            if let Some(found) = bytes.iter().position(|byte| *byte != 0) {
                return Ok(Some(at.saturating_add(found as u64)));
            }
            at = at.saturating_add((bytes.len() as u64).max(1));
        }
        if last < end { Err(Unseen::Enough) } else { Ok(None) }
    }

    /// At least one byte from `at` on; a read brings more than is asked for, so that near stretches share it.
    fn at(&mut self, at: u64, len: u64) -> Result<&[u8], Unseen> {
        let head = |view: ggufkit_format::View<'a>| view.bytes(Span::new(at, len.min(WINDOW)));
        if let Some(bytes) = self.file.view.and_then(head) {
            return Ok(bytes);
        }
        let has = |start: u64, window: &[u8]| {
            at >= start && at.saturating_add(len.min(WINDOW)) <= start.saturating_add(window.len() as u64)
        };
        if !has(self.start, &self.window) {
            let source = self.file.source.ok_or(Unseen::Unreadable)?;
            if self.reads >= MOST {
                return Err(Unseen::Enough);
            }
            self.reads += 1;
            let size = self.file.size.unwrap_or(u64::MAX);
            let wanted = size.saturating_sub(at).min(WINDOW);
            self.window.resize(usize::try_from(wanted).unwrap_or(0), 0);
            let got = read_full(source, &mut self.window, at).unwrap_or(0);
            self.window.truncate(got);
            self.start = at;
        }
        let from = usize::try_from(at.saturating_sub(self.start)).unwrap_or(usize::MAX);
        self.window.get(from..).filter(|bytes| !bytes.is_empty()).ok_or(Unseen::Unreadable)
    }
}
