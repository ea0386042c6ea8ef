//! Q4_1: 32 weights of 4 bits, one scale and one offset; 20 bytes, 5 bits per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0..2 | `d` | binary16, the scale |
//! | 2..4 | `m` | binary16, the smallest value |
//! | 4..20 | `qs` | byte i: low nibble = weight i, high nibble = weight i + 16 |
//!
//! `w = d * q + m`, q in 0..=15. In C: `dequantize_row_q4_1`, `quantize_row_q4_1_ref`, `quantize_q4_1`.

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::{N, inverse, nibbles, pack_nibbles, range};
use crate::block::{Block, Encode, Guide};
use crate::codec::Importance;
use crate::half::F16;
use crate::number::truncate;

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Q4_1 {
    d: F16,
    m: F16,
    qs: [u8; N / 2],
}

impl Block<N> for Q4_1 {
    const TYPE: TensorType = TensorType::Q4_1;

    fn decode(&self, out: &mut [f32; N]) {
        let (d, m) = (self.d.get(), self.m.get());
        *out = nibbles(&self.qs).map(|q| f32::from(q) * d + m);
    }
}
