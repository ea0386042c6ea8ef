//! Q5_K: 256 weights of 5 bits; 8 groups of 32 with a scale and a minimum of 6 bits each; 176 bytes, 5.5 bits per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0..2 | `d` | binary16, the scale of the scales |
//! | 2..4 | `dmin` | binary16, the scale of the minimums |
//! | 4..16 | `scales` | scales and minimums of the groups; see `super::scales_and_minimums` |
//! | 16..48 | `qh` | the fifth bits: bit g of byte i = weight i of group g |
//! | 48..176 | `qs` | 32 bytes per two groups: low nibbles = the first group, high nibbles = the second |
//!
//! `w = (d * scale) * q - (dmin * minimum)`. In C: `dequantize_row_q5_K`, `quantize_row_q5_K_ref`, `quantize_q5_K`.

mod encode;

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::{N, scaled, scales_and_minimums};
use crate::block::Block;
use crate::half::F16;
use crate::wide::Sixteen;

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Q5K {
    d: F16,
    dmin: F16,
    scales: [u8; 12],
    qh: [u8; 32],
    qs: [[u8; 32]; 4],
}

impl Block<N> for Q5K {
    const TYPE: TensorType = TensorType::Q5_K;

    #[inline(always)]
    fn decode(&self, out: &mut [f32; N]) {
        let (d, dmin) = (self.d.get(), self.dmin.get());
        let (scales, minimums) = scales_and_minimums(&self.scales);
        for (group, out) in out.as_chunks_mut::<32>().0.iter_mut().enumerate() {
            let (d, min) = (d * f32::from(scales[group]), dmin * f32::from(minimums[group]));
            let (low, shift) = (&self.qs[group / 2], group % 2 * 4);
            *out = std::array::from_fn(|i| {
                let q = (low[i] >> shift & 15) | (self.qh[i] >> group & 1) << 4;
                d * f32::from(q) - min
            });
        }
    }

    #[inline(always)]
    fn decode_wide<L: Sixteen>(&self, out: &mut [f32; N]) {
        let scaled = scaled::<L>(&self.scales, self.d, self.dmin);
        for (group, out) in out.as_chunks_mut::<32>().0.iter_mut().enumerate() {
            let (d, min) = (L::all(scaled[group]), L::all(scaled[group + 8]));
            let bytes = self.qs[group / 2].as_chunks::<16>().0.iter().zip(self.qh.as_chunks::<16>().0);
            for (out, (low, high)) in out.as_chunks_mut().0.iter_mut().zip(bytes) {
                let codes = L::from_two_codes((low, group as u32 % 2 * 4, 15), (high, group as u32, 1), 4);
                *out = (d * codes - min).to_array();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::testing::{assert_decodes, assert_encodes};

    const BLOCK: &str = "0d0e491dedeceeb7fae0aafdaff5e02ec1a8db3903e5882d4048582f9d358b20e1d34048c741416f \
        201cc6a0692b25878a17e3344e91db43ce505fea27a41e6803125fac64f1bd397f5ffc7ee904af2a \
        a70cfd3bf6f39ca4e52a969f2aa4407283f4e32d87e9af113b69f195ea4df00bb17f0457ac0a48f4 \
        284cff48b0238cb02e04b4c48fdeec228fb7decf2a5f14aa0b8773ada6620d70fe43d17df62cf3b2 \
        1f8652934844c63ea3473b2e04b09688";
    const GUIDED: &str = "290e5a1dedeaedb5f9dea9fc9ff5d02dc1a8db3903e5882dc048582f9d358b20e1d34048c741416f \
        201cc6a0692b2d877a07e3344d91cb33cd504fea26a41e5803124e9c64f0bd386f5ffc7de903af29 \
        a70cfd3bf6f3acb4e53a969f2aa3407283f4f33d87e9af113a69f195fa5d000bb17e0456ab0a48f4 \
        284cfe48b0238cb02e04b4c48fdeec227eb7debf2a5f14a91a8773ada6620c800e42d18df62cf3b2 \
        2f8651934844c53da3463b2e03c0a688";

    /// By libgguf.
    #[test]
    fn as_the_reference() {
        let first = [0.13273859, -0.18302178, 0.01640582, 0.033024788];
        assert_decodes::<Q5K, N>(BLOCK, first, 0x8269_4124_debb_0f60);
        assert_encodes::<Q5K, N>(false, BLOCK);
        assert_encodes::<Q5K, N>(true, GUIDED);
    }
}
