//! Tensors as rows: where each lies, how large it is, how sure that is.

mod groups;
mod mix;
mod order;
mod original;

use ggufkit_format::extents::Extents;
use ggufkit_format::glob;
use ggufkit_format::spec::TensorType;
use ggufkit_format::{ByteStr, Index, Span, Tensor, layout};
use serde::Serialize;

use crate::model::{Model, Part};

pub use groups::{Group, GroupBy, GroupKey, groups};
pub use mix::{Share, Totals, mix};
pub use order::{Order, ordered};
pub use original::{OriginalShape, OriginalShapes};

/// How a tensor's size is known.
///
/// The order goes from sure to unknown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
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
    pub layer: Option<u64>,
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

    /// Whether the data lies within the file; `None` when the file's size or the data's place is not known.
    #[must_use]
    pub fn in_file(&self) -> Option<bool> {
        let size = self.part.size?;
        // Where the data section begins is not known of a head that was read in part.
        self.part.view.index().data_start()?;
        if self.size_error == Some(layout::SizeError::Overflow) || self.data.is_none_or(|data| data > size) {
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
///
/// A row is large; where there may be very many, [`Table`] makes them one at a time.
#[must_use]
pub fn rows<'a>(model: &Model<'a>) -> Vec<Row<'a>> {
    Table::new(model).iter().collect()
}

/// The tensors of a model, each of which becomes a [`Row`] when it is looked at.
#[derive(Clone, Debug)]
pub struct Table<'a> {
    parts: Vec<(Part<'a>, Option<Gaps>)>,
}

impl<'a> Table<'a> {
    /// The tensors of all files of a model.
    #[must_use]
    pub fn new(model: &Model<'a>) -> Self {
        Self { parts: model.parts().map(|part| (part, Gaps::where_needed(part))).collect() }
    }

    /// Number of tensors.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.iter().map(|(part, _)| part.view.index().tensors().len()).sum()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All rows, file by file in table order.
    pub fn iter(&self) -> impl Iterator<Item = Row<'a>> + '_ {
        (0..self.parts.len()).flat_map(|part| self.iter_part(part))
    }

    /// The rows of one file, by its position in the model.
    pub fn iter_part(&self, part: usize) -> impl Iterator<Item = Row<'a>> + '_ {
        let found = self.parts.get(part);
        found.into_iter().flat_map(move |(file, gaps)| {
            let tensors = file.view.index().tensors().iter().enumerate();
            tensors.map(move |(index, tensor)| row(*file, part, index, tensor, gaps.as_ref()))
        })
    }

    /// The row of tensor `index` of file `part`, both from 0.
    #[must_use]
    pub fn row(&self, part: usize, index: usize) -> Option<Row<'a>> {
        let (file, gaps) = self.parts.get(part)?;
        Some(row(*file, part, index, file.view.index().tensors().get(index)?, gaps.as_ref()))
    }
}

fn row<'a>(
    part: Part<'a>,
    part_index: usize,
    index: usize,
    tensor: &'a Tensor,
    gaps: Option<&Gaps>,
) -> Row<'a> {
    let dims = part.view.index().dims(tensor);
    let name = part.view.name(tensor);
    let (size, sizing, size_error) = match layout::tensor_bytes(tensor.tensor_type, dims) {
        Ok(size) => (Some(size), Sizing::Exact, None),
        Err(error) => match gaps.and_then(|gaps| gaps.after(tensor.offset)) {
            Some(gap) if error != layout::SizeError::Overflow => (Some(gap), Sizing::Inferred, Some(error)),
            _ => (None, Sizing::Unknown, Some(error)),
        },
    };
    Row {
        part,
        part_index,
        index,
        name,
        tensor,
        dims,
        elements: layout::element_count(dims),
        size,
        sizing,
        size_error,
        data: part.view.index().data_position(tensor),
        layer: glob::layer_of(name.as_bytes()),
    }
}

/// Distances from one tensor's offset to the next.
#[derive(Clone, Debug)]
struct Gaps {
    extents: Extents,
    end: Option<u64>,
}

impl Gaps {
    /// The distances of a file's tensors; `None` when every size follows from type and shape.
    fn where_needed(part: Part<'_>) -> Option<Self> {
        let index = part.view.index();
        let sized = |t: &Tensor| layout::tensor_bytes(t.tensor_type, index.dims(t)).is_ok();
        (!index.tensors().iter().all(sized)).then(|| Self::new(index, part.size))
    }

    fn new(index: &Index, size: Option<u64>) -> Self {
        let end = size.zip(index.data_start()).and_then(|(size, start)| size.checked_sub(start));
        Self { extents: Extents::of(index), end }
    }

    /// Bytes from `offset` to the next greater offset, or to the end of the data.
    fn after(&self, offset: u64) -> Option<u64> {
        match (self.extents.next_offset(offset), self.end) {
            (Some(next), Some(end)) => next.min(end).checked_sub(offset),
            (Some(next), None) => next.checked_sub(offset),
            (None, Some(end)) => end.checked_sub(offset),
            (None, None) => None,
        }
    }
}

#[cfg(test)]
mod tests;
