//! What is kept beside a file that is changed in place: how it was, so that it can be so again.
//!
//! ```text
//! "ggufkit record 1\n"      17 bytes
//! length of all that follows but itself, u64
//! inode, size, len          u64 each: of the file, its length before and after
//! kind, at, by              u64 each: what is moved; kind 0 nothing, 1 put in, 2 taken out
//! n, then n times at, length, hash   what is written, by position in the new file
//! n, then n times at, length, bytes  what is lost, by position in the old file
//! XXH64 of everything before it, u64
//! ```
//!
//! Numbers are little-endian.

use std::hash::Hasher as _;

use ggufkit_format::{Shift, Span};
use twox_hash::XxHash64;

const MAGIC: &[u8] = b"ggufkit record 1\n";

/// How a file was, and what is done to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Record {
    /// The file by its number, where it has one: what is at its path may be another by the time that this is read.
    pub(super) inode: u64,
    /// Length before.
    pub(super) size: u64,
    /// Length after.
    pub(super) len: u64,
    /// What is moved.
    pub(super) shift: Option<Shift>,
    /// What is written: position in the new file, length and hash.
    pub(super) new: Vec<(Span, u64)>,
    /// What is lost: position in the old file, and the bytes.
    pub(super) lost: Vec<(u64, Vec<u8>)>,
}

/// What a record's bytes are, when they are none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unread {
    /// It was not written to its end. Nothing was done to the file yet.
    Short,
    /// Its bytes are not what was written.
    Damaged,
}

/// The hash by which bytes are known again.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    XxHash64::oneshot(0, bytes)
}

impl Record {
    /// As bytes.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut body = Vec::new();
        let mut put = |n: u64| body.extend_from_slice(&n.to_le_bytes());
        let (kind, span) = match self.shift {
            None => (0, Span::default()),
            Some(Shift::Insert(span)) => (1, span),
            Some(Shift::Remove(span)) => (2, span),
        };
        for n in [self.inode, self.size, self.len, kind, span.start, span.len] {
            put(n);
        }
        put(self.new.len() as u64);
        for (span, hash) in &self.new {
            put(span.start);
            put(span.len);
            put(*hash);
        }
        put(self.lost.len() as u64);
        for (at, bytes) in &self.lost {
            body.extend_from_slice(&at.to_le_bytes());
            body.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
            body.extend_from_slice(bytes);
        }
        let mut out = Vec::with_capacity(body.len().saturating_add(64));
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&(body.len() as u64).saturating_add(8).to_le_bytes());
        out.append(&mut body);
        let mut hasher = XxHash64::with_seed(0);
        hasher.write(&out);
        out.extend_from_slice(&hasher.finish().to_le_bytes());
        out
    }

    /// From bytes.
    pub(super) fn decode(bytes: &[u8]) -> Result<Self, Unread> {
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return Err(if MAGIC.starts_with(bytes) { Unread::Short } else { Unread::Damaged });
        };
        let mut body = Cursor(rest);
        let declared = body.u64().ok_or(Unread::Short)?;
        if (body.0.len() as u64) < declared {
            return Err(Unread::Short);
        }
        let whole = bytes.len().checked_sub(8).and_then(|at| bytes.split_at_checked(at));
        let (hashed, told) = whole.ok_or(Unread::Short)?;
        if body.0.len() as u64 != declared || hash(hashed).to_le_bytes() != told {
            return Err(Unread::Damaged);
        }
        Self::body(&mut body).ok_or(Unread::Damaged)
    }

    fn body(body: &mut Cursor<'_>) -> Option<Self> {
        let (inode, size, len) = (body.u64()?, body.u64()?, body.u64()?);
        let (kind, span) = (body.u64()?, Span::new(body.u64()?, body.u64()?));
        let shift = match kind {
            0 => None,
            1 => Some(Shift::Insert(span)),
            2 => Some(Shift::Remove(span)),
            _ => return None,
        };
        let mut record = Self { inode, size, len, shift, new: Vec::new(), lost: Vec::new() };
        for _ in 0..body.u64()? {
            record.new.push((Span::new(body.u64()?, body.u64()?), body.u64()?));
        }
        for _ in 0..body.u64()? {
            let at = body.u64()?;
            let len = body.u64()?;
            record.lost.push((at, body.take(usize::try_from(len).ok()?)?.to_vec()));
        }
        (body.0.len() == 8).then_some(record)
    }
}

struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(taken)
    }

    fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        Record {
            inode: 7,
            size: 100,
            len: 108,
            shift: Some(Shift::Insert(Span::new(8, 8))),
            new: vec![(Span::new(3, 5), 0x1234)],
            lost: vec![(3, b"lost".to_vec()), (90, Vec::new())],
        }
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        for shift in [None, Some(Shift::Remove(Span::new(16, 8))), record().shift] {
            let record = Record { shift, ..record() };
            assert_eq!(Record::decode(&record.encode()), Ok(record));
        }
    }

    #[test]
    fn a_record_cut_anywhere_is_short_and_one_changed_anywhere_is_damaged() {
        let bytes = record().encode();
        for end in 0..bytes.len() {
            assert_eq!(Record::decode(&bytes[..end]), Err(Unread::Short), "{end}");
        }
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert!(Record::decode(&changed).is_err(), "{at}");
        }
        assert_eq!(Record::decode(b"something else"), Err(Unread::Damaged));
    }
}
