//! What is kept beside a file that is changed in place: how it was, so that it can be so again.
//!
//! ```text
//! "ggufkit record 3"        16 bytes
//! armed                     8 bytes: zeros until all that follows is on the disk, then "is whole"
//! length of all that follows but itself, u64
//! change, files, time       u64 each: what the changes of one call have in common; how many files of the model they are
//!                           in; seconds since 1970
//! inode, born, and          u64 each: the file by its number, and when it was made (seconds, nanoseconds; 0 where nobody
//!                           tells)
//! size, len                 u64 each: of the file, before and after
//! kind, at, by              u64 each: what is moved; kind 0 nothing, 1 put in, 2 taken out
//! n, then n times at, length, hash    what the change does not touch, by position in the old file
//! n, then n times at, length          what is written, by position in the new file
//! n, then n times hash                the same, sector by sector
//! n, then n times at, length          what is lost, by position in the old file
//! the bytes that are lost, in order
//! XXH64 of everything before it, u64, the armed bytes taken for zeros
//! ```
//!
//! Numbers are little-endian. The bytes that are lost may be many: they are written as they are read and read as they are
//! written back, and never stand in memory all together.

use std::fs::File;
use std::hash::Hasher as _;
use std::io;

use ggufkit_format::{InPlace, Piece, Shift, Span};
use twox_hash::XxHash64;

use super::proof::{Id, sectors};
use crate::platform;

const MAGIC: &[u8; 16] = b"ggufkit record 3";

/// Where the word stands that a record is whole, and the word.
pub(super) const ARMED: (u64, &[u8; 8]) = (16, b"is whole");

/// Bytes before the body: those words, and the body's length.
const HEAD: u64 = 32;

/// Bytes that are read at once.
const STEP: usize = 1 << 20;

/// Bytes of numbers that a record may hold before what is lost: there is no call for more.
const MOST: u64 = 256 << 20;

/// How a file was, and what is done to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Record {
    /// What all changes of one call have in common.
    pub(super) change: u64,
    /// How many files of the model they are in.
    pub(super) files: u64,
    /// When, in seconds since 1970.
    pub(super) time: u64,
    /// Which file: what is at its path may be another by the time that this is read.
    pub(super) id: Id,
    /// Length before.
    pub(super) size: u64,
    /// Length after.
    pub(super) len: u64,
    /// What is moved.
    pub(super) shift: Option<Shift>,
    /// What is not touched: position in the old file, and hash.
    pub(super) stays: Vec<(Span, u64)>,
    /// What is written, by position in the new file.
    pub(super) new: Vec<Span>,
    /// The hashes of what is written, sector by sector.
    pub(super) hashes: Vec<u64>,
    /// What is lost, by position in the old file.
    pub(super) lost: Vec<Span>,
}

/// What a record's bytes are, when they are none.
#[derive(Debug)]
pub(super) enum Unread {
    /// It was not written to its end. Nothing was done to the file yet.
    Short,
    /// Its bytes are not what was written.
    Damaged,
    /// It cannot be read.
    Io(io::Error),
}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// The hash by which bytes are known again.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    XxHash64::oneshot(0, bytes)
}

/// Bytes of spans.
fn total(spans: &[Span]) -> u64 {
    spans.iter().fold(0, |sum, span| sum.saturating_add(span.len))
}

impl Record {
    /// Bytes that are lost.
    pub(super) fn lost_bytes(&self) -> u64 {
        total(&self.lost)
    }

