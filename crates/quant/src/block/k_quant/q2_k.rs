//! Q2_K: 256 weights of 2 bits; 16 groups of 16 with a scale and a minimum of 4 bits each; 84 bytes, 2.625 bits per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0..16 | `scales` | byte g: low nibble = scale of group g, high nibble = its minimum |
//! | 16..80 | `qs` | 2 bits per weight; see below |
//! | 80..82 | `d` | binary16, the scale of the scales |
//! | 82..84 | `dmin` | binary16, the scale of the minimums |
//!
//! Each half of the block, 128 weights, has 32 bytes of `qs`: byte i has the bits of its weights i, i + 32, i + 64 and
//! i + 96, from the lowest up.
//!
//! `w = (d * scale) * q - (dmin * minimum)`. In C: `dequantize_row_q2_K`, `quantize_row_q2_K_ref`, `quantize_q2_K`.

mod encode;

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::N;
use crate::block::Block;
use crate::half::F16;
use crate::wide::Sixteen;

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Q2K {
    scales: [u8; 16],
    qs: [[[u8; 16]; 2]; 2],
    d: F16,
    dmin: F16,
}

impl Block<N> for Q2K {
    const TYPE: TensorType = TensorType::Q2_K;

    #[inline(always)]
    fn decode(&self, out: &mut [f32; N]) {
        let (d, dmin) = (self.d.get(), self.dmin.get());
        for (group, out) in out.as_chunks_mut::<16>().0.iter_mut().enumerate() {
            let scale = self.scales[group];
            let (d, min) = (d * f32::from(scale & 15), dmin * f32::from(scale >> 4));
            let shift = group % 8 / 2 * 2;
            *out = self.qs[group / 8][group % 2].map(|q| d * f32::from(q >> shift & 3) - min);
        }
    }

    #[inline(always)]
    fn decode_wide<L: Sixteen>(&self, out: &mut [f32; N]) {
        let scales = L::from_codes(&self.scales, 0, 15) * self.d.all::<L>();
        let minimums = L::from_codes(&self.scales, 4, 15) * self.dmin.all::<L>();
        let (scales, minimums) = (scales.to_array(), minimums.to_array());
        for (group, out) in out.as_chunks_mut::<16>().0.iter_mut().enumerate() {
            let q = L::from_codes(&self.qs[group / 8][group % 2], group as u32 % 8 / 2 * 2, 3);
            *out = (L::all(scales[group]) * q - L::all(minimums[group])).to_array();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::testing::{assert_decodes, assert_encodes};

    const BLOCK: &str = "eb3659499a786aeddfa9dbfbaabb9a971351de525b6695a2455092bf72264b0141454094795457aa \
        10b06c40d69567367499a25a55a9510c71216719d61ac54cbae32464e62669384e17ba9e294a58d5 \
        0b249a25";
    const GUIDED: &str = "eb3659599a786becdfa9dcdbabbc8a981751de525b6695a2455092bf72264b0141898094799567aa \
        10b0ac40d699a73a7499a25a55a9510c71216719d61ac54cbae32464a62666384e17b69e294a58d5 \
        9f239425";

    /// By libgguf.
    #[test]
    fn as_the_reference() {
        let first = [0.21482849, -0.13261414, 0.041107178, 0.041107178];
        assert_decodes::<Q2K, N>(BLOCK, first, 0x7a1a_d1cb_7534_30df);
        assert_encodes::<Q2K, N>(false, BLOCK);
        assert_encodes::<Q2K, N>(true, GUIDED);
    }
}
