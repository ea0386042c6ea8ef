//! The one way in: a codec per tensor type, whose lengths are tested before its rows are touched.
//!
//! How a type works is not known here; see `plain` and `block`.

use std::fmt;

use ggufkit_format::spec::TensorType;
use zerocopy::FromBytes;

use crate::wide::Registers;
use crate::{block, large, plain};

/// What an encoder does with the importance of columns (an importance matrix, `quant_weights` in C).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Importance {
    /// It is not looked at; the result is the same with it and without.
    Unused,
    /// With it, scales are searched for that keep the important columns closest; without it, simpler ones are taken.
    Optional,
    /// Without it the type is not encoded: too few bits are left to spend them evenly.
    Required,
}

/// Whole blocks, to as many floats as they hold, with registers up to these.
pub(crate) type DecodeBlocks = fn(Registers, &[u8], &mut [f32]);
/// Blocks to floats, one value after the other.
#[cfg(test)]
pub(crate) type Definition = fn(&[u8], &mut [f32]);
/// Whole rows of floats (the second argument is the length of one), the importance of a row's columns, to whole blocks.
pub(crate) type EncodeRows = fn(&[f32], usize, Option<&[f32]>, &mut [u8]);

/// How the values of one tensor type are read and written.
///
/// Bytes are in little-endian order; those of a big-endian file are turned first
/// ([`exchange`](ggufkit_format::exchange)).
#[derive(Debug)]
pub struct Codec {
    pub(crate) ty: TensorType,
    pub(crate) block_elements: usize,
    pub(crate) block_bytes: usize,
    pub(crate) decode: DecodeBlocks,
    /// Decoding of blocks as it is defined, one value after the other.
    #[cfg(test)]
    pub(crate) definition: Option<Definition>,
    pub(crate) encode: Option<(Importance, EncodeRows)>,
}

/// The codec of a tensor type. `None` for types that were removed, are unknown, or have no values of their own (`Q8_1`,
/// an intermediate of multiplication that ggml never decodes).
pub fn codec(ty: TensorType) -> Option<&'static Codec> {
    codecs().find(|codec| codec.ty == ty)
}

/// All codecs, family by family.
pub fn codecs() -> impl Iterator<Item = &'static Codec> {
    [plain::CODECS].into_iter().chain(block::FAMILIES.iter().copied()).flatten()
}

impl Codec {
    /// The type.
    pub fn tensor_type(&self) -> TensorType {
        self.ty
    }

    /// Values per block; 1 where every value stands alone.
    pub fn block_elements(&self) -> usize {
        self.block_elements
    }

    /// Bytes per block.
    pub fn block_bytes(&self) -> usize {
        self.block_bytes
    }

    /// Whether floats can be written as this type.
    pub fn can_encode(&self) -> bool {
        self.encode.is_some()
    }

    /// What encoding does with the importance of columns; `None` where there is no encoding.
    pub fn importance(&self) -> Option<Importance> {
        self.encode.map(|(importance, _)| importance)
    }

    /// Whether encoding is refused without the importance of columns.
    pub fn needs_importance(&self) -> bool {
        self.importance() == Some(Importance::Required)
    }

    /// Decodes whole blocks: `out` has exactly as many values as the blocks hold. What is larger than caches is written past
    /// them, where that is faster.
    ///
    /// Every pattern of bytes has values; scales that are infinite or not a number make values that are, too.
    ///
    /// # Errors
    ///
    /// [`CodecError::PartialBlock`] and [`CodecError::OutputValues`], when a length does not fit; nothing is written then.
    pub fn decode(&self, bytes: &[u8], out: &mut [f32]) -> Result<(), CodecError> {
        self.fits(bytes.len(), out.len())?;
        if large::is_large(self, size_of_val(out)) {
            large::decode(self, bytes, out);
        } else {
            (self.decode)(Registers::Avx512, bytes, out);
        }
        Ok(())
    }

