//! IQ2_XXS: 256 weights, eight to a point of a book of 256; 66 bytes, 2.0625 bits per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0..2 | `d` | binary16, the scale of the scales |
//! | 2..66 | `qs` | 8 bytes per group of 32 weights: four indices of points, then a little-endian word |
//!
//! The word has the signs of the four points, seven bits each from the lowest up (the eighth makes the number of minuses
//! even), and the scale of the group in its upper four bits.
//!
//! `w = (d * (0.5 + scale) * 0.25) * point * sign`. In C: `dequantize_row_iq2_xxs`, `quantize_iq2_xxs`.

mod encode;

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::{N, place, sixteen, top_nibbles};
use crate::block::Block;
use crate::grid::{iq2, signs::even_signs};
use crate::half::F16;
use crate::wide::Sixteen;

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Iq2Xxs {
    d: F16,
    qs: [Group; N / 32],
}

#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Group {
    points: [u8; 4],
    signs_and_scale: [u8; 4],
}

impl Block<N> for Iq2Xxs {
    const TYPE: TensorType = TensorType::IQ2_XXS;

    #[inline(always)]
    fn decode(&self, out: &mut [f32; N]) {
        let d = self.d.get();
        for (out, group) in out.as_chunks_mut::<32>().0.iter_mut().zip(&self.qs) {
            let word = u32::from_le_bytes(group.signs_and_scale);
            let d = d * (0.5 + (word >> 28) as f32) * 0.25;
            for (i, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
                place(out, d, &iq2::IQ2_XXS[usize::from(group.points[i])], even_signs(word >> (7 * i)));
            }
        }
    }

    #[inline(always)]
    fn decode_wide<L: Sixteen>(&self, out: &mut [f32; N]) {
        let scales = top_nibbles(self.qs.map(|group| group.signs_and_scale));
        let scales = (self.d.all::<L>() * (L::all(0.5) + L::from_bytes(&scales)) * L::all(0.25)).to_array();
        for ((out, group), d) in out.as_chunks_mut::<32>().0.iter_mut().zip(&self.qs).zip(scales) {
            let (word, d) = (u32::from_le_bytes(group.signs_and_scale), L::all(d));
            for (i, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
                let point = |at: usize| &iq2::IQ2_XXS[usize::from(group.points[2 * i + at])];
                let signs = |at: usize| even_signs(word >> (14 * i + 7 * at));
                *out = sixteen(d, [point(0), point(1)], u16::from_le_bytes([signs(0), signs(1)]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::testing::{assert_decodes, assert_encodes};

    const BLOCK: &str = "141852afaec8c283ebd1105615070b4b61f991b8188bdfe229c7b28d15e233d0bde1bae0e3afe105 \
        93daecd42f8ed5a9dfd8d3efe25c523860dda183c1e4d8577baf";

    /// By libgguf.
    #[test]
    fn as_the_reference() {
        let first = [0.053764343, -0.28898335, 0.053764343, 0.053764343];
        assert_decodes::<Iq2Xxs, N>(BLOCK, first, 0xd16a_b561_1bde_254d);
        assert_encodes::<Iq2Xxs, N>(true, BLOCK);
    }
}
