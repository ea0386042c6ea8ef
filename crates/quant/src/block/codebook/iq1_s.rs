//! IQ1_S: 256 weights, eight to a point of a book of 2048; 50 bytes, 1.5625 bits per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0..2 | `d` | binary16, the scale of the scales |
//! | 2..34 | `qs` | the lower eight bits of each point's index |
//! | 34..50 | `qh` | a little-endian word of 16 bits per group of 32 weights |
//!
//! The word has the upper three bits of the indices of four points, from the lowest up, the group's scale in bits 12 to
//! 14, and in bit 15 which way its points are moved: 0 = up, 1 = down, by an eighth.
//!
//! `w = (d * (2 * scale + 1)) * (point ± 0.125)`. In C: `dequantize_row_iq1_s`, `quantize_iq1_s`.

mod encode;

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::{N, place_moved, shift, sixteen_moved};
use crate::block::Block;
use crate::grid::iq1::IQ1;
use crate::half::F16;
use crate::wide::{Sixteen, WIDTH};

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Iq1S {
    d: F16,
    qs: [[u8; 4]; N / 32],
    qh: [[u8; 2]; N / 32],
}

impl Block<N> for Iq1S {
    const TYPE: TensorType = TensorType::IQ1_S;

    #[inline(always)]
    fn decode(&self, out: &mut [f32; N]) {
        let d = self.d.get();
        let groups = self.qs.iter().zip(self.qh);
        for (out, (low, word)) in out.as_chunks_mut::<32>().0.iter_mut().zip(groups) {
            let word = u16::from_le_bytes(word);
            let d = d * f32::from(2 * (word >> 12 & 7) + 1);
            for (i, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
                let index = usize::from(low[i]) | usize::from(word >> (3 * i) & 7) << 8;
                place_moved(out, d, &IQ1[index], shift(word >> 15 == 1));
            }
        }
    }

    #[inline(always)]
    fn decode_wide<L: Sixteen>(&self, out: &mut [f32; N]) {
        let mut scales = [0; WIDTH];
        for (scale, word) in scales.iter_mut().zip(self.qh) {
            *scale = (word[1] >> 4 & 7) * 2 + 1;
        }
        let scales = (self.d.all::<L>() * L::from_bytes(&scales)).to_array();
        let groups = self.qs.iter().zip(self.qh);
        for ((out, (low, word)), d) in out.as_chunks_mut::<32>().0.iter_mut().zip(groups).zip(scales) {
            let (word, d) = (u16::from_le_bytes(word), L::all(d));
            let shift = L::all(shift(word >> 15 == 1));
            for (i, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
                let point = |i: usize| &IQ1[usize::from(low[i]) | usize::from(word >> (3 * i) & 7) << 8];
                *out = sixteen_moved(d, [point(2 * i), point(2 * i + 1)], shift);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::testing::{assert_decodes, assert_encodes};

    const BLOCK: &str = "39243f17a5bc5eddf3d6a9bc60c3a8e4bd5c729c2be5feffcd991a50bd2886e8dd9dd4ef996d465c \
        8f6248f4edf8c161095a";

    /// By libgguf.
    #[test]
    fn as_the_reference() {
        let first = [0.18762779, -0.24123573, -0.02680397, -0.02680397];
        assert_decodes::<Iq1S, N>(BLOCK, first, 0x35a5_dc3b_ff16_d784);
        assert_encodes::<Iq1S, N>(true, BLOCK);
    }
}
