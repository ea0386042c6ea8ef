//! Arithmetic of the data section, once: padding, the size of a tensor, where each tensor lies.
//!
//! Everything is checked in `u64`; nothing here reads a byte.

use core::fmt;

use crate::spec::{TensorType, TypeStatus};

/// Alignment of the data section when `general.alignment` is absent (spec: "General Metadata").
pub const DEFAULT_ALIGNMENT: u64 = 32;

/// Lengths and positions above this are not those of files: 256 TiB.
pub const PLAUSIBLE_SIZE: u64 = 1 << 48;

/// Bytes from `position` to the next multiple of `alignment`; any alignment above 0, not only powers of two.
///
/// An alignment of 0 is treated as 1.
#[must_use]
pub const fn padding(position: u64, alignment: u64) -> u64 {
    match position.checked_rem(alignment) {
        None | Some(0) => 0,
        Some(over) => alignment.saturating_sub(over),
    }
}

/// `position` rounded up to a multiple of `alignment`; `None` when that does not fit in 64 bits.
#[must_use]
pub const fn align_up(position: u64, alignment: u64) -> Option<u64> {
    position.checked_add(padding(position, alignment))
}

/// Places of tensors that lie one behind the other, each at a multiple of the alignment: where writers put them, and where
/// loaders expect them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packer {
    next: u64,
    alignment: u64,
}

impl Packer {
    /// Nothing is placed yet.
    #[must_use]
    pub const fn new(alignment: u64) -> Self {
        Self { next: 0, alignment }
    }

    /// Where the next tensor begins, counted from the beginning of the data.
    #[must_use]
    pub const fn next(&self) -> u64 {
        self.next
    }

    /// Places a tensor of so many bytes: where it begins. `None` when its end, padded, does not fit in 64 bits; nothing
    /// is placed then.
    pub const fn put(&mut self, len: u64) -> Option<u64> {
        let at = self.next;
        let Some(end) = at.checked_add(len) else { return None };
        let Some(next) = align_up(end, self.alignment) else { return None };
        self.next = next;
        Some(at)
    }
}

/// The alignment that the values of `general.alignment` declare: the first that is positive, or the default.
pub fn declared_alignment(values: impl IntoIterator<Item = u64>) -> u64 {
    values.into_iter().find(|value| *value > 0).unwrap_or(DEFAULT_ALIGNMENT)
}

/// Why the byte size of a tensor cannot be computed from its type and shape.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SizeError {
    /// The type id is not in the table, so its block size is unknown.
    UnknownType(TensorType),
    /// The type was removed from the format; its blocks have no size any more.
    RemovedType(TensorType),
    /// The row length is not a multiple of the type's block.
    BlockMisfit {
        /// `dims[0]`, in elements.
        row: u64,
        /// Elements of one block.
        block: u32,
    },
    /// Elements or bytes do not fit in 64 bits.
    Overflow,
}

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownType(ty) => write!(f, "type {} is not known here, so its size is not either", ty.0),
            Self::RemovedType(ty) => write!(f, "type {} was removed from the format and has no size", ty.0),
            Self::BlockMisfit { row, block } => {
                write!(f, "row length {row} is not a multiple of the block of {block} elements")
            }
            Self::Overflow => f.write_str("size overflows 64 bits"),
        }
    }
}

impl core::error::Error for SizeError {}

/// Number of elements: the product of the dimensions, 1 for none, 0 when any is 0; `None` when it does not fit in 64
/// bits.
#[must_use]
pub fn element_count(dims: &[u64]) -> Option<u64> {
    if dims.contains(&0) {
        return Some(0);
    }
    dims.iter().try_fold(1_u64, |n, &d| n.checked_mul(d))
}

/// Bytes of one row of `row` elements (`ggml_row_size`).
///
/// # Errors
/// Unknown and removed types, a row that no whole number of blocks fills, and overflow.
pub fn row_bytes(ty: TensorType, row: u64) -> Result<u64, SizeError> {
    let info = ty.info().ok_or(SizeError::UnknownType(ty))?;
    if matches!(info.status, TypeStatus::Removed { .. }) {
        return Err(SizeError::RemovedType(ty));
    }
    let (Some(blocks), Some(0)) =
        (row.checked_div(info.block_elems.into()), row.checked_rem(info.block_elems.into()))
    else {
        return Err(SizeError::BlockMisfit { row, block: info.block_elems });
    };
    blocks.checked_mul(info.block_bytes.into()).ok_or(SizeError::Overflow)
}

