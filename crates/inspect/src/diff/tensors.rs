//! Tensors: which are new, gone, of another type or shape, elsewhere, and what became of their data.

use std::collections::BTreeMap;

use super::order::{pair, still};
use super::{Options, Side};

/// What is known of the data of a tensor that both have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Data {
    /// Nothing: nobody looked, or it is of another type or size.
    Unknown,
    /// It could not be compared, and why.
    NotCompared(String),
    /// The bytes are the same, or the values where the byte orders differ.
    Same,
    /// They differ.
    Differs(Box<DataDifference>),
}

/// How data differs.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct DataDifference {
    /// Bytes that differ.
    pub bytes: u64,
    /// Bytes that were compared.
    pub of_bytes: u64,
    /// Blocks that differ: single elements where the type has no blocks.
    pub blocks: u64,
    /// Blocks that were compared.
    pub of_blocks: u64,
    /// The first byte that differs, counted from the tensor's first.
    pub first: u64,
    /// The block that holds it.
    pub first_block: u64,
    /// Position of that byte in the first file.
    pub at_a: u64,
    /// Position of that byte in the second file.
    pub at_b: u64,
    /// The first value or bytes that differ, as they are shown.
    pub a: String,
    /// The same of the second file.
    pub b: String,
    /// Bytes of the tensor that the first file does not have.
    pub missing_a: u64,
    /// Bytes of the tensor that the second file does not have.
    pub missing_b: u64,
}

/// A tensor that both have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TensorChange {
    /// Its place among the first's.
    pub a: usize,
    /// Its place among the second's.
    pub b: usize,
    /// Whether the types differ.
    pub retyped: bool,
    /// Whether the shapes differ.
    pub reshaped: bool,
    /// What is known of the data.
    pub data: Data,
}

impl TensorChange {
    /// Whether something is known to differ.
    #[must_use]
    pub fn differs(&self) -> bool {
        self.retyped || self.reshaped || matches!(self.data, Data::Differs(_))
    }
}

/// Tensors of one type and shape: places in the first list, and in the second.
pub type Candidates = (Vec<usize>, Vec<usize>);

/// What differs in the tensors: places in the lists of the two sides.
#[derive(Clone, Debug, Default)]
pub struct Tensors {
    /// Tensors that both have, in the order of the first.
    pub pairs: Vec<TensorChange>,
    /// Tensors of the first alone.
    pub removed: Vec<usize>,
    /// Tensors of the second alone.
    pub added: Vec<usize>,
    /// Tensors that have another name: same type, same shape, same data.
    pub renamed: Vec<(usize, usize)>,
    /// Tensors that stand elsewhere in the table: as few as explain the order.
    pub moved: Vec<(usize, usize)>,
}

impl Tensors {
    pub(super) fn of(a: &mut Side<'_>, b: &mut Side<'_>, options: &Options<'_>) -> Self {
        let paired = pair(&mut a.tensors, &mut b.tensors);
        let mut out = Self { removed: paired.removed, added: paired.added, ..Self::default() };
        if !options.tensors {
            (out.removed, out.added) = (Vec::new(), Vec::new());
        } else if !options.semantic {
            let places: Vec<usize> = paired.pairs.iter().map(|pair| pair.1).collect();
            let moved = paired.pairs.iter().zip(still(&places)).filter(|(_, stays)| !stays);
            out.moved = moved.map(|(pair, _)| *pair).collect();
        }
        for (at_a, at_b) in paired.pairs {
            let (Some(one), Some(other)) = (a.tensors.get(at_a), b.tensors.get(at_b)) else { continue };
            let retyped = options.tensors && one.record.tensor_type != other.record.tensor_type;
            let reshaped = options.tensors && a.dims(one) != b.dims(other);
            out.pairs.push(TensorChange { a: at_a, b: at_b, retyped, reshaped, data: Data::Unknown });
        }
        out
    }

    /// Those of the first alone and those of the second alone that may be the same under another name: groups of the same
    /// type and shape.
    #[must_use]
    pub fn candidates(&self, a: &Side<'_>, b: &Side<'_>) -> Vec<Candidates> {
        let mut groups: BTreeMap<(u32, &[u64]), Candidates> = BTreeMap::new();
        for &at in &self.removed {
            let Some(tensor) = a.tensors.get(at) else { continue };
            groups.entry((tensor.record.tensor_type.0, a.dims(tensor))).or_default().0.push(at);
        }
        for &at in &self.added {
            let Some(tensor) = b.tensors.get(at) else { continue };
            groups.entry((tensor.record.tensor_type.0, b.dims(tensor))).or_default().1.push(at);
        }
        groups.into_values().filter(|(old, new)| !old.is_empty() && !new.is_empty()).collect()
    }

    /// Takes note that tensors have another name in the second model.
    pub fn rename(&mut self, pairs: Vec<(usize, usize)>) {
        let (old, new): (std::collections::BTreeSet<usize>, std::collections::BTreeSet<usize>) =
            pairs.iter().copied().unzip();
        self.removed.retain(|at| !old.contains(at));
        self.added.retain(|at| !new.contains(at));
        self.renamed.extend(pairs);
        self.renamed.sort_unstable();
    }

    /// Number of differences.
    #[must_use]
    pub fn count(&self) -> u64 {
        let changed = self.pairs.iter().filter(|pair| pair.differs()).count();
        (self.removed.len() + self.added.len() + self.renamed.len() + self.moved.len() + changed) as u64
    }
}
