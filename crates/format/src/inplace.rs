//! What a plan changes in the very file that it is made from.
//!
//! Most of what a changed file is made of stands where it stood, or as many bytes further on as the head has grown. What
//! is left is to be written: [`Plan::in_place`] says what, and which bytes of the file are lost by it, so that whoever
//! carries it out can keep them until it is done.

use alloc::vec::Vec;

use crate::plan::{Piece, Plan};
use crate::span::Span;

/// Bytes that are put into a file, or taken out of it, by moving all that follows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shift {
    /// These bytes of the new file are put in; what stood there follows them.
    Insert(Span),
    /// These bytes of the old file are taken out; what follows them stands there.
    Remove(Span),
}

impl Shift {
    /// Where in the old file a byte of the new one stood; `None` for one that was put in.
    #[must_use]
    pub const fn old_position(self, new: u64) -> Option<u64> {
        match self {
            Self::Insert(span) if span.contains(new) => None,
            Self::Insert(span) if new >= span.start => Some(new.saturating_sub(span.len)),
            Self::Remove(span) if new >= span.start => Some(new.saturating_add(span.len)),
            _ => Some(new),
        }
    }

    /// Length of a file of `size` bytes afterwards.
    #[must_use]
    pub const fn size_after(self, size: u64) -> u64 {
        match self {
            Self::Insert(span) => size.saturating_add(span.len),
            Self::Remove(span) => size.saturating_sub(span.len),
        }
    }
}

/// How a file becomes what a plan makes of it, without being copied.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InPlace {
    /// What is moved first.
    pub shift: Option<Shift>,
    /// What is written then: positions in the new file, in order, and what to put there. A [`Piece::Copy`] is of the old
    /// file and is to be read before anything is done.
    pub writes: Vec<(u64, Piece)>,
    /// The bytes of the old file that are lost, in order, none twice.
    pub lost: Vec<Span>,
    /// Length of the file at the end.
    pub len: u64,
}

impl InPlace {
    /// What is lost of a file of `size` bytes when this is done to it.
    #[must_use]
    pub fn new(shift: Option<Shift>, writes: Vec<(u64, Piece)>, len: u64, size: u64) -> Self {
        let mut how = Self { shift, writes, lost: Vec::new(), len };
        how.lost = lost(&how, size);
        how
    }

    /// Bytes that are written.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.writes.iter().fold(0, |sum, (_, piece)| sum.saturating_add(piece.len()))
    }

    /// Bytes of the old file that stand elsewhere afterwards, in a file of `size` bytes.
    #[must_use]
    pub const fn moved(&self, size: u64) -> u64 {
        match self.shift {
            None => 0,
            Some(Shift::Insert(span)) => size.saturating_sub(span.start),
            Some(Shift::Remove(span)) => size.saturating_sub(span.end()),
        }
    }
}

impl Plan {
    /// How a file of `size` bytes becomes what this plan makes of it, where bytes can be put in and taken out `block` bytes
    /// at a time, on multiples of that; without `block` none are, and what moves is written anew.
    ///
    /// `None` when it cannot be done so: what stays has not moved by whole blocks, the file would change at its end too, or
    /// more than `most` bytes would be written or lost. A file in which bytes move has no other change of length: by its
    /// length alone it can be told what was done to it when the power went.
    ///
    /// ```
    /// use ggufkit_format::{Piece, Plan, Shift, Span};
    ///
    /// // Eight bytes of head become twelve, in blocks of four.
    /// let mut plan = Plan::new();
    /// plan.copy(Span::new(0, 4))?;
    /// plan.literal(b"12345678")?;
    /// plan.copy(Span::new(8, 1000))?;
    /// let how = plan.in_place(1008, Some(4), 100).unwrap();
    /// assert_eq!(how.shift, Some(Shift::Insert(Span::new(8, 4))));
    /// assert_eq!(how.writes, [(4, Piece::Literal(b"12345678".to_vec()))]);
    /// assert_eq!((how.lost, how.len), (vec![Span::new(4, 4)], 1012));
    /// # Ok::<(), ggufkit_format::PlanError>(())
    /// ```
    #[must_use]
    pub fn in_place(&self, size: u64, block: Option<u64>, most: u64) -> Option<InPlace> {
        let mut at = 0_u64;
        let mut placed = Vec::with_capacity(self.pieces().len());
        for piece in self.pieces() {
            placed.push((at, piece));
            at = at.checked_add(piece.len())?;
        }
        let (shift, low) = match block {
            Some(block) => shift(&placed, block)?,
            None => (None, 0),
        };
        if shift.is_some_and(|shift| shift.size_after(size) != self.len()) {
            return None;
        }
        let mut writes = Vec::new();
        for (at, piece) in placed {
            let Piece::Copy(span) = piece else {
                writes.push((at, piece.clone()));
                continue;
            };
            // As much of it as stands where it will.
            let stays = match shift {
                None if span.start == at => span.len,
                Some(Shift::Insert(hole) | Shift::Remove(hole)) if span.start == at => {
                    hole.start.saturating_sub(span.start).min(span.len)
                }
                Some(shift) if span.start >= low && shift.old_position(at) == Some(span.start) => span.len,
                _ => 0,
            };
            let rest = Span::new(span.start.checked_add(stays)?, span.len.checked_sub(stays)?);
            if !rest.is_empty() {
                writes.push((at.checked_add(stays)?, Piece::Copy(rest)));
            }
        }
        let how = InPlace::new(shift, writes, self.len(), size);
        let lost = how.lost.iter().fold(0_u64, |sum, span| sum.saturating_add(span.len));
        (how.written() <= most && lost <= most).then_some(how)
    }
}

