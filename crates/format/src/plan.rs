//! A file that is yet to be written, as pieces: bytes that are new, and stretches of the source.
//!
//! A plan knows the exact size of what it makes and touches nothing. Carrying it out is the business of whoever owns the
//! source and the target.

use alloc::vec::Vec;
use core::fmt;

use crate::span::Span;

/// A piece of a file that is yet to be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// These bytes.
    Literal(Vec<u8>),
    /// The bytes of the source in this span.
    Copy(Span),
    /// So many bytes of 0.
    Zeros(u64),
}

impl Piece {
    /// Bytes that the piece makes.
    #[must_use]
    pub fn len(&self) -> u64 {
        match self {
            Self::Literal(bytes) => bytes.len().try_into().unwrap_or(u64::MAX),
            Self::Copy(span) => span.len,
            Self::Zeros(n) => *n,
        }
    }

    /// Whether the piece makes no byte. A plan holds no such piece.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Why pieces make no file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum PlanError {
    /// The file would have more than 2^64 bytes.
    TooLong,
    /// A span of the source that does not fit in 64 bits.
    Overflow(Span),
    /// A span of the source that is not, or not all, in it.
    OutOfSource {
        /// The span.
        span: Span,
        /// Length of the source.
        size: u64,
    },
    /// Bytes of the source that are copied twice: a small source could fill a disk.
    Twice(Span),
    /// Bytes that are to be replaced where they are copied, and that are not copied.
    NotCopied(Span),
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => f.write_str("the file would have more than 2^64 bytes"),
            Self::Overflow(span) => write!(f, "{} bytes at {:#x} end beyond 2^64", span.len, span.start),
            Self::OutOfSource { span, size } => write!(f, "{span} is not all in the source of {size} bytes"),
            Self::Twice(span) => write!(f, "{span} of the source would be copied twice"),
            Self::NotCopied(span) => write!(f, "{span} of the source is written anew, not copied"),
        }
    }
}

impl core::error::Error for PlanError {}

/// A file that is yet to be written.
///
/// Pieces follow each other without gaps, so nothing in the output can overlap. Pieces that continue each other are
/// merged, so that what is copied is copied in the largest stretches.
///
/// ```
/// use ggufkit_format::{Piece, Plan, Span};
///
/// let mut plan = Plan::new();
/// plan.copy(Span::new(0, 3))?;
/// plan.copy(Span::new(3, 2))?;
/// plan.literal(b"!")?;
/// plan.zeros(2)?;
/// assert_eq!(plan.pieces(), [Piece::Copy(Span::new(0, 5)), Piece::Literal(b"!".to_vec()), Piece::Zeros(2)]);
/// assert_eq!((plan.len(), plan.render(b"hello world").unwrap()), (8, b"hello!\0\0".to_vec()));
/// # Ok::<(), ggufkit_format::PlanError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Plan {
    pieces: Vec<Piece>,
    len: u64,
}

impl Plan {
    /// A plan of an empty file.
    #[must_use]
    pub const fn new() -> Self {
        Self { pieces: Vec::new(), len: 0 }
    }

    /// Appends these bytes.
    ///
    /// # Errors
    /// The file would be too long.
    pub fn literal(&mut self, bytes: &[u8]) -> Result<(), PlanError> {
        self.grow(bytes.len().try_into().unwrap_or(u64::MAX))?;
        match self.pieces.last_mut() {
            _ if bytes.is_empty() => {}
            Some(Piece::Literal(last)) => last.extend_from_slice(bytes),
            _ => self.pieces.push(Piece::Literal(bytes.to_vec())),
        }
        Ok(())
    }

    /// Appends a stretch of the source.
    ///
    /// # Errors
    /// The span does not fit in 64 bits, or the file would be too long.
    pub fn copy(&mut self, span: Span) -> Result<(), PlanError> {
        span.start.checked_add(span.len).ok_or(PlanError::Overflow(span))?;
        self.grow(span.len)?;
        match self.pieces.last_mut() {
            _ if span.is_empty() => {}
            Some(Piece::Copy(last)) if last.end() == span.start => {
                last.len = last.len.saturating_add(span.len);
            }
            _ => self.pieces.push(Piece::Copy(span)),
        }
        Ok(())
    }

