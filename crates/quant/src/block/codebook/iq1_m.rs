//! IQ1_M: 256 weights, eight to a point of a book of 2048; 56 bytes, 1.75 bits per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0..32 | `qs` | the lower eight bits of each point's index |
//! | 32..48 | `qh` | a nibble per point, the low one first |
//! | 48..56 | `scales` | four little-endian words of 16 bits |
//!
//! A nibble has the upper three bits of the point's index, and in its highest bit which way the point is moved: 0 = up,
//! 1 = down, by an eighth. A word has the scales of four times 16 weights, three bits each from the lowest up, and in its
//! upper nibble a part of the scale of the scales, a binary16: its lowest four bits are those of the first word.
//!
//! `w = (d * (2 * scale + 1)) * (point ± 0.125)`. In C: `dequantize_row_iq1_m`, `quantize_iq1_m`.

mod encode;

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::{N, nibble, place_moved, shift, sixteen_moved};
use crate::block::Block;
use crate::grid::iq1::IQ1;
use crate::half::f16_to_f32;
use crate::wide::{Sixteen, WIDTH};

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Iq1M {
    qs: [u8; N / 8],
    qh: [u8; N / 16],
    scales: [[u8; 2]; N / 64],
}

impl Block<N> for Iq1M {
    const TYPE: TensorType = TensorType::IQ1_M;

    #[inline(always)]
    fn decode(&self, out: &mut [f32; N]) {
        let words = self.scales.map(u16::from_le_bytes);
        let d = f16_to_f32(words.iter().rev().fold(0, |d, word| d << 4 | word >> 12));
        for (point, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
            let group = point / 2;
            let d = d * f32::from(2 * (words[group / 4] >> (group % 4 * 3) & 7) + 1);
            let high = nibble(&self.qh, point);
            let index = usize::from(self.qs[point]) | usize::from(high & 7) << 8;
            place_moved(out, d, &IQ1[index], shift(high & 8 != 0));
        }
    }

    #[inline(always)]
    fn decode_wide<L: Sixteen>(&self, out: &mut [f32; N]) {
        let words = self.scales.map(u16::from_le_bytes);
        let d = words.iter().rev().fold(0_u16, |d, word| d << 4 | word >> 12);
        let mut scales = [0; WIDTH];
        for (scales, word) in scales.as_chunks_mut::<4>().0.iter_mut().zip(words) {
            // Three bits to a byte each, twofold and one more.
            let word = u32::from(word);
            let spread = word & 7 | (word & 0o70) << 5 | (word & 0o700) << 10 | (word & 0o7000) << 15;
            *scales = (spread << 1 | 0x0101_0101).to_le_bytes();
        }
        let scales = (L::all_half(d.to_le_bytes()) * L::from_bytes(&scales)).to_array();
        for (group, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
            let d = L::all(scales[group]);
            let (low, high) = (&self.qs.as_chunks::<2>().0[group], self.qh[group]);
            let first = usize::from(low[0]) | usize::from(high & 7) << 8;
            let second = usize::from(low[1]) | usize::from(high >> 4 & 7) << 8;
            // Bits 3 and 7, for eight lanes each.
            let down = (u16::from(high >> 3 & 1) | u16::from(high >> 7) << 8) * 0xff;
            let shift = L::by_bits(down, L::all(shift(true)), L::all(shift(false)));
            *out = sixteen_moved(d, [&IQ1[first], &IQ1[second]], shift);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::testing::{assert_decodes, assert_encodes};

    const BLOCK: &str = "08359db2481af3d62bbc60c36ee4bd5c729c2b66dddfc6471a50bd2892e5fbe1a377cc660f611712 \
        9809251b01074cd8dbc7db8865672427";
    const PLAIN: &str = "3f249db2481a400dd18423c36ef4bd76754310e5393acd1b054bbda492e5fba8ac77cc440e640702 \
        192aeecb02274ce8dccb1d9b666b2d27";

    /// By libgguf.
    #[test]
    fn as_the_reference() {
        let first = [0.20139313, -0.1566391, 0.022377014, 0.022377014];
        assert_decodes::<Iq1M, N>(BLOCK, first, 0xc718_2424_da34_e9c1);
        assert_encodes::<Iq1M, N>(true, BLOCK);
        assert_encodes::<Iq1M, N>(false, PLAIN);
    }
}