/// What is moved so that the longest copy stands where it will, and the first byte of the source that moves with it.
fn shift(placed: &[(u64, &Piece)], block: u64) -> Option<(Option<Shift>, u64)> {
    let copy = |&(at, piece): &(u64, &Piece)| match piece {
        Piece::Copy(span) => Some((at, *span)),
        _ => None,
    };
    let copies: Vec<_> = placed.iter().filter_map(copy).collect();
    let Some((longest, &(to, from))) = copies.iter().enumerate().max_by_key(|(_, (_, span))| span.len) else {
        return Some((None, 0));
    };
    if to == from.start {
        return Some((None, 0));
    }
    // Copies before it that move as far come along: data in which something else is replaced.
    let along = |&&(at, span): &&(u64, Span)| to.wrapping_sub(from.start) == at.wrapping_sub(span.start);
    let low =
        copies.get(..longest)?.iter().rev().take_while(along).last().map_or(from.start, |(_, s)| s.start);
    let whole = low.checked_sub(low.checked_rem(block)?)?;
    let shift = if to > from.start {
        Shift::Insert(Span::new(whole, to.checked_sub(from.start)?))
    } else {
        let by = from.start.checked_sub(to)?;
        Shift::Remove(Span::new(whole.checked_sub(by)?, by))
    };
    let (Shift::Insert(span) | Shift::Remove(span)) = shift;
    (span.len.checked_rem(block)? == 0).then_some((Some(shift), low))
}

