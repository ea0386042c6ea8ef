//! Q3_K: 256 weights of 3 bits; 16 groups of 16 with a scale of 6 bits each; 110 bytes, 3.4375 bits per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0..32 | `hmask` | the third bit of each weight; see below |
//! | 32..96 | `qs` | the lower two bits, as in Q2_K |
//! | 96..108 | `scales` | 6 bits per group: the low four of groups g and g + 8 in byte g, the high two of g, g + 4, g + 8 and g + 12 in byte 8 + g |
//! | 108..110 | `d` | binary16, the scale of the scales |
//!
//! Each half of the block, 128 weights, has 32 bytes of `qs`: byte i has the bits of its weights i, i + 32, i + 64 and
//! i + 96, from the lowest up. Byte i of `hmask` has one bit of the weights i, i + 32, … i + 224 of the block.
//!
//! `w = (d * (scale - 32)) * (q - 4)`. In C: `dequantize_row_q3_K`, `quantize_row_q3_K_ref`, `quantize_q3_K`.

mod encode;

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::{N, join};
use crate::block::Block;
use crate::half::F16;
use crate::wide::Sixteen;

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Q3K {
    hmask: [u8; 32],
    qs: [[u8; 32]; 2],
    scales: [u8; 12],
    d: F16,
}

impl Block<N> for Q3K {
    const TYPE: TensorType = TensorType::Q3_K;

    #[inline(always)]
    fn decode(&self, out: &mut [f32; N]) {
        let d = self.d.get();
        let scales = scales(&self.scales);
        let halves = self.qs.iter().zip(scales.as_chunks::<8>().0);
        for (half, (out, (qs, scales))) in out.as_chunks_mut::<128>().0.iter_mut().zip(halves).enumerate() {
            let mut codes = [0; 128];
            for (i, codes) in codes.as_chunks_mut::<32>().0.iter_mut().enumerate() {
                join::<2, 1>(codes, (qs, 2 * i as u32), (&self.hmask, (4 * half + i) as u32));
            }
            let groups = codes.as_chunks::<16>().0.iter().zip(scales);
            for (out, (codes, scale)) in out.as_chunks_mut::<16>().0.iter_mut().zip(groups) {
                let d = d * f32::from(*scale);
                *out = codes.map(|q| d * (f32::from(q) - 4.0));
            }
        }
    }

    #[inline(always)]
    fn decode_wide<L: Sixteen>(&self, out: &mut [f32; N]) {
        let scales = L::from_signed(&scales(&self.scales)) * self.d.all::<L>();
        let scales = scales.to_array();
        for (group, out) in out.as_chunks_mut::<16>().0.iter_mut().enumerate() {
            let low = &self.qs[group / 8].as_chunks::<16>().0[group % 2];
            let high = &self.hmask.as_chunks::<16>().0[group % 2];
            let codes = L::from_two_codes((low, group as u32 % 8 / 2 * 2, 3), (high, group as u32 / 2, 1), 2);
            *out = (L::all(scales[group]) * (codes - L::all(4.0))).to_array();
        }
    }
}

/// The scales of the groups, -32..=31.
#[inline(always)]
fn scales(packed: &[u8; 12]) -> [i8; 16] {
    let mut scales = [0_u8; 16];
    for i in 0..4 {
        let (first, second, high) = (packed[i], packed[i + 4], packed[i + 8]);
        scales[i] = first & 15 | (high & 3) << 4;
        scales[i + 4] = second & 15 | (high >> 2 & 3) << 4;
        scales[i + 8] = first >> 4 | (high >> 4 & 3) << 4;
        scales[i + 12] = second >> 4 | high >> 6 << 4;
    }
    scales.map(|scale| scale.cast_signed() - 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::testing::{assert_decodes, assert_encodes};

    const BLOCK: &str = "9f7e05e7dd3bd6f39e96a6f143eb55feb79d0f0f901d1228775b99f72c7d6ac0560900c51b308264 \
        23d49782d961ffa6b83c35429b1cf13a555532e5de4c304e1f94b24668b105be05f470852fc3287b \
        40a27dbd696cec41e96f5c4d33f5a19b068eb795887db64e033030fc861a";
    const GUIDED: &str = "9f7e05e7dd3bd6f39e96a6f143eb55feb79d0f0f901d1228775b99f72c7d6ac0920900c51b304274 \
        53c45752e9b1efe6b83c35429b1cf13a554532a5de4c300a1f94b24668b105be05f470852fc2287b \
        41a27dbd696dec40e96f5c4d33f5e19b344fa878a190cc39033430fcf61a";

    /// By libgguf.
    #[test]
    fn as_the_reference() {
        let first = [0.14015198, -0.21022797, 0.0, 0.07007599];
        assert_decodes::<Q3K, N>(BLOCK, first, 0x797c_4787_de1e_57c4);
        assert_encodes::<Q3K, N>(false, BLOCK);
        assert_encodes::<Q3K, N>(true, GUIDED);
    }
}
