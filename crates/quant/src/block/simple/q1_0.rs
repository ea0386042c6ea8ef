//! Q1_0: 128 weights of one bit and one scale; 18 bytes, 1.125 bits per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0..2 | `d` | binary16, the scale |
//! | 2..18 | `qs` | bit b of byte i = weight 8 * i + b |
//!
//! `w = q ? d : -d`. The scale is the mean distance from zero; a bit is set for 0 and above. In C:
//! `dequantize_row_q1_0`, `quantize_row_q1_0_ref`.

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::block::{Block, Encode};
use crate::half::F16;
use crate::wide::Sixteen;

const N: usize = 128;

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Q1_0 {
    d: F16,
    qs: [u8; N / 8],
}

impl Block<N> for Q1_0 {
    const TYPE: TensorType = TensorType::Q1_0;

    fn decode(&self, out: &mut [f32; N]) {
        let d = self.d.get();
        for (out, q) in out.as_chunks_mut::<8>().0.iter_mut().zip(&self.qs) {
            *out = std::array::from_fn(|bit| if q >> bit & 1 == 1 { d } else { -d });
        }
    }

    #[inline(always)]
    fn decode_wide<L: Sixteen>(&self, out: &mut [f32; N]) {
        let d = self.d.all::<L>();
        let minus = d.turn(u16::MAX);
        for (out, bits) in out.as_chunks_mut().0.iter_mut().zip(self.qs.as_chunks().0) {
            *out = L::by_bits(u16::from_le_bytes(*bits), d, minus).to_array();
        }
    }
}

impl Encode<N> for Q1_0 {
    #[inline(always)]
    fn encode(&mut self, values: &[f32; N]) {
        let mut sum = 0.0f32;
        for x in values {
            sum += x.abs();
        }
        self.d = F16::new(sum / N as f32);
        for (q, values) in self.qs.iter_mut().zip(values.as_chunks::<8>().0) {
            *q = (0..8).fold(0, |q, bit| q | u8::from(values[bit] >= 0.0) << bit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::testing::{assert_decodes, assert_encodes};

    /// By libgguf.
    #[test]
    fn as_the_reference() {
        assert_decodes::<Q1_0, N>(
            "c02804aa263f43f4adb02cd48e3297c42727",
            [-0.037109375, -0.037109375, 0.037109375, -0.037109375],
            0xee2a_9ec9_2207_9825,
        );
        assert_decodes::<Q1_0, N>(
            "05806d9e3f201f601241bf7db5d3942d7a55",
            [-2.9802322e-07, 2.9802322e-07, -2.9802322e-07, -2.9802322e-07],
            0xd849_1fda_3528_d4a5,
        );
        assert_encodes::<Q1_0, N>(false, "c82e9d78d3f05449f2f4a438d8e6ce5e8832");
    }
}
