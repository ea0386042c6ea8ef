//! The merge rules of a byte-pair encoding, held against the vocabulary.

use ggufkit_format::Kv;
use ggufkit_inspect::Place;

use super::table::Table;
use super::{Texts, Vocabulary, strings};
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
        let mut table = Table::with_room_for(rules.len());
        let mut found = Self { count: rules.len() as u64, ..Self::default() };
        let mut joined = Vec::new();
        for (number, rule) in rules.iter() {
            if !rule.is_ascii() && core::str::from_utf8(rule).is_err() {
                found.not_utf8.push(number);
            }
            let Some((left, right)) = pieces(rule) else {
                found.malformed.push(number);
                continue;
            };
            if let Some(before) = table.insert(rule, number, |number| rules.get(number)) {
                found.duplicates.push((before, number));
                continue;
            }
            joined.clear();
            joined.extend_from_slice(left);
            joined.extend_from_slice(right);
            // The result first: it is the one that is missing when a vocabulary was cut.
            let missing = [(Side::Result, joined.as_slice()), (Side::Left, left), (Side::Right, right)]
                .into_iter()
                .find(|(_, piece)| vocabulary.find(piece).is_none());
            if let Some((side, _)) = missing {
                found.unknown.push((number, side));
            }
        }
        Some(found)
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
