//! Where a block of a tensor lies, and which elements it holds.

use std::fmt;

use ggufkit_format::spec::TypeStatus;
use ggufkit_format::{Index, Span, Tensor, layout};
use serde::Serialize;

/// One block of a tensor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Place {
    /// The block, counted from the start of the data.
    pub block: u64,
    /// The row, counted over all dimensions but the first.
    pub row: u64,
    /// The first element within the row.
    pub first: u64,
    /// Number of elements.
    pub elements: u64,
    /// Absolute position of the first byte.
    pub offset: u64,
    /// Number of bytes.
    pub size: u64,
}

impl Place {
    /// The block's bytes in the source.
    #[must_use]
    pub const fn span(&self) -> Span {
        Span::new(self.offset, self.size)
    }
}

/// Why there is no such block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlaceError {
    /// The tensor's size is unknown.
    Size(layout::SizeError),
    /// The head was not read to its end, so the data section cannot be located.
    NoData,
    /// The tensor has fewer blocks.
    OutOfRange {
        /// The block asked for.
        block: u64,
        /// Number of blocks.
        count: u64,
    },
}

impl fmt::Display for PlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size(error) => error.fmt(f),
            Self::NoData => f.write_str("the head was not read to its end, so the data cannot be located"),
            Self::OutOfRange { count: 0, .. } => f.write_str("the tensor has no data"),
            Self::OutOfRange { block, count } => {
                write!(
                    f,
                    "there is no block {block}: the tensor has {count}, 0 to {}",
                    count.saturating_sub(1)
                )
            }
        }
    }
}

impl std::error::Error for PlaceError {}

/// Number of blocks of a tensor; of a type without blocks, the number of its elements.
///
/// # Errors
/// Sizes that cannot be told.
pub fn block_count(index: &Index, tensor: &Tensor) -> Result<u64, PlaceError> {
    let bytes = layout::tensor_bytes(tensor.tensor_type, index.dims(tensor)).map_err(PlaceError::Size)?;
    let info = tensor.tensor_type.info().filter(|i| !matches!(i.status, TypeStatus::Removed { .. }));
    let block = info.map_or(1, |i| u64::from(i.block_bytes).max(1));
    Ok(bytes / block)
}

/// The block at `block`.
///
/// # Errors
/// Sizes and positions that cannot be told, and blocks that the tensor does not have.
pub fn place(index: &Index, tensor: &Tensor, block: u64) -> Result<Place, PlaceError> {
    let count = block_count(index, tensor)?;
    if block >= count {
        return Err(PlaceError::OutOfRange { block, count });
    }
    if index.data_start().is_none() {
        return Err(PlaceError::NoData);
    }
    let data = index.data_span(tensor).map_err(PlaceError::Size)?;
    // A type whose size is known is in the table, and a row whose blocks are counted has at least one.
    let info = tensor.tensor_type.info().ok_or(PlaceError::NoData)?;
    let (elements, size) = (u64::from(info.block_elems), u64::from(info.block_bytes));
    let row_elements = index.dims(tensor).first().copied().unwrap_or(1);
    let in_row = (row_elements / elements.max(1)).max(1);
    Ok(Place {
        block,
        row: block / in_row,
        first: block % in_row * elements,
        elements,
        // Within the data's span, which fits in 64 bits.
        offset: data.start + block * size,
        size,
    })
}