    /// Appends bytes of 0.
    ///
    /// # Errors
    /// The file would be too long.
    pub fn zeros(&mut self, n: u64) -> Result<(), PlanError> {
        self.grow(n)?;
        match self.pieces.last_mut() {
            _ if n == 0 => {}
            Some(Piece::Zeros(last)) => *last = last.saturating_add(n),
            _ => self.pieces.push(Piece::Zeros(n)),
        }
        Ok(())
    }

    fn grow(&mut self, by: u64) -> Result<(), PlanError> {
        self.len = self.len.checked_add(by).ok_or(PlanError::TooLong)?;
        Ok(())
    }

    /// The same plan with other bytes in place of some that are copied: each patch is a span of the source and as many
    /// bytes. Where patches overlap, the one that begins first holds.
    ///
    /// # Errors
    /// A patch whose span is not copied in whole, or has another length than its bytes.
    pub fn patched(&self, patches: &[(Span, Vec<u8>)]) -> Result<Self, PlanError> {
        let mut patches: Vec<_> =
            patches.iter().map(|(span, bytes)| (*span, bytes.as_slice(), 0_u64)).collect();
        patches.sort_by_key(|(span, ..)| span.start);
        // The longest patch says how far before a piece one may begin that reaches into it.
        let longest = patches.iter().map(|(span, ..)| span.len).max().unwrap_or(0);
        let mut out = Self::new();
        for piece in &self.pieces {
            let whole = match piece {
                Piece::Literal(bytes) => {
                    out.literal(bytes)?;
                    continue;
                }
                Piece::Zeros(n) => {
                    out.zeros(*n)?;
                    continue;
                }
                Piece::Copy(whole) => *whole,
            };
            let first =
                patches.partition_point(|(span, ..)| span.start.saturating_add(longest) <= whole.start);
            let mut at = whole.start;
            for (span, bytes, covered) in patches.get_mut(first..).unwrap_or_default() {
                if span.start >= whole.end() {
                    break;
                }
                let common = Span::between(whole.start.max(span.start), whole.end().min(span.end()));
                *covered = covered.saturating_add(common.len);
                let rest = Span::between(common.start.max(at), common.end());
                if let Some(new) = (!rest.is_empty()).then(|| rest.slice(bytes, span.start)).flatten() {
                    out.copy(Span::between(at, rest.start))?;
                    out.literal(new)?;
                    at = rest.end();
                }
            }
            out.copy(Span::between(at, whole.end()))?;
        }
        let unfit = |(span, bytes, covered): &&(Span, &[u8], u64)| {
            *covered < span.len || u64::try_from(bytes.len()) != Ok(span.len)
        };
        match patches.iter().find(unfit) {
            Some((span, ..)) => Err(PlanError::NotCopied(*span)),
            None => Ok(out),
        }
    }

    /// Exact length of the file in bytes.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Whether the file is empty.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The pieces, in order. None is empty, and no two neighbours could be one.
    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Bytes that are copied from the source.
    #[must_use]
    pub fn copied(&self) -> u64 {
        let copied = self.pieces.iter().filter(|piece| matches!(piece, Piece::Copy(_)));
        copied.fold(0, |sum, piece| sum.saturating_add(piece.len()))
    }

    /// Tests that a source of this length backs the plan.
    ///
    /// # Errors
    /// A span that is not in the source, and bytes that are copied twice.
    pub fn verify(&self, size: u64) -> Result<(), PlanError> {
        let copy = |piece: &Piece| if let Piece::Copy(span) = piece { Some(*span) } else { None };
        let mut spans: Vec<Span> = self.pieces.iter().filter_map(copy).collect();
        if let Some(span) = spans.iter().find(|span| span.end() > size) {
            return Err(PlanError::OutOfSource { span: *span, size });
        }
        spans.sort_unstable();
        let mut end = 0;
        for span in spans {
            if span.start < end {
                return Err(PlanError::Twice(Span::between(span.start, end.min(span.end()))));
            }
            end = span.end();
        }
        Ok(())
    }

