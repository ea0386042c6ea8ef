//! The older form, `.dat`: a count, and for each tensor its name, calls and numbers; then, perhaps, chunks and a data set.

use std::collections::BTreeMap;

use ggufkit_format::Span;
use ggufkit_io::{FileSource, read_full};

use super::{Counts, Entry, ImportanceError, ImportanceMatrix, length};

/// Bytes that a name has at most.
const LONGEST_NAME: u64 = 4096;

/// Goes through a file, a number at a time.
struct Cursor<'a> {
    source: &'a FileSource,
    at: u64,
    end: u64,
}

impl Cursor<'_> {
    /// The place of so many bytes, which are all there.
    fn skip(&mut self, len: u64) -> Result<Span, ImportanceError> {
        let span = Span::new(self.at, len);
        if len > self.end.saturating_sub(self.at) {
            return Err(ImportanceError::Ended { offset: self.at, needed: len });
        }
        self.at = span.end();
        Ok(span)
    }

    fn number(&mut self) -> Result<i32, ImportanceError> {
        let span = self.skip(4)?;
        let mut bytes = [0; 4];
        read_full(self.source, &mut bytes, span.start)?;
        Ok(i32::from_le_bytes(bytes))
    }

    /// A number that is a count, from 1 to `most`.
    fn count(&mut self, what: &'static str, most: u64) -> Result<u64, ImportanceError> {
        let offset = self.at;
        let found = self.number()?;
        let wrong = || ImportanceError::Count { what, found: i64::from(found), offset };
        u64::try_from(found).ok().filter(|count| (1..=most).contains(count)).ok_or_else(wrong)
    }

    fn text(&mut self, len: u64) -> Result<Vec<u8>, ImportanceError> {
        let span = self.skip(len)?;
        let mut bytes = vec![0; usize::try_from(len).unwrap_or(0)];
        read_full(self.source, &mut bytes, span.start)?;
        Ok(bytes)
    }
}

pub(super) fn read(source: FileSource) -> Result<ImportanceMatrix, ImportanceError> {
    let end = length(&source)?;
    let mut cursor = Cursor { source: &source, at: 0, end };
    let mut entries = BTreeMap::new();
    // An entry has 13 bytes and more.
    let tensors = cursor.count("tensors", end / 13)?;
    for _ in 0..tensors {
        let len = cursor.count("bytes of a name", LONGEST_NAME)?;
        let mut name = cursor.text(len)?;
        // Written with its end by some.
        let used = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
        name.truncate(used);
        let offset = cursor.at;
        let calls = cursor.number()?;
        if calls < 0 {
            return Err(ImportanceError::Count { what: "calls", found: i64::from(calls), offset });
        }
        let numbers = cursor.count("numbers", u64::MAX)?;
        let sums = cursor.skip(numbers.saturating_mul(4))?;
        let entry = Entry { sums, counts: Counts::Calls(calls) };
        if let Some(_first) = entries.insert(name.clone(), entry) {
            return Err(ImportanceError::Pair { name, why: "it is there twice" });
        }
    }
    let mut chunks = None;
    let mut datasets = Vec::new();
    if cursor.at < end {
        chunks = u32::try_from(cursor.number()?).ok().filter(|chunks| *chunks > 0);
        if cursor.at < end {
            let len = cursor.number()?;
            if let Ok(len @ 1..) = u64::try_from(len) {
                datasets.push(cursor.text(len.min(LONGEST_NAME))?);
                cursor.skip(len.saturating_sub(LONGEST_NAME))?;
            }
        }
    }
    if cursor.at < end {
        return Err(ImportanceError::Trailing { offset: cursor.at, bytes: end.saturating_sub(cursor.at) });
    }
    Ok(ImportanceMatrix { source, entries, datasets, chunks, big_endian: false })
}
