//! Q4_K: 256 weights of 4 bits; 8 groups of 32 with a scale and a minimum of 6 bits each; 144 bytes, 4.5 bits per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0..2 | `d` | binary16, the scale of the scales |
//! | 2..4 | `dmin` | binary16, the scale of the minimums |
//! | 4..16 | `scales` | scales and minimums of the groups; see `super::scales_and_minimums` |
//! | 16..144 | `qs` | 32 bytes per two groups: low nibbles = the first group, high nibbles = the second |
//!
//! `w = (d * scale) * q - (dmin * minimum)`. In C: `dequantize_row_q4_K`, `quantize_row_q4_K_ref`, `quantize_q4_K`.

mod encode;

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::{N, scaled, scales_and_minimums};
use crate::block::Block;
use crate::half::F16;
use crate::wide::Sixteen;

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Q4K {
    d: F16,
    dmin: F16,
    scales: [u8; 12],
    qs: [[u8; 32]; 4],
}

impl Block<N> for Q4K {
    const TYPE: TensorType = TensorType::Q4_K;

    #[inline(always)]
    fn decode(&self, out: &mut [f32; N]) {
        let (d, dmin) = (self.d.get(), self.dmin.get());
        let (scales, minimums) = scales_and_minimums(&self.scales);
        for (group, out) in out.as_chunks_mut::<32>().0.iter_mut().enumerate() {
            let (d, min) = (d * f32::from(scales[group]), dmin * f32::from(minimums[group]));
            let shift = group % 2 * 4;
            *out = self.qs[group / 2].map(|q| d * f32::from(q >> shift & 15) - min);
        }
    }

    #[inline(always)]
    fn decode_wide<L: Sixteen>(&self, out: &mut [f32; N]) {
        let scaled = scaled::<L>(&self.scales, self.d, self.dmin);
        for (group, out) in out.as_chunks_mut::<32>().0.iter_mut().enumerate() {
            let (d, min) = (L::all(scaled[group]), L::all(scaled[group + 8]));
            let bytes = self.qs[group / 2].as_chunks().0;
            for (out, bytes) in out.as_chunks_mut().0.iter_mut().zip(bytes) {
                *out = (d * L::from_codes(bytes, group as u32 % 2 * 4, 15) - min).to_array();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::testing::{assert_decodes, assert_encodes};

    const BLOCK: &str = "3912501deeeaaef6f9dea9fc9ff6ff114c03f91aae486529662027fc1b5a8e3409892756ba785e9c \
        3727f6367c895f9c5386f6957379c6da7295c3cf9c59a031427271964b74578815bc7842f5a6880d \
        50b70aab568524f214267fa4589946d0970a526247677691b75b67d795a782557db4aa4743a97630 \
        7f2a6937e316e2518fbb294a9c2a5b1f42239e870a5043b4";
    const GUIDED: &str = "3612571deeecaef6f9dca9fb9ff6ef013c03e91a9e486519562027ec0b4a8e2409892746aa785e8c \
        3727f6366c794f8c5386f6957379c6da7295c3cf9d59a031427271964b74578815ac7842f5a6780d \
        50b70aab568524f214267fa4589946d0970a526247677691b75b67d795a782557db4aa4743a97630 \
        7f296937e316e2518fbb294a9c2a5b1f42239e870a5043b4";

    /// By libgguf.
    #[test]
    fn as_the_reference() {
        let first = [0.12358475, -0.19089031, 0.018759727, 0.0537014];
        assert_decodes::<Q4K, N>(BLOCK, first, 0x83c6_9479_6350_996d);
        assert_encodes::<Q4K, N>(false, BLOCK);
        assert_encodes::<Q4K, N>(true, GUIDED);
    }
}
