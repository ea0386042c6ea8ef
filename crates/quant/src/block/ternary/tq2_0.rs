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
use crate::block::{Block, Encode, Guide};
use crate::codec::Importance;
use crate::half::F16;

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
}

impl Encode<N> for Tq2_0 {
    const IMPORTANCE: Importance = Importance::Unused;

    fn encode(&mut self, values: &[f32; N], _: Option<Guide<'_, N>>) {
        let (d, digits) = digits(values);
        self.d = F16::new(d);
        self.qs = std::array::from_fn(|half| {
            std::array::from_fn(|i| {
                (0..4).fold(0, |q, k| q | (digits[128 * half + 32 * k + i] & 3) << (2 * k))
            })
        });
    }
}