    /// The file, where the whole source is in memory; `None` when a span is not in it, or memory is too small.
    #[must_use]
    pub fn render(&self, source: &[u8]) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        out.try_reserve_exact(usize::try_from(self.len).ok()?).ok()?;
        for piece in &self.pieces {
            match piece {
                Piece::Literal(bytes) => out.extend_from_slice(bytes),
                Piece::Copy(span) => out.extend_from_slice(span.slice(source, 0)?),
                Piece::Zeros(n) => out.resize(out.len().checked_add(usize::try_from(*n).ok()?)?, 0),
            }
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(pieces: &[Piece]) -> Plan {
        let mut plan = Plan::new();
        for piece in pieces {
            match piece {
                Piece::Literal(bytes) => plan.literal(bytes).unwrap(),
                Piece::Copy(span) => plan.copy(*span).unwrap(),
                Piece::Zeros(n) => plan.zeros(*n).unwrap(),
            }
        }
        plan
    }

    #[test]
    fn neighbours_are_merged_and_empty_pieces_are_dropped() {
        let made = plan(&[
            Piece::Literal(b"a".to_vec()),
            Piece::Literal(Vec::new()),
            Piece::Literal(b"b".to_vec()),
            Piece::Copy(Span::new(9, 0)),
            Piece::Zeros(0),
            Piece::Zeros(1),
            Piece::Zeros(2),
            Piece::Copy(Span::new(1, 1)),
            Piece::Copy(Span::new(2, 1)),
            Piece::Copy(Span::new(0, 1)),
        ]);
        assert_eq!(made.pieces().len(), 4);
        assert_eq!((made.len(), made.copied()), (8, 3));
        assert_eq!(made.render(b"xyz").unwrap(), b"ab\0\0\0yzx");
        let lengths: Vec<_> = made.pieces().iter().map(Piece::len).collect();
        assert_eq!(lengths, [2, 3, 2, 1]);
    }

    #[test]
    fn spans_that_make_no_sense_are_refused() {
        let mut made = Plan::new();
        let far = Span::new(u64::MAX, 2);
        assert_eq!(made.copy(far), Err(PlanError::Overflow(far)));
        made.zeros(u64::MAX).unwrap();
        assert_eq!(made.literal(b"x"), Err(PlanError::TooLong));
        let made = plan(&[Piece::Copy(Span::new(4, 4)), Piece::Copy(Span::new(0, 5))]);
        assert_eq!(made.verify(8), Err(PlanError::Twice(Span::new(4, 1))));
        assert_eq!(made.verify(7), Err(PlanError::OutOfSource { span: Span::new(4, 4), size: 7 }));
        assert_eq!(made.render(b"1234567"), None);
    }

    #[test]
    fn patches_replace_what_is_copied_and_nothing_else() {
        let made = plan(&[Piece::Copy(Span::new(0, 4)), Piece::Zeros(1), Piece::Copy(Span::new(4, 4))]);
        let patch = |start, bytes: &[u8]| (Span::new(start, bytes.len() as u64), bytes.to_vec());
        let patched = made.patched(&[patch(6, b"!"), patch(3, b"XY")]).unwrap();
        assert_eq!(patched.render(b"abcdefgh").unwrap(), b"abcX\0Yf!h");
        assert_eq!(patched.len(), made.len());
        let both = made.patched(&[patch(1, b"123"), patch(2, b"..-")]).unwrap();
        assert_eq!(both.render(b"abcdefgh").unwrap(), b"a123\0-fgh");
        assert_eq!(made.patched(&[patch(7, b"XY")]), Err(PlanError::NotCopied(Span::new(7, 2))));
        assert!(made.patched(&[(Span::new(0, 2), b"X".to_vec())]).is_err());
        assert_eq!(made.patched(&[]), Ok(made));
    }
}
