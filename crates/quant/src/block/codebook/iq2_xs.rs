//! IQ2_XS: 256 weights, eight to a point of a book of 512; 74 bytes, 2.3125 bits per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0..2 | `d` | binary16, the scale of the scales |
//! | 2..66 | `qs` | a little-endian word of 16 bits per point: its index in the lower 9, seven of its signs in the upper |
//! | 66..74 | `scales` | a nibble per 16 weights, the low one first |
//!
//! The eighth sign of a point makes the number of minuses even.
//!
//! `w = (d * (0.5 + scale) * 0.25) * point * sign`. In C: `dequantize_row_iq2_xs`, `quantize_iq2_xs`.

mod encode;

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::{N, nibble, place, quarters, sixteen};
use crate::block::Block;
use crate::grid::{iq2, signs::even_signs};
use crate::half::F16;
use crate::wide::Sixteen;

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Iq2Xs {
    d: F16,
    qs: [[[u8; 2]; 2]; N / 16],
    scales: [u8; N / 32],
}

impl Block<N> for Iq2Xs {
    const TYPE: TensorType = TensorType::IQ2_XS;

    #[inline(always)]
    fn decode(&self, out: &mut [f32; N]) {
        let d = self.d.get();
        for (group, out) in out.as_chunks_mut::<16>().0.iter_mut().enumerate() {
            let d = d * (0.5 + f32::from(nibble(&self.scales, group))) * 0.25;
            for (out, word) in out.as_chunks_mut().0.iter_mut().zip(self.qs[group]) {
                let word = u16::from_le_bytes(word);
                place(out, d, &iq2::IQ2_XS[usize::from(word & 511)], even_signs(u32::from(word >> 9)));
            }
        }
    }

    #[inline(always)]
    fn decode_wide<L: Sixteen>(&self, out: &mut [f32; N]) {
        let scales = quarters::<L>(self.d, &self.scales);
        for (group, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
            let words = self.qs[group].map(u16::from_le_bytes);
            let point = |i: usize| &iq2::IQ2_XS[usize::from(words[i] & 511)];
            let signs = words.map(|word| even_signs(u32::from(word >> 9)));
            *out = sixteen(L::all(scales[group]), [point(0), point(1)], u16::from_le_bytes(signs));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::testing::{assert_decodes, assert_encodes};

    const BLOCK: &str = "41199c844e0f7b5d801f2916172c1f0a099600be6a8b254e9973516731411feea91b0dc32e179d99 \
        d0a851ab4da726fc0a8da1a54ce1a101b1d62cb1f95e2cdb22f77bccacab8fafcab9";

    /// By libgguf.
    #[test]
    fn as_the_reference() {
        let first = [0.18438697, -0.18438697, 0.05900383, 0.05900383];
        assert_decodes::<Iq2Xs, N>(BLOCK, first, 0x39ec_674b_6831_0c1c);
        assert_encodes::<Iq2Xs, N>(true, BLOCK);
    }
}
