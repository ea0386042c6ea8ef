//! Key-values: which are new, gone, other ones, of another type, elsewhere, or there several times.

use ggufkit_format::Kv;

use super::array::same_value;
use super::order::{pair, still};
use super::{Options, Record, Side};

/// A key-value that both have, with another value or type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KvChange {
    /// Its place among the first's.
    pub a: usize,
    /// Its place among the second's.
    pub b: usize,
    /// Whether the types differ, or those of the elements.
    pub retyped: bool,
}

/// A key that is there more than once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Duplicated {
    /// Its first place among the first's.
    pub a: Option<usize>,
    /// Its first place among the second's.
    pub b: Option<usize>,
    /// How often the first has it.
    pub count_a: u64,
    /// How often the second has it.
    pub count_b: u64,
}

/// What differs in the metadata: places in the lists of the two sides.
#[derive(Clone, Debug, Default)]
pub struct Metadata {
    /// Keys that both have, in the order of the first.
    pub pairs: Vec<(usize, usize)>,
    /// Keys of the first alone.
    pub removed: Vec<usize>,
    /// Keys of the second alone.
    pub added: Vec<usize>,
    /// Keys whose values differ.
    pub changed: Vec<KvChange>,
    /// Keys that stand elsewhere among those that both have: as few as explain the order.
    pub moved: Vec<(usize, usize)>,
    /// Keys that one has more often than the other, at least twice.
    pub duplicated: Vec<Duplicated>,
}

/// Whether two values are written in the same way, and their bytes are the same.
fn same_bytes<'a>(a: &Side<'a>, kv_a: &Record<'a, Kv>, b: &Side<'a>, kv_b: &Record<'a, Kv>) -> bool {
    let (Some(view_a), Some(view_b)) = (a.view(kv_a.file), b.view(kv_b.file)) else { return false };
    let (one, other) = (view_a.index().header(), view_b.index().header());
    let alike = one.endian == other.endian
        && one.length_bytes() == other.length_bytes()
        && one.dialect == other.dialect
        && kv_a.record.value_type == kv_b.record.value_type;
    let bytes = view_a.bytes(kv_a.record.value_span);
    alike && bytes.is_some() && bytes == view_b.bytes(kv_b.record.value_span)
}

impl Metadata {
    pub(super) fn of(a: &mut Side<'_>, b: &mut Side<'_>, options: &Options<'_>) -> Self {
        let paired = pair(&mut a.kvs, &mut b.kvs);
        let mut out = Self { removed: paired.removed, added: paired.added, ..Self::default() };
        for &(at_a, at_b) in &paired.pairs {
            let (Some(kv_a), Some(kv_b)) = (a.kvs.get(at_a), b.kvs.get(at_b)) else { continue };
            let (Some(old), Some(new)) = (a.value(kv_a), b.value(kv_b)) else { continue };
            // Values of one encoding are the same where their bytes are: a vocabulary need not be read string by string.
            if !same_bytes(a, kv_a, b, kv_b) && !same_value(old, new) {
                let element =
                    |value: ggufkit_format::Value<'_>| value.as_array().map(|array| array.element_type());
                let retyped =
                    kv_a.record.value_type != kv_b.record.value_type || element(old) != element(new);
                out.changed.push(KvChange { a: at_a, b: at_b, retyped });
            }
        }
        if !options.semantic {
            let places: Vec<usize> = paired.pairs.iter().map(|pair| pair.1).collect();
            let moved = paired.pairs.iter().zip(still(&places)).filter(|(_, stays)| !stays);
            out.moved = moved.map(|(pair, _)| *pair).collect();
        }
        let differing = paired.several.iter().filter(|one| one.count_a != one.count_b);
        out.duplicated = differing
            .map(|one| Duplicated { a: one.a, b: one.b, count_a: one.count_a, count_b: one.count_b })
            .collect();
        out.pairs = paired.pairs;
        out
    }

    /// Number of differences.
    #[must_use]
    pub fn count(&self) -> u64 {
        (self.removed.len() + self.added.len() + self.changed.len() + self.moved.len()) as u64
    }

    /// Number of keys that are the same in both.
    #[must_use]
    pub fn same(&self) -> u64 {
        self.pairs.len().saturating_sub(self.changed.len()) as u64
    }
}
