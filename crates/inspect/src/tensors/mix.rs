//! What tensors come to together, and the mix of types that a model is stored in.

use std::collections::BTreeMap;

use ggufkit_format::spec::TensorType;

use super::{Row, Sizing};

/// What some tensors come to together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Totals {
    /// Number of tensors.
    pub tensors: u64,
    /// Number of elements (saturating; a tensor whose elements do not fit in 64 bits counts for none).
    pub elements: u64,
    /// Bytes of data (saturating; a tensor of unknown size counts for none).
    pub bytes: u64,
    /// How the least sure of the sizes in `bytes` is known.
    pub sizing: Sizing,
}

impl Default for Totals {
    fn default() -> Self {
        Self { tensors: 0, elements: 0, bytes: 0, sizing: Sizing::Exact }
    }
}

impl Totals {
    /// Adds a tensor.
    pub fn add(&mut self, row: &Row<'_>) {
        self.tensors += 1;
        self.elements = self.elements.saturating_add(row.elements.unwrap_or(0));
        self.bytes = self.bytes.saturating_add(row.size.unwrap_or(0));
        self.sizing = self.sizing.max(row.sizing);
    }

    /// Adds the totals of other tensors.
    pub fn join(&mut self, other: &Self) {
        self.tensors += other.tensors;
        self.elements = self.elements.saturating_add(other.elements);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.sizing = self.sizing.max(other.sizing);
    }

    /// Bits per element; `None` without elements, and where a size is not known.
    #[must_use]
    pub fn bits_per_weight(&self) -> Option<f64> {
        let known = self.elements > 0 && self.sizing != Sizing::Unknown;
        known.then(|| self.bytes as f64 * 8.0 / self.elements as f64)
    }
}

/// The tensors of one type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share {
    /// The type.
    pub tensor_type: TensorType,
    /// What they come to.
    pub totals: Totals,
}

/// The mix of types, by bytes, the largest first.
#[must_use]
pub fn mix<'a>(rows: impl IntoIterator<Item = Row<'a>>) -> Vec<Share> {
    // A hostile table may name a new type in every row, hence a map.
    let mut by_type: BTreeMap<TensorType, Totals> = BTreeMap::new();
    for row in rows {
        by_type.entry(row.tensor_type()).or_default().add(&row);
    }
    let mut shares: Vec<Share> =
        by_type.into_iter().map(|(tensor_type, totals)| Share { tensor_type, totals }).collect();
    by_bytes(&mut shares);
    shares
}

/// Puts shares in the order of their bytes, the largest first; equal ones stay in the order of their ids.
pub(super) fn by_bytes(shares: &mut [Share]) {
    shares.sort_by_key(|share| core::cmp::Reverse(share.totals.bytes));
}