    /// Everything before the bytes that are lost.
    pub(super) fn head(&self) -> Vec<u8> {
        let mut body: Vec<u8> = Vec::new();
        let mut put = |n: u64| body.extend_from_slice(&n.to_le_bytes());
        let (kind, span) = match self.shift {
            None => (0, Span::default()),
            Some(Shift::Insert(span)) => (1, span),
            Some(Shift::Remove(span)) => (2, span),
        };
        for n in [self.change, self.files, self.time, self.id.inode, self.id.born.0, self.id.born.1] {
            put(n);
        }
        for n in [self.size, self.len, kind, span.start, span.len] {
            put(n);
        }
        put(self.stays.len() as u64);
        for (span, hash) in &self.stays {
            [span.start, span.len, *hash].into_iter().for_each(&mut put);
        }
        put(self.new.len() as u64);
        for span in &self.new {
            [span.start, span.len].into_iter().for_each(&mut put);
        }
        put(self.hashes.len() as u64);
        self.hashes.iter().copied().for_each(&mut put);
        put(self.lost.len() as u64);
        for span in &self.lost {
            [span.start, span.len].into_iter().for_each(&mut put);
        }
        let len = (body.len() as u64).saturating_add(self.lost_bytes()).saturating_add(8);
        let mut out = Vec::with_capacity(body.len().saturating_add(32));
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&[0; 8]);
        out.extend_from_slice(&len.to_le_bytes());
        out.append(&mut body);
        out
    }

    /// Whether it says what a change says: all that is written over, taken out or cut off is kept, and nothing else; so the
    /// way back from it makes no byte that is not in it.
    fn is_sound(&self) -> bool {
        let fits = match self.shift {
            None => true,
            Some(shift @ (Shift::Insert(span) | Shift::Remove(span))) => {
                let (fits, end) = match shift {
                    Shift::Insert(_) => (self.size.checked_add(span.len), self.len),
                    Shift::Remove(_) => (self.size.checked_sub(span.len), self.size),
                };
                let inside = span.start.checked_add(span.len).is_some_and(|inside| inside <= end);
                fits == Some(self.len) && inside && !span.is_empty()
            }
        };
        let mut at = 0;
        let in_order = self.new.iter().all(|span| {
            let good =
                span.start >= at && span.start.checked_add(span.len).is_some_and(|end| end <= self.len);
            at = span.end();
            good
        });
        if !fits || !in_order || sectors(&self.new).count() != self.hashes.len() {
            return false;
        }
        let writes = self.new.iter().map(|span| (span.start, Piece::Zeros(span.len))).collect();
        InPlace::new(self.shift, writes, self.len, self.size).lost == self.lost
    }
}

/// Makes the bytes of a record out of its parts, and its hash.
pub(super) struct Hashed(XxHash64);

impl Hashed {
    pub(super) fn new() -> Self {
        Self(XxHash64::with_seed(0))
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    pub(super) fn end(self) -> [u8; 8] {
        self.0.finish().to_le_bytes()
    }
}

/// A record that was read, and the file that has the bytes.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) record: Record,
    pub(super) file: File,
    /// Where in that file the bytes begin that are lost.
    bytes_at: u64,
}

impl Kept {
    /// Reads what a file has; `armed` refuses one that nobody said was whole.
    pub(super) fn read(file: File, armed: bool) -> Result<Self, Unread> {
        let mut head = [0; HEAD as usize];
        let there = read_full(&file, &mut head, 0)?;
        let (magic, rest) = head.split_at(16);
        let (word, declared) = rest.split_at(8);
        let is_armed = word == ARMED.1;
        // Until it is armed what is not there yet is cut off, or zeros.
        let begun = MAGIC.iter().zip(magic).all(|(a, b)| a == b || *b == 0);
        if !is_armed && (!begun || word.iter().any(|byte| *byte != 0)) {
            return Err(Unread::Damaged);
        }
        if !is_armed && armed {
            return Err(Unread::Short);
        }
        let unread = || if is_armed { Unread::Damaged } else { Unread::Short };
        let declared = u64::from_le_bytes(declared.try_into().map_err(|_| unread())?);
        let size = file.metadata()?.len();
        if magic != MAGIC || there < head.len() || HEAD.checked_add(declared) != Some(size) || declared < 8 {
            return Err(unread());
        }
        if !is_whole(&file, size.saturating_sub(8))? {
            return Err(unread());
        }
        let mut cursor = Cursor { file: &file, at: HEAD, end: size.saturating_sub(8) };
        let (record, bytes_at) = cursor.record()?.ok_or_else(unread)?;
        let sound = record.is_sound() && bytes_at.checked_add(record.lost_bytes()) == Some(cursor.end);
        if sound { Ok(Self { record, file, bytes_at }) } else { Err(unread()) }
    }

