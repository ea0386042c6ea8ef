//! Whether a record is about the file that stands at its name by now.
//!
//! A record says which file it is about (its number, and when it was made), and what the change does not touch: hashes of the
//! first of the bytes, of those around each end of the change and at the end of the file, and of some in between. A file
//! that has the number, a length that the change comes through, and all of these bytes, each where it was or where it was to
//! go, becomes the old file by the way back and nothing else. Of what the change does touch every sector has to be the old
//! one or the new one, but for those few in which a process died.

use std::fs::{File, Metadata};
use std::io;

use ggufkit_format::{Shift, Span};

use super::SECTOR;
use super::record::{Hashed, Kept, Record, hash, read_full, read_span};
use crate::platform;

/// Bytes at the beginning of a file that are known again, as far as they stay.
const BEGINNING: u64 = 1 << 20;

/// Bytes around the change and at the end.
const NEAR: u64 = 64 << 10;

/// Bytes at each of [`BETWEEN`] places that lie evenly between.
const FEW: u64 = 4096;
const BETWEEN: u64 = 16;

/// Which file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Id {
    /// Its number; 0 where files have none.
    pub(super) inode: u64,
    /// When it was made: numbers are given out again.
    pub(super) born: (u64, u64),
}

impl Id {
    pub(super) fn of(metadata: &Metadata) -> Self {
        let born = metadata.created().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
        let born = born.map_or((0, 0), |at| (at.as_secs(), u64::from(at.subsec_nanos())));
        Self { inode: platform::inode(metadata), born }
    }

    /// Whether a file with this one may be the same file.
    pub(super) fn is(self, other: Self) -> bool {
        let told = self.born != (0, 0) && other.born != (0, 0);
        self.inode == other.inode && (!told || self.born == other.born)
    }
}

/// The spans of sectors that spans have a part in.
pub(super) fn sectors(spans: &[Span]) -> impl Iterator<Item = Span> {
    spans.iter().flat_map(|span| {
        let span = *span;
        let first = (span.start / SECTOR).saturating_mul(SECTOR);
        let starts = (0..span.end().saturating_sub(first).div_ceil(SECTOR)).filter(move |_| !span.is_empty());
        starts.map(move |n| {
            let start = first.saturating_add(n.saturating_mul(SECTOR));
            Span::between(start.max(span.start), start.saturating_add(SECTOR).min(span.end()))
        })
    })
}

/// The hashes of bytes that are written, sector by sector.
pub(super) fn hashes(writes: &[(u64, Vec<u8>)]) -> Vec<u64> {
    let of = |(at, bytes): &(u64, Vec<u8>)| {
        let span = Span::new(*at, bytes.len() as u64);
        sectors(&[span]).map(|part| hash(part.slice(bytes, *at).unwrap_or_default())).collect::<Vec<_>>()
    };
    writes.iter().flat_map(of).collect()
}

/// What of a file of `size` bytes is known again after a change that loses `lost`; none of the spans has more than a block
/// where blocks are moved.
pub(super) fn stays(
    file: &File,
    size: u64,
    lost: &[Span],
    shift: Option<Shift>,
    block: u64,
) -> io::Result<Vec<(Span, u64)>> {
    let seam = shift.map(|(Shift::Insert(span) | Shift::Remove(span))| span.start);
    let first = lost.first().map_or(size, |span| span.start).min(seam.unwrap_or(size));
    let last = lost.last().map_or(first, |span| span.end()).max(first);
    let mut windows = vec![
        Span::new(0, BEGINNING),
        Span::between(first.saturating_sub(NEAR), first),
        Span::new(last, NEAR),
        Span::between(size.saturating_sub(NEAR), size),
    ];
    let step = (size / BETWEEN.saturating_add(1)) / FEW * FEW;
    windows.extend((1..=BETWEEN).map(|n| Span::new(step.saturating_mul(n), FEW)));
    windows.sort_unstable();
    let mut out = Vec::new();
    let mut done = 0;
    for window in windows {
        let window = Span::between(window.start.max(done), window.end().min(size));
        done = done.max(window.end());
        let mut at = window.start;
        let end = window.end();
        let ends = lost.iter().filter(|span| span.end() > window.start && span.start < end);
        for gap in ends.copied().chain([Span::new(end, 0)]) {
            for part in parts(Span::between(at, gap.start.min(end).max(at)), seam, block) {
                if let Some(hash) = hash_of(file, part)? {
                    out.push((part, hash));
                }
            }
            at = at.max(gap.end());
        }
    }
    Ok(out)
}

/// The parts of a span that move as one.
fn parts(span: Span, seam: Option<u64>, block: u64) -> Vec<Span> {
    let Some(seam) = seam else { return Vec::from_iter((!span.is_empty()).then_some(span)) };
    let block = block.clamp(512, FEW);
    let mut out =
        Vec::from_iter((span.start < seam).then(|| Span::between(span.start, span.end().min(seam))));
    let mut at = span.start.max(seam);
    while at < span.end() {
        let next = (at / block).saturating_add(1).saturating_mul(block).min(span.end());
        out.push(Span::between(at, next));
        at = next;
    }
    out.retain(|span| !span.is_empty());
    out
}

/// The hash of a span; `None` where the file ends within it.
fn hash_of(file: &File, span: Span) -> io::Result<Option<u64>> {
    let mut hashed = Hashed::new();
    let mut buffer = vec![0; usize::try_from(span.len.min(NEAR)).unwrap_or(0)];
    let mut at = span.start;
    while at < span.end() {
        let want = span.end().saturating_sub(at).min(NEAR) as usize;
        let bytes = buffer.get_mut(..want).unwrap_or_default();
        if read_full(file, bytes, at)? < want {
            return Ok(None);
        }
        hashed.add(bytes);
        at = at.saturating_add(want as u64);
    }
    Ok(Some(u64::from_le_bytes(hashed.end())))
}

