//! IQ3_S: 256 weights, four to a point of a book of 512; 110 bytes, 3.4375 bits per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0..2 | `d` | binary16, the scale of the scales |
//! | 2..66 | `qs` | the lower eight bits of each point's index |
//! | 66..74 | `qh` | the ninth bit of eight indices, from the lowest up |
//! | 74..106 | `signs` | a bit per weight, set = negative |
//! | 106..110 | `scales` | a nibble per 32 weights, the low one first |
//!
//! `w = (d * (1 + 2 * scale)) * point * sign`. In C: `dequantize_row_iq3_s`, `quantize_iq3_s`.

mod encode;

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::{N, join, nibble, place, sixteen, spread_nibbles};
use crate::block::Block;
use crate::grid::iq3;
use crate::half::F16;
use crate::wide::Sixteen;

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Iq3S {
    d: F16,
    qs: [u8; N / 4],
    qh: [u8; N / 32],
    signs: [u8; N / 8],
    scales: [u8; N / 64],
}

impl Iq3S {
    /// The index of a point, below 512.
    #[inline(always)]
    fn index(&self, point: usize) -> usize {
        usize::from(self.qs[point]) | usize::from(self.qh[point / 8] >> (point % 8) & 1) << 8
    }
}

impl Block<N> for Iq3S {
    const TYPE: TensorType = TensorType::IQ3_S;

    #[inline(always)]
    fn decode(&self, out: &mut [f32; N]) {
        let d = self.d.get();
        for (eight, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
            let d = d * f32::from(1 + 2 * nibble(&self.scales, eight / 4));
            let point = |i: usize| iq3::IQ3_S[self.index(i)];
            place(out, d, &join(point(2 * eight), point(2 * eight + 1)), self.signs[eight]);
        }
    }

    #[inline(always)]
    fn decode_wide<L: Sixteen>(&self, out: &mut [f32; N]) {
        let scales = L::from_bytes(&spread_nibbles(&self.scales));
        let scales = (self.d.all::<L>() * (L::all(1.0) + L::all(2.0) * scales)).to_array();
        let (signs, points) = (self.signs.as_chunks().0, self.qs.as_chunks::<4>().0);
        for (group, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
            let (low, high) = (points[group], u32::from(self.qh[group / 2]) << 8 >> (group % 2 * 4));
            let point = |i: usize| &iq3::IQ3_S[usize::from(low[i]) | (high >> i) as usize & 256];
            let signs = u16::from_le_bytes(signs[group]);
            *out = sixteen(L::all(scales[group / 2]), [point(0), point(1), point(2), point(3)], signs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::testing::{assert_decodes, assert_encodes};

    const BLOCK: &str = "9a130f2b274cdbfd8d4e16c6ed8e212bbfcd021ef24f41842e9cbeb18073732e21ee7932bba03e5b \
        0e9968d67c81f073691a31952281ecf4b7a3f81e2ebaf862882a8c25cece3bca2aa662872c0fabb6 \
        0d0b5bc7271931a177cdf1cbccd075577e86daf800e398aeec73cbbbcfcb";
    const GUIDED: &str = "88130f2b274cdbfde64e16c6ed8121cbbfcd021ec84f41732e9cbcb18073703b21e27932bb953e5b \
        0e99bfd67ca9f02169c931952281ecf458a3eb1e2ebaf86288728c05cece3b4a2aa662872c0fabb6 \
        0d0b5bc7271931a177cdf1cbccd075577e86daf800e398aeec73cbbccfbb";

    /// By libgguf.
    #[test]
    fn as_the_reference() {
        let first = [0.10671139, -0.1920805, 0.021342278, 0.021342278];
        assert_decodes::<Iq3S, N>(BLOCK, first, 0xe5e1_ca0c_02fb_53cb);
        assert_encodes::<Iq3S, N>(false, BLOCK);
        assert_encodes::<Iq3S, N>(true, GUIDED);
    }
}
