//! Tensor data in the other byte order.
//!
//! In a big-endian file every number of more than one byte has its bytes in the other order, those inside of blocks too.
//! Which bytes of a block make up numbers is told by the table of types.

use alloc::vec::Vec;

use crate::endian::Endian;
use crate::spec::{PartUnit, TensorType, TypeStatus};

/// How the bytes of a type change places between the byte orders.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exchange {
    /// Bytes of a block.
    block: usize,
    /// Numbers of a block that have more than one byte: where they begin, and how many bytes each has.
    numbers: Vec<(usize, usize)>,
}

impl Exchange {
    /// The exchange for a type; `None` where there is no rule: for types that are not known or not in use any more, and for
    /// `IQ2_XXS`, whose words are read as bytes in one place and as numbers of 32 bits in another.
    #[must_use]
    pub fn of(ty: TensorType) -> Option<Self> {
        let info = ty.info()?;
        let removed = matches!(info.status, TypeStatus::Removed { .. });
        if removed || info.block_bytes == 0 || ty == TensorType::IQ2_XXS {
            return None;
        }
        let mut numbers = Vec::new();
        for part in info.parts {
            let width = PartUnit::width(part.unit) as usize;
            if width > 1 {
                let part = part.offset as usize..(part.offset as usize).saturating_add(part.bytes as usize);
                numbers.extend(part.step_by(width).map(|at| (at, width)));
            }
        }
        Some(Self { block: info.block_bytes as usize, numbers })
    }

    /// Bytes of a block.
    #[must_use]
    pub fn block(&self) -> usize {
        self.block
    }

    /// Turns whole blocks into the other byte order; what is left at the end stays as it is.
    pub fn apply(&self, bytes: &mut [u8]) {
        for block in bytes.chunks_exact_mut(self.block) {
            for (at, width) in &self.numbers {
                if let Some(number) = block.get_mut(*at..at.saturating_add(*width)) {
                    number.reverse();
                }
            }
        }
    }
}

/// Whether the data of a type, in a file of this byte order, can be seen as a little-endian file would hold it.
#[must_use]
pub fn has_rule(ty: TensorType, endian: Endian) -> bool {
    endian == Endian::Little || Exchange::of(ty).is_some()
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use crate::spec::TENSOR_TYPES;

    use super::*;

    fn exchanged(ty: TensorType, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        Exchange::of(ty).unwrap().apply(&mut bytes);
        bytes
    }

    /// As gguf-py's `gguf_convert_endian` does it, for the types that it has.
    #[test]
    fn the_numbers_of_a_block_change_places_and_nothing_else() {
        assert_eq!(exchanged(TensorType::F32, &[1, 2, 3, 4, 5, 6, 7, 8]), [4, 3, 2, 1, 8, 7, 6, 5]);
        assert_eq!(exchanged(TensorType::BF16, &[1, 2, 3, 4]), [2, 1, 4, 3]);
        assert_eq!(exchanged(TensorType::I8, &[1, 2, 3]), [1, 2, 3]);
        let block: Vec<u8> = (0..34).collect();
        let q8 = exchanged(TensorType::Q8_0, &block);
        assert_eq!((&q8[..3], &q8[2..]), (&[1, 0, 2][..], &block[2..]));
        let block: Vec<u8> = (0..210).collect();
        let q6 = exchanged(TensorType::Q6_K, &block);
        assert_eq!((&q6[..208], &q6[208..]), (&block[..208], &[209, 208][..]));
        let block: Vec<u8> = (0..144).collect();
        assert_eq!(exchanged(TensorType::Q4_K, &block)[..5], [1, 0, 3, 2, 4]);
        assert_eq!(exchanged(TensorType::MXFP4, &[7; 17]), [7; 17]);
    }

    #[test]
    fn an_exchange_undoes_itself_and_types_without_a_rule_have_none() {
        for info in TENSOR_TYPES.iter().filter(|info| !info.is_removed()) {
            let Some(exchange) = Exchange::of(info.ty) else {
                assert_eq!(info.ty, TensorType::IQ2_XXS);
                continue;
            };
            let bytes: Vec<u8> = (0..info.block_bytes * 2).map(|i| i as u8).collect();
            let mut twice = exchanged(info.ty, &bytes);
            exchange.apply(&mut twice);
            assert_eq!(twice, bytes, "{}", info.name);
        }
        assert!(Exchange::of(TensorType(156)).is_none() && Exchange::of(TensorType(4)).is_none());
        assert!(has_rule(TensorType::IQ2_XXS, Endian::Little) && !has_rule(TensorType::IQ2_XXS, Endian::Big));
    }
}