/// Bytes of a tensor: `row_bytes(dims[0])` times the other dimensions (`ggml_nbytes` of a contiguous tensor).
///
/// A tensor without dimensions is a scalar: one element. A dimension of 0 makes a tensor of 0 bytes.
///
/// # Errors
/// As [`row_bytes`]; element counts beyond 64 bits are an overflow even where the bytes would fit.
pub fn tensor_bytes(ty: TensorType, dims: &[u64]) -> Result<u64, SizeError> {
    let row = row_bytes(ty, dims.first().copied().unwrap_or(1))?;
    let elements = element_count(dims).ok_or(SizeError::Overflow)?;
    if elements == 0 {
        return Ok(0);
    }
    let rows = dims.iter().skip(1).try_fold(1_u64, |n, &d| n.checked_mul(d)).ok_or(SizeError::Overflow)?;
    row.checked_mul(rows).ok_or(SizeError::Overflow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_uses_division_not_bit_tricks() {
        for (position, alignment, expected) in [
            (0, 32, 0),
            (1, 32, 31),
            (32, 32, 0),
            (33, 32, 31),
            (50, 24, 22),
            (48, 24, 0),
            (7, 1, 0),
            (5, 0, 0),
        ] {
            assert_eq!(padding(position, alignment), expected, "{position} to {alignment}");
        }
        assert_eq!(align_up(u64::MAX, 32), None);
        let mut packer = Packer::new(32);
        assert_eq!([1, 0, 32, 33].map(|len| packer.put(len)), [Some(0), Some(32), Some(32), Some(64)]);
        assert_eq!((packer.next(), packer.put(u64::MAX - 130), packer.next()), (128, None, 128));
        assert_eq!(align_up(u64::MAX - 31, 32), Some(u64::MAX - 31));
    }

    #[test]
    fn sizes_of_tensors_follow_the_block_table() {
        assert_eq!(tensor_bytes(TensorType::F32, &[4, 3]), Ok(48));
        assert_eq!(tensor_bytes(TensorType::Q4_0, &[64, 2, 5]), Ok(2 * 18 * 10));
        assert_eq!(tensor_bytes(TensorType::Q6_K, &[256]), Ok(210));
        assert_eq!(tensor_bytes(TensorType::MXFP4, &[32]), Ok(17));
        assert_eq!(tensor_bytes(TensorType::F32, &[]), Ok(4));
        assert_eq!(tensor_bytes(TensorType::F32, &[4, 0]), Ok(0));
        assert_eq!(
            tensor_bytes(TensorType::Q4_0, &[33, 1]),
            Err(SizeError::BlockMisfit { row: 33, block: 32 })
        );
        assert_eq!(tensor_bytes(TensorType(156), &[32]), Err(SizeError::UnknownType(TensorType(156))));
        assert_eq!(tensor_bytes(TensorType(36), &[32]), Err(SizeError::RemovedType(TensorType(36))));
    }

    #[test]
    fn sizes_that_wrap_are_overflows() {
        // The dimensions of test-gguf's TENSORS_NE_TOO_BIG and of two public advisories.
        let big = 4 * ((1_u64 << 31) - 1);
        assert_eq!(tensor_bytes(TensorType::F32, &[big, big]), Err(SizeError::Overflow));
        assert_eq!(tensor_bytes(TensorType::F32, &[1152, (1 << 42) + 1, 1 << 20]), Err(SizeError::Overflow));
        assert_eq!(
            tensor_bytes(TensorType::F32, &[4_194_305, 4_194_305, 211_106_198_978_564]),
            Err(SizeError::Overflow)
        );
        // [4, 2^30-1, 2^30+1] f32: 2^64 - 16 bytes fit, the padded size does not.
        let bytes = tensor_bytes(TensorType::F32, &[4, (1 << 30) - 1, (1 << 30) + 1]);
        assert_eq!(bytes, Ok(u64::MAX - 15));
        assert_eq!(align_up(u64::MAX - 15, 32), None);
    }
}
