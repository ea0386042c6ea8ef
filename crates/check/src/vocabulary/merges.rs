//! The merge rules of a byte-pair encoding, held against the vocabulary.

use std::collections::HashMap;

use ggufkit_format::Kv;
use ggufkit_inspect::Place;

use super::table::Table;
use super::{Texts, Vocabulary, may_hold_odd_text, strings};
use crate::few::Few;

/// What a merge rule makes or needs that the vocabulary does not hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    /// The piece before the space.
    Left,
    /// The piece behind it.
    Right,
    /// Both pieces as one.
    Result,
}

impl Side {
    /// In words.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Left => "the left piece",
            Self::Right => "the right piece",
            Self::Result => "the result",
        }
    }
}

/// What the merge rules have that they should not.
#[derive(Debug, Default)]
pub(crate) struct Merges {
    /// Rules that are not two pieces with a space between.
    pub(crate) malformed: Few<u32>,
    /// Rules with a piece that is no token.
    pub(crate) unknown: Few<(u32, Side)>,
    /// Rules that occurred before, each after the first like it.
    pub(crate) duplicates: Few<(u32, u32)>,
    /// Number of rules.
    pub(crate) count: u64,
    /// Rules that are not UTF-8.
    pub(crate) not_utf8: Few<u32>,
}

impl Merges {
    pub(super) fn new<'a>(vocabulary: &Vocabulary<'a>, place: &Place<'a, Kv>) -> Option<Self> {
        let rules = Texts::new(place, strings(place)?)?;
        let table = &vocabulary.table;
        let mut found = Self { count: rules.len() as u64, ..Self::default() };
        let mut hashes = Vec::with_capacity(rules.len());
        let mut joined = Vec::new();
        let odd_texts = may_hold_odd_text(place);
        for (number, rule) in rules.iter() {
            if odd_texts && core::str::from_utf8(rule).is_err() {
                found.not_utf8.push(number);
            }
            hashes.push(table.hash(rule));
            let Some((left, right)) = pieces(rule) else {
                found.malformed.push(number);
                continue;
            };
            joined.clear();
            joined.extend_from_slice(left);
            joined.extend_from_slice(right);
            // The result first: it is the one that is missing when a vocabulary was cut. All three are looked up before
            // any is judged, so that the look-ups wait for memory together.
            let known = [joined.as_slice(), left, right].map(|piece| table.has_hash(table.hash(piece)));
            let missing =
                known.into_iter().zip([Side::Result, Side::Left, Side::Right]).find(|(known, _)| !known);
            if let Some((_, side)) = missing {
                found.unknown.push((number, side));
            }
        }
        found.find_duplicates(&rules, table, hashes);
        Some(found)
    }

    /// Rules that occurred before. `hashes` are theirs.
    fn find_duplicates(&mut self, rules: &Texts<'_>, table: &Table, mut hashes: Vec<u64>) {
        hashes.sort_unstable();
        let mut again: HashMap<u64, Option<u32>> =
            hashes.array_windows().filter(|[a, b]| a == b).map(|[a, _]| (*a, None)).collect();
        if again.is_empty() {
            return;
        }
        for (number, rule) in rules.iter() {
            match again.get_mut(&table.hash(rule)) {
                Some(Some(first)) if rules.get(*first) == rule => self.duplicates.push((*first, number)),
                Some(first @ None) => *first = Some(number),
                _ => {}
            }
        }
    }
}

/// The two pieces of a merge rule. A piece may begin with a space, so the first byte does not part them.
pub(crate) fn pieces(rule: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = rule.iter().skip(1).position(|byte| *byte == b' ')? + 1;
    let (left, right) = (rule.get(..at)?, rule.get(at + 1..)?);
    (!right.is_empty()).then_some((left, right))
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn a_rule_is_two_pieces() {
        assert_eq!(pieces(b"a b"), Some((&b"a"[..], &b"b"[..])));
        assert_eq!(pieces(b"  b"), Some((&b" "[..], &b"b"[..])));
        for broken in [&b""[..], b"a", b"ab", b"a ", b" a", b" "] {
            assert_eq!(pieces(broken), None);
        }
    }
}