    /// Hands the bytes that are lost out, in pieces: where they stood, and what they are.
    ///
    /// # Errors
    /// The system's, and those of `put`.
    pub(super) fn each_lost(&self, put: &mut dyn FnMut(u64, &[u8]) -> io::Result<()>) -> io::Result<()> {
        let mut from = self.bytes_at;
        let mut buffer = vec![0; STEP.min(usize::try_from(self.record.lost_bytes()).unwrap_or(STEP))];
        for span in &self.record.lost {
            let mut at = span.start;
            while at < span.end() {
                let want = span.end().saturating_sub(at).min(buffer.len() as u64) as usize;
                let bytes = buffer.get_mut(..want).unwrap_or_default();
                if read_full(&self.file, bytes, from)? < want {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                put(at, bytes)?;
                at = at.saturating_add(want as u64);
                from = from.saturating_add(want as u64);
            }
        }
        Ok(())
    }

    /// What stood in this span of the old file, as far as it is kept; nothing where not all of it is.
    pub(super) fn old(&self, span: Span) -> io::Result<Option<Vec<u8>>> {
        let mut from = self.bytes_at;
        for lost in &self.record.lost {
            if lost.start <= span.start && span.end() <= lost.end() {
                let inside = span.start.saturating_sub(lost.start);
                return read_span(&self.file, Span::new(from.saturating_add(inside), span.len));
            }
            from = from.saturating_add(lost.len);
        }
        Ok(None)
    }
}

/// Whether the bytes before `end` have the hash that stands there.
fn is_whole(file: &File, end: u64) -> io::Result<bool> {
    let mut hashed = Hashed::new();
    let mut buffer = vec![0; STEP];
    let mut at = 0;
    while at < end {
        let want = end.saturating_sub(at).min(STEP as u64) as usize;
        let bytes = buffer.get_mut(..want).unwrap_or_default();
        if read_full(file, bytes, at)? < want {
            return Ok(false);
        }
        if at == 0 {
            bytes.iter_mut().skip(16).take(8).for_each(|byte| *byte = 0);
        }
        hashed.add(bytes);
        at = at.saturating_add(want as u64);
    }
    let mut told = [0; 8];
    Ok(read_full(file, &mut told, end)? == told.len() && told == hashed.end())
}

/// Reads numbers one after the other.
struct Cursor<'a> {
    file: &'a File,
    at: u64,
    end: u64,
}

impl Cursor<'_> {
    /// So many numbers, where there are so many.
    fn numbers(&mut self, n: u64) -> io::Result<Option<Vec<u64>>> {
        let Some(len) = n.checked_mul(8).filter(|len| *len <= self.end.saturating_sub(self.at).min(MOST))
        else {
            return Ok(None);
        };
        let Some(bytes) = read_span(self.file, Span::new(self.at, len))? else { return Ok(None) };
        self.at = self.at.saturating_add(len);
        let number = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
        Ok(Some(bytes.chunks_exact(8).map(number).collect()))
    }

    /// A table: how many rows, then the rows.
    fn table<const N: usize>(&mut self) -> io::Result<Option<Vec<[u64; N]>>> {
        let Some([rows]) = self.fixed()? else { return Ok(None) };
        let Some(numbers) = rows.checked_mul(N as u64).map(|n| self.numbers(n)).transpose()?.flatten() else {
            return Ok(None);
        };
        Ok(Some(numbers.chunks_exact(N).filter_map(|row| row.try_into().ok()).collect()))
    }

    fn fixed<const N: usize>(&mut self) -> io::Result<Option<[u64; N]>> {
        Ok(self.numbers(N as u64)?.and_then(|numbers| numbers.try_into().ok()))
    }

    fn record(&mut self) -> io::Result<Option<(Record, u64)>> {
        let Some([change, files, time, inode, born, nanos]) = self.fixed()? else { return Ok(None) };
        let Some([size, len, kind, at, by]) = self.fixed()? else { return Ok(None) };
        let shift = match kind {
            0 => None,
            1 => Some(Shift::Insert(Span::new(at, by))),
            2 => Some(Shift::Remove(Span::new(at, by))),
            _ => return Ok(None),
        };
        let (Some(stays), Some(new), Some(hashes), Some(lost)) =
            (self.table::<3>()?, self.table::<2>()?, self.table::<1>()?, self.table::<2>()?)
        else {
            return Ok(None);
        };
        let span = |[at, len]: [u64; 2]| Span::new(at, len);
        let record = Record {
            change,
            files,
            time,
            id: Id { inode, born: (born, nanos) },
            size,
            len,
            shift,
            stays: stays.into_iter().map(|[at, len, hash]| (Span::new(at, len), hash)).collect(),
            new: new.into_iter().map(span).collect(),
            hashes: hashes.into_iter().map(|[hash]| hash).collect(),
            lost: lost.into_iter().map(span).collect(),
        };
        Ok(Some((record, self.at)))
    }
}

