//! Suggestions for keys that are not known: which known one was perhaps meant.

use alloc::vec::Vec;

use super::{ARCH, KEYS, lookup};
use crate::edits::{MOST_EDITS, edits};

/// Longest key, in bytes, that suggestions are made for. Known keys are shorter than 80.
const LONGEST: usize = 96;

/// Patterns that differ from the key by a few typing errors, the closest first, at most `max` of them.
///
/// Counted as one error each: a byte too many, too few or wrong, two neighbours swapped, and a first segment
/// that belongs to another namespace (`general.block_count`) or is missing (`block_count`). Upper case is not
/// an error worth counting. A key of few bytes is allowed fewer errors. Known keys and keys above 96 bytes
/// get no suggestions.
///
/// The cost is bounded, a fraction of a millisecond; a caller that shows many unknown keys should still ask
/// only for those it shows.
pub fn near(key: &[u8], max: usize) -> Vec<&'static str> {
    let mut found: Vec<(u8, &'static str)> = Vec::new();
    if max == 0 || key.is_empty() || lookup(key).is_some() {
        return Vec::new();
    }
    let Some(key) = Normal::new(key) else { return Vec::new() };
    let whole = key.bytes();
    let after_first = whole.iter().position(|&b| b == b'.').and_then(|dot| whole.split_at_checked(dot));
    let (first, rest) = match after_first {
        Some((first, rest)) => (first, rest.strip_prefix(b".").unwrap_or(rest)),
        None => (whole.get(..0).unwrap_or_default(), whole),
    };
    // Any name will do for an architecture, but another namespace in its place, or nothing, is an error.
    let prefix_cost = u8::from(first.is_empty() || is_namespace(first));
    for info in KEYS {
        let distance = match info.pattern.strip_prefix(ARCH) {
            Some(suffix) => edits(rest, suffix.as_bytes()).map(|d| d.saturating_add(prefix_cost)),
            None => edits(whole, info.pattern.as_bytes()),
        };
        if let Some(d) = distance.filter(|&d| d <= MOST_EDITS) {
            found.push((d, info.pattern));
        }
    }
    // Stable, so that equally close ones stay in the order of the table.
    found.sort_by_key(|&(d, _)| d);
    found.truncate(max);
    found.into_iter().map(|(_, pattern)| pattern).collect()
}

fn is_namespace(first: &[u8]) -> bool {
    super::RESERVED.contains(&first) || first == b"clip"
}

/// A key in lower case with its decimal segments written `{i}`, as patterns have them.
struct Normal {
    bytes: [u8; LONGEST],
    len: usize,
}

impl Normal {
    fn new(key: &[u8]) -> Option<Self> {
        let mut normal = Normal { bytes: [0; LONGEST], len: 0 };
        // Checked before splitting, so that a key of a gigabyte costs nothing.
        if key.len() > LONGEST {
            return None;
        }
        for (i, segment) in key.split(|&b| b == b'.').enumerate() {
            if i > 0 {
                normal.push(b".")?;
            }
            if !segment.is_empty() && segment.iter().all(u8::is_ascii_digit) {
                normal.push(b"{i}")?;
            } else {
                normal.push(segment)?;
            }
        }
        normal.bytes.make_ascii_lowercase();
        Some(normal)
    }

    fn push(&mut self, bytes: &[u8]) -> Option<()> {
        let end = self.len.checked_add(bytes.len())?;
        self.bytes.get_mut(self.len..end)?.copy_from_slice(bytes);
        self.len = end;
        Some(())
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}
