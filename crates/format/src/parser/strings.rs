//! The walk over an array of strings: the hot loop of a head's reading.
//!
//! Two facts make it cheap. A walk needs only the length prefixes, one dependent load each. And while every byte of a
//! length prefix is below 0x80 the prefixes are themselves ASCII, so one pass over `[len][bytes][len][bytes]…` judges
//! each string on its own: no character can begin in one string and end in the next.

use alloc::vec::Vec;

use crate::endian::Endian;
use crate::index::Array;

use super::lanes::{self, Lanes};

/// Bytes after which a run of strings is judged, while it is still in the nearest cache.
const RUN: usize = 16 << 10;

/// A length prefix with any of these bits set cannot stand inside a run.
const NOT_ASCII: u64 = 0x8080_8080_8080_8080;

/// What the walk found so far, over all chunks of the array.
#[derive(Clone, Debug, Default)]
pub(super) struct Verdict {
    /// Strings that are not UTF-8.
    pub(super) invalid: u64,
    /// Index, in the outermost array, of the first element with such a string.
    pub(super) first: Option<u64>,
}

impl Verdict {
    fn note(&mut self, element: u64) {
        self.invalid = self.invalid.saturating_add(1);
        self.first.get_or_insert(element);
    }
}

/// How strings are laid out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) endian: Endian,
    /// 4-byte lengths (version 1).
    pub(super) short: bool,
    /// One NUL after each string.
    pub(super) nul: bool,
}

impl Layout {
    fn prefix(self) -> usize {
        if self.short { 4 } else { 8 }
    }

    /// The length at the start of `rest`, and what follows it.
    fn length(self, rest: &[u8]) -> Option<(u64, &[u8])> {
        if self.short {
            let (head, tail) = rest.split_first_chunk::<4>()?;
            Some((self.endian.u32(*head).into(), tail))
        } else {
            let (head, tail) = rest.split_first_chunk::<8>()?;
            Some((self.endian.u64(*head), tail))
        }
    }

    /// Splits `rest` after one whole string: the string's bytes, and what follows it. `None` when it is not all there
    /// or when a string that must end in NUL does not.
    fn split(self, rest: &[u8]) -> Option<(&[u8], &[u8])> {
        let (len, tail) = self.length(rest)?;
        let (text, tail) = tail.split_at_checked(usize::try_from(len).ok()?)?;
        if !self.nul {
            return Some((text, tail));
        }
        match tail.split_first()? {
            (0, tail) => Some((text, tail)),
            _ => None,
        }
    }
}

/// Walks whole strings at the start of `input`, at most `left` of them; returns how many, and how many bytes they take.
///
/// It stops before the first string that is not all there, is longer than `max_string`, or lacks its NUL; the caller
/// tells which. `done` strings of the array were walked before; `element` is the outermost array's current element when
/// this is a nested array. `marks` takes the positions of every [`Array::STRIDE`]-th string, where it is wanted.
#[allow(clippy::too_many_arguments, reason = "one call site; a struct would only rename them")]
pub(super) fn walk(
    input: &[u8],
    position: u64,
    layout: Layout,
    done: u64,
    left: u64,
    max_string: u64,
    element: Option<u64>,
    check: bool,
    marks: Option<&mut Vec<u64>>,
    verdict: &mut Verdict,
) -> (u64, usize) {
    let mut walk = Walk { input, position, layout, done, max_string, element, check, marks, verdict };
    match (layout.short || layout.nul, layout.endian) {
        (true, _) => walk.run(left, None::<fn([u8; 8]) -> u64>, |rest| {
            let (text, tail) = layout.split(rest)?;
            // Prefixes of 4 bytes and NULs are ASCII under the same condition.
            Some((u64::try_from(text.len()).unwrap_or(u64::MAX), tail))
        }),
        (false, Endian::Little) => walk.run(left, Some(u64::from_le_bytes), |rest| {
            let (head, tail) = rest.split_first_chunk::<8>()?;
            let len = u64::from_le_bytes(*head);
            Some((len, tail.get(usize::try_from(len).ok()?..)?))
        }),
        (false, Endian::Big) => walk.run(left, Some(u64::from_be_bytes), |rest| {
            let (head, tail) = rest.split_first_chunk::<8>()?;
            let len = u64::from_be_bytes(*head);
            Some((len, tail.get(usize::try_from(len).ok()?..)?))
        }),
    }
}

struct Walk<'a, 'b> {
    input: &'a [u8],
    position: u64,
    layout: Layout,
    done: u64,
    max_string: u64,
    element: Option<u64>,
    check: bool,
    marks: Option<&'b mut Vec<u64>>,
    verdict: &'b mut Verdict,
}

