//! Tensors as rows: where each lies, how large it is, how sure that is.

use std::collections::BTreeMap;

use ggufkit_format::spec::TensorType;
use ggufkit_format::{ByteStr, Index, Span, Tensor, layout};
use serde::Serialize;

use crate::model::{Model, Part};

/// How a tensor's size is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sizing {
    /// From its type and shape.
    Exact,
    /// The type has no size here: the distance to the next tensor, or to the end of the file. An upper bound.
    Inferred,
    /// It cannot be told.
    Unknown,
}

/// One tensor, with everything that its row needs.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The file that holds it.
    pub part: Part<'a>,
    /// Position of the file in the model, from 0.
    pub part_index: usize,
    /// Position in the file's tensor table.
    pub index: usize,
    /// The name.
    pub name: ByteStr<'a>,
    /// The record.
    pub tensor: &'a Tensor,
    /// The dimensions, row length first.
    pub dims: &'a [u64],
    /// Number of elements, where it fits in 64 bits.
    pub elements: Option<u64>,
    /// Bytes of data, as `sizing` says.
    pub size: Option<u64>,
    /// How `size` is known.
    pub sizing: Sizing,
    /// Why the size cannot be computed.
    pub size_error: Option<layout::SizeError>,
    /// Absolute position of the data.
    pub data: Option<u64>,
    /// The block number of a name `blk.N.…`.
    pub layer: Option<u32>,
}

impl Row<'_> {
    /// The tensor's type.
    #[must_use]
    pub const fn tensor_type(&self) -> TensorType {
        self.tensor.tensor_type
    }

    /// The data's bytes in the file, where position and size are known and fit in 64 bits.
    #[must_use]
    pub fn span(&self) -> Option<Span> {
        let span = Span::new(self.data?, self.size?);
        span.start.checked_add(span.len)?;
        Some(span)
    }

    /// Whether the data lies within the file; `None` when the file's size or the data's span is not known.
    #[must_use]
    pub fn in_file(&self) -> Option<bool> {
        let size = self.part.size?;
        if self.size_error == Some(layout::SizeError::Overflow) || self.data.is_none() {
            return Some(false);
        }
        let end = self.data?.checked_add(self.size?);
        Some(end.is_some_and(|end| end <= size))
    }

    /// Bits per element, where both numbers are known.
    #[must_use]
    pub fn bits_per_weight(&self) -> Option<f64> {
        match (self.size, self.elements) {
            (Some(size), Some(elements)) if elements > 0 => Some(size as f64 * 8.0 / elements as f64),
            _ => None,
        }
    }
}

/// The rows of all tensors of a model, file by file in table order.
#[must_use]
pub fn rows<'a>(model: &Model<'a>) -> Vec<Row<'a>> {
    let mut out = Vec::new();
    for (part_index, part) in model.parts().enumerate() {
        let index = part.view.index();
        let gaps = Gaps::new(index, part.size);
        for (at, (name, tensor)) in part.view.tensors().enumerate() {
            let dims = index.dims(tensor);
            let data = index.data_position(tensor);
            let (size, sizing, size_error) = match layout::tensor_bytes(tensor.tensor_type, dims) {
                Ok(size) => (Some(size), Sizing::Exact, None),
                Err(error) => match gaps.after(tensor.offset) {
                    Some(gap) if error != layout::SizeError::Overflow => {
                        (Some(gap), Sizing::Inferred, Some(error))
                    }
                    _ => (None, Sizing::Unknown, Some(error)),
                },
            };
            out.push(Row {
                part,
                part_index,
                index: at,
                name,
                tensor,
                dims,
                elements: layout::element_count(dims),
                size,
                sizing,
                size_error,
                data,
                layer: layer_of(name.as_bytes()),
            });
        }
    }
    out
}

/// The block number of a name such as `blk.12.attn_q.weight`.
#[must_use]
pub fn layer_of(name: &[u8]) -> Option<u32> {
    let rest = name.strip_prefix(b"blk.")?;
    let digits = rest.split(|&b| b == b'.').next()?;
    if digits.len() == rest.len() {
        return None;
    }
    core::str::from_utf8(digits).ok()?.parse().ok()
}

/// Distances from one tensor's offset to the next.
struct Gaps {
    offsets: Vec<u64>,
    end: Option<u64>,
}

impl Gaps {
    fn new(index: &Index, size: Option<u64>) -> Self {
        let mut offsets: Vec<u64> = index.tensors().iter().map(|t| t.offset).collect();
        offsets.sort_unstable();
        let end = size.zip(index.data_start()).and_then(|(size, start)| size.checked_sub(start));
        Self { offsets, end }
    }

    /// Bytes from `offset` to the next greater offset, or to the end of the data.
    fn after(&self, offset: u64) -> Option<u64> {
        let next = self.offsets.partition_point(|&o| o <= offset);
        match (self.offsets.get(next).copied(), self.end) {
            (Some(next), Some(end)) => next.min(end).checked_sub(offset),
            (Some(next), None) => next.checked_sub(offset),
            (None, Some(end)) => end.checked_sub(offset),
            (None, None) => None,
        }
    }
}

/// Bytes and elements of one tensor type.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Share {
    /// The type.
    pub tensor_type: TensorType,
    /// Number of tensors.
    pub tensors: u64,
    /// Number of elements (saturating).
    pub elements: u64,
    /// Bytes of data (saturating).
    pub bytes: u64,
}

impl Share {
    /// Bits per element; `None` without elements.
    #[must_use]
    pub fn bits_per_weight(&self) -> Option<f64> {
        (self.elements > 0).then(|| self.bytes as f64 * 8.0 / self.elements as f64)
    }
}

/// The mix of types, by bytes, the largest first.
#[must_use]
pub fn mix(rows: &[Row<'_>]) -> Vec<Share> {
    // A hostile table may name a new type in every row, hence a map.
    let mut by_type: BTreeMap<TensorType, Share> = BTreeMap::new();
    for row in rows {
        let tensor_type = row.tensor_type();
        let empty = Share { tensor_type, tensors: 0, elements: 0, bytes: 0 };
        let share = by_type.entry(tensor_type).or_insert(empty);
        share.tensors += 1;
        share.elements = share.elements.saturating_add(row.elements.unwrap_or(0));
        share.bytes = share.bytes.saturating_add(row.size.unwrap_or(0));
    }
    let mut shares: Vec<Share> = by_type.into_values().collect();
    shares.sort_by(|a, b| b.bytes.cmp(&a.bytes).then(a.tensor_type.cmp(&b.tensor_type)));
    shares
}