/// What a file is to a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fit {
    /// The file that it was made for, somewhere between how it was and how it was to be.
    Same,
    /// The file that it was made for by its number, with bytes that the change has not made.
    Unfit,
    /// Another file; true where its bytes are those of the first one all the same, as those of a copy are.
    Other(bool),
}

/// Whether `file` is what a record is about, somewhere between the old file and the new one.
pub(super) fn between(kept: &Kept, file: &File) -> io::Result<Fit> {
    let record = &kept.record;
    let metadata = file.metadata()?;
    let (least, most) = (record.size.min(record.len), record.size.max(record.len));
    let fits = (least..=most).contains(&metadata.len())
        && has_stays(record, file, true)?
        && (record.shift.is_some() || has_sectors(kept, file)?);
    Ok(match record.id.is(Id::of(&metadata)) {
        false => Fit::Other(fits),
        true if fits => Fit::Same,
        true => Fit::Unfit,
    })
}

/// Whether a change that moves nothing and keeps the length has come to `file`: not where each of its sectors is the old one.
pub(super) fn has_begun(kept: &Kept, file: &File) -> io::Result<bool> {
    for span in sectors(&kept.record.new) {
        let now = read_span(file, span)?;
        if now.is_none() || now != kept.old(span)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether `file` is the new file of a record, with nothing else done to it since, as far as can be told.
pub(super) fn is_new(record: &Record, file: &File) -> io::Result<bool> {
    let metadata = file.metadata()?;
    if !record.id.is(Id::of(&metadata)) || record.len != metadata.len() {
        return Ok(false);
    }
    for (span, told) in sectors(&record.new).zip(&record.hashes) {
        if read_span(file, span)?.is_none_or(|bytes| hash(&bytes) != *told) {
            return Ok(false);
        }
    }
    has_stays(record, file, false)
}

/// Whether all that the change does not touch is there: where it was to go, or, where `old` permits that, where it was.
fn has_stays(record: &Record, file: &File, old: bool) -> io::Result<bool> {
    for (span, told) in &record.stays {
        let went = match record.shift {
            Some(Shift::Insert(hole)) if span.start >= hole.start => span.start.saturating_add(hole.len),
            Some(Shift::Remove(hole)) if span.start >= hole.start => span.start.saturating_sub(hole.len),
            _ => span.start,
        };
        let there = |at: u64| Ok::<_, io::Error>(hash_of(file, Span::new(at, span.len))? == Some(*told));
        let is_there = there(went)? || (old && went != span.start && there(span.start)?);
        if !is_there {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether every sector that is written is the old one or the new one, but for few in which somebody was stopped.
fn has_sectors(kept: &Kept, file: &File) -> io::Result<bool> {
    let record = &kept.record;
    let (mut odd, mut all) = (0_usize, 0_usize);
    for (span, told) in sectors(&record.new).zip(&record.hashes) {
        all = all.saturating_add(1);
        let Some(now) = read_span(file, span)? else {
            // The file has not grown so far yet, or is short again.
            odd = odd.saturating_add(usize::from(span.end() <= record.size));
            continue;
        };
        // Behind the old end there were no bytes, and there are zeros where none have come.
        let kept_to = span.end().min(record.size).max(span.start);
        let old = Span::between(span.start, kept_to);
        let (begin, rest) = now.split_at_checked(old.len as usize).unwrap_or((&now, &[]));
        let is_old = rest.iter().all(|byte| *byte == 0)
            && (old.is_empty() || kept.old(old)?.is_some_and(|bytes| bytes == begin));
        odd = odd.saturating_add(usize::from(hash(&now) != *told && !is_old));
    }
    Ok(odd <= 4.min((all / 64).saturating_add(1)) && (odd < all || all == 0 || !record.stays.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sectors_are_those_of_the_file() {
        let all: Vec<_> = sectors(&[Span::new(3, 5), Span::new(510, 516), Span::new(2048, 0)]).collect();
        let expected = [(3, 5), (510, 2), (512, 512), (1024, 2)];
        assert_eq!(all, expected.map(|(at, len)| Span::new(at, len)));
    }

    #[test]
    fn what_is_known_again_is_what_no_change_touches_and_moves_as_one() {
        let file = tempfile::tempfile().unwrap();
        let size = 9_000_000;
        file.set_len(size).unwrap();
        let lost = [Span::new(100, 50), Span::new(2_000_000, 10), Span::new(size - 5, 5)];
        for shift in [None, Some(Shift::Insert(Span::new(8192, 4096)))] {
            let all = stays(&file, size, &lost, shift, 4096).unwrap();
            assert!(all.len() > 15, "{}", all.len());
            assert_eq!((all[0].0, all[1].0.start), (Span::new(0, 100), 150));
            let mut at = 0;
            for (span, _) in all {
                assert!(span.start >= at && !span.is_empty(), "{span}");
                at = span.end();
                assert!(
                    lost.iter().all(|lost| lost.end() <= span.start || span.end() <= lost.start),
                    "{span}"
                );
                let one = span.start / 4096 == (span.end() - 1) / 4096;
                assert!(shift.is_none() || one || span.end() <= 8192, "{span}");
            }
            assert!(at > size - 10);
        }
    }
}