/// The bytes of the old file that are written over, taken out, or cut off.
fn lost(how: &InPlace, size: u64) -> Vec<Span> {
    let mut spans = Vec::new();
    let old = |at: u64, len: u64| {
        let end = at.saturating_add(len);
        match how.shift {
            None => [Span::between(at, end), Span::default()],
            Some(shift @ (Shift::Insert(hole) | Shift::Remove(hole))) => {
                // What is written may lie on both sides of the hole.
                let before = Span::between(at, end.min(hole.start));
                let from = match shift {
                    Shift::Insert(hole) => at.max(hole.end()),
                    Shift::Remove(hole) => at.max(hole.start),
                };
                let behind = shift.old_position(from).map(|start| Span::new(start, end.saturating_sub(from)));
                [before, behind.unwrap_or_default()]
            }
        }
    };
    for (at, piece) in &how.writes {
        spans.extend(old(*at, piece.len()));
    }
    if let Some(Shift::Remove(span)) = how.shift {
        spans.push(span);
    }
    let moved = how.shift.map_or(size, |shift| shift.size_after(size));
    spans.extend(old(how.len, moved.saturating_sub(how.len)));
    spans.iter_mut().for_each(|span| *span = Span::between(span.start, span.end().min(size)));
    spans.retain(|span| !span.is_empty());
    spans.sort_unstable();
    let mut merged: Vec<Span> = Vec::new();
    for span in spans {
        match merged.last_mut() {
            Some(last) if last.end() >= span.start => {
                *last = Span::between(last.start, last.end().max(span.end()));
            }
            _ => merged.push(span),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    const BLOCK: u64 = 8;

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

    fn copy(start: u64, len: u64) -> Piece {
        Piece::Copy(Span::new(start, len))
    }

    fn text(text: &str) -> Piece {
        Piece::Literal(text.as_bytes().to_vec())
    }

    fn source() -> Vec<u8> {
        (0..64).map(|i| b'A' + i).collect()
    }

    /// Does what `how` says to the source, and checks that nothing is lost that it does not name.
    fn done(how: &InPlace, source: &[u8]) -> Vec<u8> {
        let mut file = source.to_vec();
        match how.shift {
            Some(Shift::Insert(span)) => {
                let tail = file.split_off(span.start as usize);
                file.resize(span.end() as usize, 0xee);
                file.extend(tail);
            }
            Some(Shift::Remove(span)) => drop(file.drain(span.start as usize..span.end() as usize)),
            None => {}
        }
        for (at, piece) in &how.writes {
            let bytes = match piece {
                Piece::Literal(bytes) => bytes.clone(),
                Piece::Copy(span) => span.slice(source, 0).unwrap().to_vec(),
                Piece::Zeros(n) => vec![0; *n as usize],
            };
            let end = *at as usize + bytes.len();
            if file.len() < end {
                file.resize(end, 0xee);
            }
            file[*at as usize..end].copy_from_slice(&bytes);
        }
        file.truncate(how.len as usize);
        file.resize(how.len as usize, 0xee);
        back(how, source, &file);
        file
    }

    /// The way back, with the lost bytes alone.
    fn back(how: &InPlace, source: &[u8], file: &[u8]) {
        let mut old = file.to_vec();
        let size = how.shift.map_or(source.len() as u64, |shift| shift.size_after(source.len() as u64));
        old.resize(size as usize, 0xdd);
        match how.shift {
            Some(Shift::Insert(span)) => drop(old.drain(span.start as usize..span.end() as usize)),
            Some(Shift::Remove(span)) => {
                let tail = old.split_off(span.start as usize);
                old.resize(span.end() as usize, 0xdd);
                old.extend(tail);
            }
            None => {}
        }
        for span in &how.lost {
            old[span.start as usize..span.end() as usize].copy_from_slice(span.slice(source, 0).unwrap());
        }
        assert_eq!(old, source, "{how:?}");
    }

    #[test]
    fn what_is_done_is_what_was_planned_and_can_be_undone() {
        // What stands between the last whole block and the data is written again on its other side.
        let plans: Vec<(&str, Vec<Piece>, Option<u64>)> = vec![
            ("nothing", vec![copy(0, 64)], Some(0)),
            ("same size", vec![copy(0, 10), text("xyz"), copy(13, 51)], Some(3)),
            ("head grows by a block", vec![copy(0, 10), text("0123456789"), copy(12, 52)], Some(10 + 2)),
            ("head grows by half a block", vec![copy(0, 10), text("012345"), copy(12, 52)], None),
            ("head shrinks by a block", vec![copy(0, 10), text("01"), copy(20, 44)], Some(2 + 2)),
            ("head shrinks below its start", vec![text("0"), copy(9, 55)], Some(1)),
            ("data is patched too", vec![text("01234567"), copy(0, 20), text("!!"), copy(22, 42)], Some(10)),
            ("the end goes", vec![copy(0, 10), text("ab"), copy(12, 30)], Some(2)),
            ("the end grows", vec![copy(0, 64), Piece::Zeros(5), text("end")], Some(8)),
            ("grows at both ends", vec![text("01234567"), copy(0, 64), Piece::Zeros(3)], None),
            ("parts change places", vec![copy(4, 4), copy(0, 4), copy(8, 56)], Some(8)),
            ("all new", vec![text("0123")], Some(4)),
            ("empty", vec![], Some(0)),
        ];
        for (name, pieces, written) in plans {
            let plan = plan(&pieces);
            let how = plan.in_place(64, Some(BLOCK), 64);
            assert_eq!(how.as_ref().map(InPlace::written), written, "{name}");
            if let Some(how) = how {
                assert_eq!(done(&how, &source()), plan.render(&source()).unwrap(), "{name}");
            }
        }
    }

    #[test]
    fn what_would_write_or_lose_too_much_is_not_done_in_place() {
        let rotated = plan(&[copy(30, 34), copy(0, 30)]);
        assert_eq!(rotated.in_place(64, Some(BLOCK), 20), None);
        let cut = plan(&[copy(0, 10)]);
        assert_eq!(cut.in_place(64, Some(BLOCK), 20), None);
        assert_eq!(cut.in_place(64, Some(BLOCK), 54).unwrap().lost, [Span::new(10, 54)]);
    }

    proptest::proptest! {
        #[test]
        fn any_plan_that_can_be_done_in_place_is_done_and_undone(
            pieces in proptest::collection::vec((0_u8..3, 0_u64..64, 0_u64..40), 0..8),
        ) {
            let made: Vec<Piece> = pieces
                .iter()
                .map(|&(kind, start, len)| match kind {
                    0 => Piece::Literal(vec![b'.'; len as usize]),
                    1 => Piece::Zeros(len),
                    _ => copy(start, len.min(64 - start)),
                })
                .collect();
            let plan = plan(&made);
            let hows = [Some(BLOCK), None].map(|block| plan.in_place(64, block, 1000));
            proptest::prop_assert!(hows[1].is_some());
            for how in hows.iter().flatten() {
                proptest::prop_assert_eq!(done(how, &source()), plan.render(&source()).unwrap());
            }
        }
    }
}