impl<'a> Walk<'a, '_> {
    #[inline]
    fn run(
        &mut self,
        left: u64,
        length: Option<impl Fn([u8; 8]) -> u64>,
        step: impl Fn(&'a [u8]) -> Option<(u64, &'a [u8])>,
    ) -> (u64, usize) {
        let mut rest = self.input;
        let mut walked = 0_u64;
        let mut run = (self.input, 0_u64);
        let mut lanes = None;
        // Where a stretch could not be walked side by side, it is walked alone before the next one is tried.
        let mut alone = usize::MAX;
        'blocks: while walked < left {
            if let Some(length) = &length
                && left.saturating_sub(walked) > lanes::MOST
                && rest.len() >= lanes::STRETCH.saturating_add(lanes::SLACK)
                && rest.len() <= alone
                && self.max_string >= 127
            {
                let lanes = lanes.get_or_insert_with(Lanes::new);
                if let Some(taken) = lanes.walk(rest, length) {
                    self.mark_lanes(lanes, rest, self.done.saturating_add(walked));
                    walked = walked.saturating_add(lanes.count());
                    rest = rest.get(taken..).unwrap_or_default();
                    self.judge(run.0, rest, run.1, walked);
                    run = (rest, walked);
                    continue;
                }
                alone = rest.len().saturating_sub(lanes::STRETCH);
            }
            let index = self.done.saturating_add(walked);
            let into = index % Array::STRIDE;
            if into == 0
                && let Some(marks) = self.marks.as_deref_mut()
            {
                let at = self.input.len().saturating_sub(rest.len());
                mark(marks, self.position.saturating_add(at.try_into().unwrap_or(u64::MAX)));
            }
            let block = Array::STRIDE.saturating_sub(into).min(left.saturating_sub(walked));
            let mut in_block = 0;
            while in_block < block {
                let Some((len, tail)) = step(rest) else {
                    walked = walked.saturating_add(in_block);
                    break 'blocks;
                };
                if len & NOT_ASCII != 0 || len > self.max_string {
                    if len > self.max_string {
                        walked = walked.saturating_add(in_block);
                        break 'blocks;
                    }
                    let at = walked.saturating_add(in_block);
                    self.judge(run.0, rest, run.1, at);
                    if self.check
                        && let Some((text, _)) = self.layout.split(rest)
                        && simdutf8::basic::from_utf8(text).is_err()
                    {
                        self.note(at);
                    }
                    run = (tail, at.saturating_add(1));
                }
                rest = tail;
                in_block = in_block.saturating_add(1);
            }
            walked = walked.saturating_add(in_block);
            if run.0.len().saturating_sub(rest.len()) >= RUN {
                self.judge(run.0, rest, run.1, walked);
                run = (rest, walked);
            }
        }
        self.judge(run.0, rest, run.1, walked);
        (walked, self.input.len().saturating_sub(rest.len()))
    }

    /// Takes the marks of a stretch that was walked side by side: `rest` begins with it, `index` is its first string.
    fn mark_lanes(&mut self, lanes: &Lanes, rest: &[u8], index: u64) {
        let Some(marks) = self.marks.as_deref_mut() else { return };
        let at = self.input.len().saturating_sub(rest.len());
        let start = self.position.saturating_add(at.try_into().unwrap_or(u64::MAX));
        lanes.every(Array::STRIDE, index, |begin| mark(marks, start.saturating_add(begin)));
    }

    /// Judges the strings from `from` to `to` (both suffixes of the input), the first of them being the `first`-th of
    /// this call.
    #[inline]
    fn judge(&mut self, from: &[u8], to: &[u8], first: u64, end: u64) {
        let bytes = from.get(..from.len().saturating_sub(to.len())).unwrap_or_default();
        if self.check && !bytes.is_empty() && simdutf8::basic::from_utf8(bytes).is_err() {
            self.judge_each(bytes, first, end);
        }
    }

    #[cold]
    fn judge_each(&mut self, mut bytes: &[u8], first: u64, end: u64) {
        for at in first..end {
            let Some((text, tail)) = self.layout.split(bytes) else { return };
            if simdutf8::basic::from_utf8(text).is_err() {
                self.note(at);
            }
            bytes = tail;
        }
    }

    fn note(&mut self, at: u64) {
        let element = self.element.unwrap_or_else(|| self.done.saturating_add(at));
        self.verdict.note(element);
    }
}

/// Keeps a mark. A string that was cut by the end of a chunk is come to again, and has its mark already.
fn mark(marks: &mut Vec<u64>, position: u64) {
    if marks.last() != Some(&position) {
        marks.push(position);
    }
}

/// Splits `input` after the first `n` strings; `None` when fewer are there.
pub(crate) fn skip(input: &[u8], n: u64, endian: Endian, short: bool, nul: bool) -> Option<&[u8]> {
    let layout = Layout { endian, short, nul };
    let mut rest = input;
    for _ in 0..n {
        rest = layout.split(rest)?.1;
    }
    Some(rest)
}

/// The first string of `input`: its length prefix's size, its bytes, and what follows it.
pub(crate) fn first(input: &[u8], endian: Endian, short: bool, nul: bool) -> Option<(usize, &[u8], &[u8])> {
    let layout = Layout { endian, short, nul };
    let (text, rest) = layout.split(input)?;
    Some((layout.prefix(), text, rest))
}
