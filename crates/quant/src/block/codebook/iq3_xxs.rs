//! IQ3_XXS: 256 weights, four to a point of a book of 256; 98 bytes, 3.0625 bits per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0..2 | `d` | binary16, the scale of the scales |
//! | 2..66 | `qs` | the index of each point |
//! | 66..98 | `signs_and_scales` | a little-endian word of 32 bits per group of 32 weights |
//!
//! The word has the signs of four times eight weights, seven bits each from the lowest up (the eighth makes the number of
//! minuses even), and the scale of the group in its upper four bits.
//!
//! `w = (d * (0.5 + scale) * 0.5) * point * sign`. In C: `dequantize_row_iq3_xxs`, `quantize_iq3_xxs`.

mod encode;

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::{N, join, place, sixteen, top_nibbles};
use crate::block::Block;
use crate::grid::{iq3, signs::even_signs};
use crate::half::F16;
use crate::wide::Sixteen;

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Iq3Xxs {
    d: F16,
    qs: [[u8; 8]; N / 32],
    signs_and_scales: [[u8; 4]; N / 32],
}

impl Block<N> for Iq3Xxs {
    const TYPE: TensorType = TensorType::IQ3_XXS;

    #[inline(always)]
    fn decode(&self, out: &mut [f32; N]) {
        let d = self.d.get();
        let groups = self.qs.iter().zip(self.signs_and_scales);
        for (out, (points, word)) in out.as_chunks_mut::<32>().0.iter_mut().zip(groups) {
            let word = u32::from_le_bytes(word);
            let d = d * (0.5 + (word >> 28) as f32) * 0.5;
            for (i, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
                let point = |i: usize| iq3::IQ3_XXS[usize::from(points[i])];
                place(out, d, &join(point(2 * i), point(2 * i + 1)), even_signs(word >> (7 * i)));
            }
        }
    }

    #[inline(always)]
    fn decode_wide<L: Sixteen>(&self, out: &mut [f32; N]) {
        let scales = top_nibbles(self.signs_and_scales);
        let scales = (self.d.all::<L>() * (L::all(0.5) + L::from_bytes(&scales)) * L::all(0.5)).to_array();
        let groups = self.qs.iter().zip(self.signs_and_scales);
        for ((out, (points, word)), d) in out.as_chunks_mut::<32>().0.iter_mut().zip(groups).zip(scales) {
            let (word, d) = (u32::from_le_bytes(word), L::all(d));
            for (i, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
                let point = |at: usize| &iq3::IQ3_XXS[usize::from(points[4 * i + at])];
                let signs = |at: usize| even_signs(word >> (14 * i + 7 * at));
                let four = [point(0), point(1), point(2), point(3)];
                *out = sixteen(d, four, u16::from_le_bytes([signs(0), signs(1)]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::testing::{assert_decodes, assert_encodes};

    const BLOCK: &str = "f314091993a56da54a845a46c9460f642f630166f3bf2b647bc95fd2d2b53b4b67f19b942f8f7894 \
        40515ffd72d08004ce8f11c605d07af85b9e4f66695c53b7149dc283eb810b4b61c9dfe2298733d0 \
        bd81e10593fad5a9df885238608dd8577b9f";
    const GUIDED: &str = "d914091993d66aa576845a62c9460f642f630166f3bf2b647bc989d2d2b53b4b67f19b942f8f788c \
        40515ffd43d08004ce8d11c61fd07af8339e4f66705c5397146cc283eb810b4b61c9dfe2298733d0 \
        bd81e10593fad5a9df885238608dd8577baf";

    /// By libgguf.
    #[test]
    fn as_the_reference() {
        let first = [0.102705956, -0.18487072, 0.020541191, 0.020541191];
        assert_decodes::<Iq3Xxs, N>(BLOCK, first, 0xdf80_8058_e9a2_c1c1);
        assert_encodes::<Iq3Xxs, N>(false, BLOCK);
        assert_encodes::<Iq3Xxs, N>(true, GUIDED);
    }
}
