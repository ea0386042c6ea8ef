//! Q6_K: 256 weights of 6 bits; 16 groups of 16 with a signed scale of 8 bits each; 210 bytes, 6.5625 bits per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0..128 | `ql` | the lower four bits of each weight; see below |
//! | 128..192 | `qh` | the upper two |
//! | 192..208 | `scales` | a signed byte per group |
//! | 208..210 | `d` | binary16, the scale of the scales |
//!
//! Each half of the block, 128 weights, has 64 bytes of `ql`: byte i has its weight i in the low nibble and i + 64 in the
//! high one; and 32 bytes of `qh`: byte i has the bits of its weights i, i + 32, i + 64 and i + 96, from the lowest up.
//!
//! `w = (d * scale) * (q - 32)`. In C: `dequantize_row_q6_K`, `quantize_row_q6_K_ref`, `quantize_q6_K`.

mod encode;

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::{N, join};
use crate::block::Block;
use crate::half::F16;
use crate::wide::Sixteen;

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Q6K {
    ql: [[u8; 64]; 2],
    qh: [[u8; 32]; 2],
    scales: [i8; 16],
    d: F16,
}

impl Block<N> for Q6K {
    const TYPE: TensorType = TensorType::Q6_K;

    #[inline(always)]
    fn decode(&self, out: &mut [f32; N]) {
        let d = self.d.get();
        let halves = self.ql.iter().zip(&self.qh).zip(self.scales.as_chunks::<8>().0);
        for (out, ((ql, qh), scales)) in out.as_chunks_mut::<128>().0.iter_mut().zip(halves) {
            let mut codes = [0; 128];
            let (first, second) = ql.split_at(32);
            join::<4, 2>(&mut codes[..32], (first, 0), (qh, 0));
            join::<4, 2>(&mut codes[32..64], (second, 0), (qh, 2));
            join::<4, 2>(&mut codes[64..96], (first, 4), (qh, 4));
            join::<4, 2>(&mut codes[96..], (second, 4), (qh, 6));
            let groups = codes.as_chunks::<16>().0.iter().zip(scales);
            for (out, (codes, scale)) in out.as_chunks_mut::<16>().0.iter_mut().zip(groups) {
                let d = d * f32::from(*scale);
                *out = codes.map(|q| d * (f32::from(q) - 32.0));
            }
        }
    }

    #[inline(always)]
    fn decode_wide<L: Sixteen>(&self, out: &mut [f32; N]) {
        let scales = (L::from_signed(&self.scales) * self.d.all::<L>()).to_array();
        for (group, out) in out.as_chunks_mut::<16>().0.iter_mut().enumerate() {
            let (half, quarter, part) = (group / 8, group % 8 / 2, group % 2);
            let low = &self.ql[half].as_chunks::<16>().0[quarter % 2 * 2 + part];
            let high = &self.qh[half].as_chunks::<16>().0[part];
            let codes =
                L::from_two_codes((low, quarter as u32 / 2 * 4, 15), (high, quarter as u32 * 2, 3), 4);
            *out = (L::all(scales[group]) * (codes - L::all(32.0))).to_array();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::testing::{assert_decodes, assert_encodes};

    const BLOCK: &str = "ae1d0234b56f2442d840bb1ea854561f5d4f68fdab83c67057576e1a60fc911ec40f01ab2022cc9a \
        3da8d8d1bdb075270fe6e8610ed95f3465c7f124eaa7000575bd530fe274199008618118da253156 \
        15158566d7452e3016cf84f85776d5a6e5fc11b8b33ff8fc05674ef715a310945320b537a0998b73 \
        5d85896514884123aaa8226aa799251aa56829024a9a77f879757a9a416654952a8a527ae5959804 \
        472951a8a65662bf82d294aa25e936bf8ad31454861655087a27869e197a68e55abb9e969eb7a25e \
        804a6262a69ead4ede06";
    const GUIDED: &str = "ae1d0234b55f2432e850bb0f9844662f5d4f68fd9b83c67057576e2a6ffc911ec40f01ab2022ccaa \
        3da8d8d1bdb07527ffe6e8610ed95f4455d7f124faa7000575bd530fe274199008618118da253156 \
        15158667d7442e3115ce84f75876d6a7e5fc00b8b23ff7fd04664ef715a310955321a637b0898b73 \
        5d858a6403884123aaa8226aa799251aa56829024a9a77f839757a9a416654952a8a527ae4959804 \
        472951a8a65662bf82d294aa25e936bf8ad31454861655087a27869e197a68e55abb9e96a2b7a15c \
        804d5f65a69dad4cdb06";

    /// By libgguf.
    #[test]
    fn as_the_reference() {
        let first = [0.13202906, -0.17918229, 0.018861294, 0.037722588];
        assert_decodes::<Q6K, N>(BLOCK, first, 0xf641_91cb_37ce_6a4d);
        assert_encodes::<Q6K, N>(false, BLOCK);
        assert_encodes::<Q6K, N>(true, GUIDED);
    }
}