    /// The values of whole blocks where they lie, without decoding: those of `F32`, where this machine has the same order of bytes
    /// and floats may begin at this address. `None` for all else.
    pub fn in_place<'b>(&self, bytes: &'b [u8]) -> Option<&'b [f32]> {
        let same = cfg!(target_endian = "little") && self.ty == TensorType::F32;
        same.then(|| <[f32]>::ref_from_bytes(bytes).ok()).flatten()
    }

    /// Encodes whole rows of `row` values each. `importance` has a weight for each of the `row` columns; weights are
    /// expected not to be negative. `out` has exactly as many bytes as the blocks need.
    ///
    /// Values that are infinite or not a number are not refused. What they do to their block is what they do in the
    /// reference: scales become infinite, zero or not a number, and the block's other values are lost. Test for them
    /// first where that matters.
    ///
    /// # Errors
    ///
    /// A [`CodecError`], when the type is not encoded, a length does not fit or the importance of columns is needed; nothing
    /// is written then.
    pub fn encode(
        &self,
        values: &[f32],
        row: usize,
        importance: Option<&[f32]>,
        out: &mut [u8],
    ) -> Result<(), CodecError> {
        let Some((uses, encode)) = self.encode else {
            return Err(CodecError::NoEncoding { ty: self.ty });
        };
        if row == 0 || !row.is_multiple_of(self.block_elements) {
            return Err(CodecError::RowLength { ty: self.ty, row, block: self.block_elements });
        }
        if !values.len().is_multiple_of(row) {
            return Err(CodecError::PartialRow { values: values.len(), row });
        }
        match importance {
            Some(weights) if weights.len() != row => {
                return Err(CodecError::ImportanceLength { needed: row, found: weights.len() });
            }
            None if uses == Importance::Required => return Err(CodecError::ImportanceNeeded { ty: self.ty }),
            _ => {}
        }
        let needed = (values.len() / self.block_elements).saturating_mul(self.block_bytes);
        if out.len() != needed {
            return Err(CodecError::OutputBytes { needed, found: out.len() });
        }
        // Encoders of blocks take longer than memory does.
        if self.block_elements == 1 && large::is_large(self, out.len()) {
            large::encode(self, encode, values, out);
        } else {
            encode(values, row, importance, out);
        }
        Ok(())
    }

    /// Whether so many bytes are whole blocks of so many values.
    pub(crate) fn fits(&self, bytes: usize, values: usize) -> Result<(), CodecError> {
        let blocks = self.whole_blocks(bytes)?;
        // A block never holds so many values that those of a slice's blocks do not fit.
        let needed = blocks.saturating_mul(self.block_elements);
        if values == needed { Ok(()) } else { Err(CodecError::OutputValues { needed, found: values }) }
    }

    fn whole_blocks(&self, bytes: usize) -> Result<usize, CodecError> {
        if !bytes.is_multiple_of(self.block_bytes) {
            return Err(CodecError::PartialBlock { ty: self.ty, bytes, block: self.block_bytes });
        }
        Ok(bytes / self.block_bytes)
    }
}

/// Why nothing was decoded or encoded: a length that does not fit, or a type that cannot be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CodecError {
    /// The bytes end inside a block.
    PartialBlock {
        /// The type.
        ty: TensorType,
        /// Bytes that were given.
        bytes: usize,
        /// Bytes of a block.
        block: usize,
    },
    /// The place for the decoded values has another length than they have.
    OutputValues {
        /// Values that the blocks hold.
        needed: usize,
        /// Values that there is place for.
        found: usize,
    },
    /// The place for the encoded blocks has another length than they have.
    OutputBytes {
        /// Bytes that the blocks take.
        needed: usize,
        /// Bytes that there is place for.
        found: usize,
    },
    /// The type is decoded only.
    NoEncoding {
        /// The type.
        ty: TensorType,
    },
    /// No whole number of blocks makes a row.
    RowLength {
        /// The type.
        ty: TensorType,
        /// Values per row that were asked for.
        row: usize,
        /// Values of a block.
        block: usize,
    },
    /// The values end inside a row.
    PartialRow {
        /// Values that were given.
        values: usize,
        /// Values per row.
        row: usize,
    },
    /// There is not one weight for each column.
    ImportanceLength {
        /// Columns of a row.
        needed: usize,
        /// Weights that were given.
        found: usize,
    },
    /// The type is not encoded without the importance of columns.
    ImportanceNeeded {
        /// The type.
        ty: TensorType,
    },
}

impl fmt::Display for CodecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CodecError::PartialBlock { ty, bytes, block } => {
                write!(
                    f,
                    "{bytes} bytes are no whole number of {ty} blocks of {block} bytes; give whole blocks"
                )
            }
            CodecError::OutputValues { needed, found } => {
                write!(f, "the blocks hold {needed} values, there is place for {found}; make these equal")
            }
            CodecError::OutputBytes { needed, found } => {
                write!(f, "the blocks take {needed} bytes, there is place for {found}; make these equal")
            }
            CodecError::NoEncoding { ty } => {
                write!(f, "values are not written as {ty}, it is only read; choose another type")
            }
            CodecError::RowLength { ty, row, block } => {
                write!(
                    f,
                    "a row of {row} values is no whole number of {ty} blocks of {block}; choose a type of smaller blocks"
                )
            }
            CodecError::PartialRow { values, row } => {
                write!(f, "{values} values are no whole number of rows of {row}; give whole rows")
            }
            CodecError::ImportanceLength { needed, found } => {
                write!(f, "a row has {needed} columns, there are weights for {found}; give one for each")
            }
            CodecError::ImportanceNeeded { ty } => {
                write!(f, "{ty} is not written without the importance of columns; give an importance matrix")
            }
        }
    }
}

impl std::error::Error for CodecError {}
