//! IQ2_S: 256 weights, eight to a point of a book of 1024; 82 bytes, 2.5625 bits per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0..2 | `d` | binary16, the scale of the scales |
//! | 2..34 | `qs` | the lower eight bits of each point's index |
//! | 34..66 | `signs` | a byte per point: bit i set = its weight i is negative |
//! | 66..74 | `qh` | the upper two bits of four indices, from the lowest up |
//! | 74..82 | `scales` | a nibble per 16 weights, the low one first |
//!
//! `w = (d * (0.5 + scale) * 0.25) * point * sign`. In C: `dequantize_row_iq2_s`, `quantize_iq2_s`.

mod encode;

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::{N, nibble, place, quarters, sixteen};
use crate::block::Block;
use crate::grid::iq2;
use crate::half::F16;
use crate::wide::Sixteen;

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Iq2S {
    d: F16,
    qs: [u8; N / 8],
    signs: [u8; N / 8],
    qh: [u8; N / 32],
    scales: [u8; N / 32],
}

impl Iq2S {
    /// The index of a point, below 1024.
    #[inline(always)]
    fn index(&self, point: usize) -> usize {
        usize::from(self.qs[point]) | usize::from(self.qh[point / 4] >> (point % 4 * 2) & 3) << 8
    }
}

impl Block<N> for Iq2S {
    const TYPE: TensorType = TensorType::IQ2_S;

    #[inline(always)]
    fn decode(&self, out: &mut [f32; N]) {
        let d = self.d.get();
        for (point, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
            let d = d * (0.5 + f32::from(nibble(&self.scales, point / 2))) * 0.25;
            place(out, d, &iq2::IQ2_S[self.index(point)], self.signs[point]);
        }
    }

    #[inline(always)]
    fn decode_wide<L: Sixteen>(&self, out: &mut [f32; N]) {
        let scales = quarters::<L>(self.d, &self.scales);
        let signs = self.signs.as_chunks().0;
        for (group, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
            let point = |i: usize| &iq2::IQ2_S[self.index(2 * group + i)];
            let signs = u16::from_le_bytes(signs[group]);
            *out = sixteen(L::all(scales[group]), [point(0), point(1)], signs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::testing::{assert_decodes, assert_encodes};

    const BLOCK: &str = "5c19ef85fe0f2b19220900af28418a32225fe82ae9cfe1a029e54ba0c95a27c1271362872c0fabb6 \
        0d0b5bc7271931a177cdf1cbccd075577e86daf800e398aeec73e800c8ca194b7ba67bcb8cbbdfba \
        a9aa";
    const GUIDED: &str = "2b19ef85fe0f2b19220900af283d8a32225fe82a4677e1a029e54ba0c95a4ed5271362872c0fabb6 \
        0d0b5bc7271931a177cdf1cbccd075577e86daf800e398aeec73e800c8ca794b7ba67bdcadbb9faa \
        a9b8";

    /// By libgguf.
    #[test]
    fn as_the_reference() {
        let first = [0.18808842, -0.18808842, 0.060188293, 0.060188293];
        assert_decodes::<Iq2S, N>(BLOCK, first, 0xeefc_bca8_3560_db0c);
        assert_encodes::<Iq2S, N>(false, BLOCK);
        assert_encodes::<Iq2S, N>(true, GUIDED);
    }
}