/// Reads until the buffer is full or the file ends.
pub(super) fn read_full(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match platform::read_at(file, rest, at.saturating_add(filled as u64)) {
            Ok(0) => break,
            Ok(n) => filled = filled.saturating_add(n),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// The bytes of a span; `None` where the file ends within it.
pub(super) fn read_span(file: &File, span: Span) -> io::Result<Option<Vec<u8>>> {
    // Before there is memory for it: what a number says may be longer than what is there.
    if span.start.checked_add(span.len).is_none_or(|end| end > file.metadata().map_or(u64::MAX, |m| m.len()))
    {
        return Ok(None);
    }
    let mut bytes = vec![0; usize::try_from(span.len).map_err(io::Error::other)?];
    Ok((read_full(file, &mut bytes, span.start)? == bytes.len()).then_some(bytes))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn record() -> Record {
        Record {
            change: 9,
            files: 3,
            time: 10,
            id: Id { inode: 7, born: (11, 12) },
            size: 5000,
            len: 5008,
            shift: Some(Shift::Insert(Span::new(8, 8))),
            stays: vec![(Span::new(0, 3), 0x55)],
            new: vec![Span::new(3, 5), Span::new(510, 4)],
            hashes: vec![1, 2, 3],
            lost: vec![Span::new(3, 5), Span::new(502, 4)],
        }
    }

    fn bytes(record: &Record, armed: bool) -> Vec<u8> {
        let mut out = record.head();
        out.extend(std::iter::repeat_n(b'x', record.lost_bytes() as usize));
        let mut hashed = Hashed::new();
        hashed.add(&out);
        out.extend(hashed.end());
        if armed {
            out[16..24].copy_from_slice(ARMED.1);
        }
        out
    }

    fn read(bytes: &[u8], armed: bool) -> Result<Kept, Unread> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        Kept::read(file, armed)
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let removed = Record {
            len: 4992,
            shift: Some(Shift::Remove(Span::new(16, 8))),
            new: vec![Span::new(3, 5)],
            hashes: vec![1],
            lost: vec![Span::new(3, 5), Span::new(16, 8)],
            ..record()
        };
        let cut = Record {
            len: 600,
            shift: None,
            lost: vec![Span::new(3, 5), Span::new(510, 4), Span::new(600, 4400)],
            ..record()
        };
        for record in [record(), removed, cut] {
            let kept = read(&bytes(&record, true), true).unwrap();
            assert_eq!(kept.record, record);
            assert_eq!(kept.old(Span::new(4, 2)).unwrap().unwrap(), b"xx");
            assert_eq!(kept.old(Span::new(7, 2)).unwrap(), None);
            assert!(matches!(read(&bytes(&record, false), true), Err(Unread::Short)));
            assert_eq!(read(&bytes(&record, false), false).unwrap().record, record);
        }
    }

    #[test]
    fn a_record_that_nobody_called_whole_is_short_however_much_of_it_is_there() {
        let whole = bytes(&record(), false);
        for end in 0..whole.len() {
            assert!(matches!(read(&whole[..end], true), Err(Unread::Short)), "{end}");
            // As long as it is to be, and zeros from here on: what file systems leave that allocate late.
            let mut zeros = whole.clone();
            zeros[end..].fill(0);
            assert!(matches!(read(&zeros, true), Err(Unread::Short)), "{end}");
        }
        assert!(matches!(read(b"something else", true), Err(Unread::Damaged)));
    }

    #[test]
    fn one_that_was_called_whole_and_is_not_is_damaged() {
        let whole = bytes(&record(), true);
        for end in 24..whole.len() {
            assert!(matches!(read(&whole[..end], true), Err(Unread::Damaged)), "{end}");
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            assert!(matches!(read(&changed, true), Err(Unread::Damaged)), "{at}");
        }
    }

    #[test]
    fn a_record_whose_way_back_would_make_bytes_up_is_damaged() {
        let good = record();
        for (what, bad) in [
            ("more length than is kept", Record { size: 1 << 40, ..good.clone() }),
            ("less is kept than is written over", Record { lost: vec![Span::new(3, 5)], ..good.clone() }),
            (
                "other bytes are kept",
                Record { lost: vec![Span::new(2, 5), Span::new(502, 4)], ..good.clone() },
            ),
            ("out of order", Record { new: vec![Span::new(510, 4), Span::new(3, 5)], ..good.clone() }),
            ("written behind the end", Record { len: 100, shift: None, ..good.clone() }),
            (
                "a move of nothing",
                Record { shift: Some(Shift::Insert(Span::new(8, 0))), len: 5000, ..good.clone() },
            ),
            (
                "a move of the whole world",
                Record { shift: Some(Shift::Insert(Span::new(8, u64::MAX))), ..good },
            ),
        ] {
            assert!(matches!(read(&bytes(&bad, true), true), Err(Unread::Damaged)), "{what}");
        }
        let grown = Record {
            size: 1 << 40,
            len: 5000,
            shift: None,
            new: vec![],
            hashes: vec![],
            lost: vec![],
            ..record()
        };
        assert!(matches!(read(&bytes(&grown, true), true), Err(Unread::Damaged)));
    }
}
