//! Values, compared exactly: floats by their bits, arrays by their elements.

use std::collections::HashMap;

use ggufkit_format::{ArrayRef, Scalar, Value};
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Elements between equal ends up to which runs are looked for; the work may grow with their square.
const MOST: usize = 1000;

/// Whether two values are the same: of the same type, floats of the same bits, bools of the same byte.
#[must_use]
pub fn same_value(a: Value<'_>, b: Value<'_>) -> bool {
    match (a, b) {
        (Value::Scalar(a), Value::Scalar(b)) => same_scalar(a, b),
        (Value::String(a), Value::String(b)) => a == b,
        (Value::Array(a), Value::Array(b)) => same_array(a, b),
        _ => false,
    }
}

fn same_scalar(a: Scalar, b: Scalar) -> bool {
    match (a, b) {
        (Scalar::F32(a), Scalar::F32(b)) => a.to_bits() == b.to_bits(),
        (Scalar::F64(a), Scalar::F64(b)) => a.to_bits() == b.to_bits(),
        _ => a == b,
    }
}

fn same_array(a: ArrayRef<'_>, b: ArrayRef<'_>) -> bool {
    if a.element_type() != b.element_type() || a.len() != b.len() {
        return false;
    }
    if a.element_type().fixed_size().is_some() && a.endian() == b.endian() {
        return a.as_bytes() == b.as_bytes();
    }
    a.iter().zip(b.iter()).all(|(a, b)| same_value(a, b))
}

/// Some elements in the place of some others. One of the two numbers may be 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Run {
    /// Where they begin in the first array.
    pub at_a: u64,
    /// How many they are there.
    pub len_a: u64,
    /// Where they begin in the second array.
    pub at_b: u64,
    /// How many they are there.
    pub len_b: u64,
}

/// How two arrays of the same element type differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ArrayDiff {
    /// Position by position, over the length of the shorter; what the longer has more stands behind.
    Positions {
        /// Positions at which the elements differ.
        differing: u64,
    },
    /// Runs of elements were put in, taken out or replaced.
    Runs(Vec<Run>),
}

impl ArrayDiff {
    /// Compares two arrays.
    #[must_use]
    pub fn of(a: ArrayRef<'_>, b: ArrayRef<'_>) -> Self {
        let positions = || {
            let differing = a.iter().zip(b.iter()).filter(|(a, b)| !same_value(*a, *b)).count();
            Self::Positions { differing: differing as u64 }
        };
        if a.len() == b.len() {
            return positions();
        }
        let shorter = a.len().min(b.len());
        let prefix = a.iter().zip(b.iter()).take_while(|(a, b)| same_value(*a, *b)).count() as u64;
        let prefix = prefix.min(shorter);
        let rest = shorter.saturating_sub(prefix);
        let tails = a.iter_from(a.len().saturating_sub(rest)).zip(b.iter_from(b.len().saturating_sub(rest)));
        let last = (0_u64..).zip(tails).filter(|(_, (a, b))| !same_value(*a, *b)).map(|(at, _)| at).last();
        let suffix = match last {
            _ if rest == 0 => 0,
            None => rest,
            Some(last) => rest.saturating_sub(last).saturating_sub(1),
        };
        let middle = |len: u64| len.saturating_sub(prefix).saturating_sub(suffix);
        let (len_a, len_b) = (middle(a.len()), middle(b.len()));
        if len_a == 0 || len_b == 0 {
            return Self::Runs(vec![Run { at_a: prefix, len_a, at_b: prefix, len_b }]);
        }
        let few = |len: u64| usize::try_from(len).ok().filter(|len| *len <= MOST);
        let (Some(few_a), Some(few_b)) = (few(len_a), few(len_b)) else { return positions() };
        // Elements by number: equal ones have the same.
        let mut keys: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut number = |value: Value<'_>| {
            let mut key = Vec::new();
            fingerprint(value, &mut key);
            let next = keys.len();
            *keys.entry(key).or_insert(next)
        };
        let list_a: Vec<usize> = a.iter_from(prefix).take(few_a).map(&mut number).collect();
        let list_b: Vec<usize> = b.iter_from(prefix).take(few_b).map(&mut number).collect();
        let runs = capture_diff_slices(Algorithm::Myers, &list_a, &list_b).into_iter().filter_map(|op| {
            let (at_a, len_a, at_b, len_b) = match op {
                DiffOp::Equal { .. } => return None,
                DiffOp::Delete { old_index, old_len, new_index } => (old_index, old_len, new_index, 0),
                DiffOp::Insert { old_index, new_index, new_len } => (old_index, 0, new_index, new_len),
                DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                    (old_index, old_len, new_index, new_len)
                }
            };
            let place = |at: usize| prefix.saturating_add(at as u64);
            Some(Run { at_a: place(at_a), len_a: len_a as u64, at_b: place(at_b), len_b: len_b as u64 })
        });
        Self::Runs(runs.collect())
    }

    /// Whether at least one element differs; arrays that differ may do so in their length alone.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Positions { differing: 0 })
    }
}

/// The positions at which two arrays differ, up to the length of the shorter, with both elements.
pub fn differing<'a>(
    a: ArrayRef<'a>,
    b: ArrayRef<'a>,
) -> impl Iterator<Item = (u64, Value<'a>, Value<'a>)> + use<'a> {
    let pairs = a.iter().zip(b.iter());
    (0_u64..).zip(pairs).filter(|(_, (a, b))| !same_value(*a, *b)).map(|(at, (a, b))| (at, a, b))
}

/// Bytes that are the same for the same values of one type.
fn fingerprint(value: Value<'_>, out: &mut Vec<u8>) {
    match value {
        Value::Scalar(Scalar::F32(v)) => out.extend(v.to_bits().to_le_bytes()),
        Value::Scalar(Scalar::F64(v)) => out.extend(v.to_bits().to_le_bytes()),
        Value::Scalar(Scalar::Bool(v)) => out.push(v),
        Value::Scalar(Scalar::F16(v)) => out.extend(v.to_le_bytes()),
        Value::Scalar(scalar) => out.extend(scalar.as_integer().unwrap_or(0).to_le_bytes()),
        Value::String(text) => {
            out.extend((text.0.len() as u64).to_le_bytes());
            out.extend(text.0);
        }
        Value::Array(array) => {
            out.extend(array.element_type().0.to_le_bytes());
            out.extend(array.len().to_le_bytes());
            array.iter().for_each(|value| fingerprint(value, out));
        }
    }
}
