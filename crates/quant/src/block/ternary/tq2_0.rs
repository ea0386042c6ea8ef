//! TQ2_0: 256 weights of three values, in two bits each, and one scale; 66 bytes, 2.0625 bits per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0..64 | `qs` | byte 32 * h + i: bits 2k and 2k + 1 = weight 128 * h + 32 * k + i |
//! | 64..66 | `d` | binary16, the scale |
//!
//! `w = d * (q - 1)`; encoding makes 0, 1 and 2, 3 is decoded, too. In C: `dequantize_row_tq2_0`,
//! `quantize_row_tq2_0_ref`.

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::{N, digits};
use crate::block::{Block, Encode};
use crate::half::F16;
use crate::wide::Sixteen;

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Tq2_0 {
    qs: [[u8; 32]; 2],
    d: F16,
}

impl Block<N> for Tq2_0 {
    const TYPE: TensorType = TensorType::TQ2_0;

    fn decode(&self, out: &mut [f32; N]) {
        let d = self.d.get();
        for (half, qs) in self.qs.iter().enumerate() {
            for k in 0..4 {
                for (i, q) in qs.iter().enumerate() {
                    out[128 * half + 32 * k + i] = (f32::from(q >> (2 * k) & 3) - 1.0) * d;
                }
            }
        }
    }

    #[inline(always)]
    fn decode_wide<L: Sixteen>(&self, out: &mut [f32; N]) {
        let d = self.d.all::<L>();
        for (at, out) in out.as_chunks_mut::<16>().0.iter_mut().enumerate() {
            let bytes = &self.qs[at / 8].as_chunks::<16>().0[at % 2];
            *out = ((L::from_codes(bytes, at as u32 % 8 / 2 * 2, 3) - L::all(1.0)) * d).to_array();
        }
    }
}

impl Encode<N> for Tq2_0 {
    #[inline(always)]
    fn encode(&mut self, values: &[f32; N]) {
        let (d, digits) = digits(values);
        self.d = F16::new(d);
        self.qs = std::array::from_fn(|half| {
            std::array::from_fn(|i| {
                (0..4).fold(0, |q, k| q | (digits[128 * half + 32 * k + i] & 3) << (2 * k))
            })
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::testing::{assert_decodes, assert_encodes};

    /// By libgguf.
    #[test]
    fn as_the_reference() {
        assert_decodes::<Tq2_0, N>(
            "8cdd6c1abfdc8356488a42d3faf65f75e0d896efe59b5cef5a20cf3e362b63f2aef8e2051decc6180780fb84a3753a00d7f9a5579fad0a7401ef0454f40c88e8c028",
            [-0.037109375, 0.0, -0.037109375, 0.037109375],
            0x6e36_0d4c_00a3_2fc5,
        );
        assert_decodes::<Tq2_0, N>(
            "9744139f80cfc3203d9459ba84e720dc8eab63221dd0bc4176ef8f51aa29e549fd7f189b9efae2a299bf5801a05b033151a91a3c430062ca03e0a7542b0bf2d90580",
            [-5.9604645e-07, 2.9802322e-07, -5.9604645e-07, -5.9604645e-07],
            0xe7ce_2b06_99ee_8b66,
        );
        assert_encodes::<Tq2_0, N>(
            false,
            "55559955555555955554556965554555555555555555555515555955955556256455515655555148615156559515955865515455555555645556655915455455ac36",
        );
    }
}
