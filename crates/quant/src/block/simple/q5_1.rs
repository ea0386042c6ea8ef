//! Q5_1: 32 weights of 5 bits, one scale and one offset; 24 bytes, 6 bits per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0..2 | `d` | binary16, the scale |
//! | 2..4 | `m` | binary16, the smallest value |
//! | 4..8 | `qh` | a word: bit i = fifth bit of weight i |
//! | 8..24 | `qs` | byte i: low nibble = low bits of weight i, high nibble = those of weight i + 16 |
//!
//! `w = d * q + m`, q in 0..=31. In C: `dequantize_row_q5_1`, `quantize_row_q5_1_ref`, `quantize_q5_1`.

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::{N, fifth_bits, fives, inverse, pack_nibbles, range};
use crate::block::{Block, Encode, Guide};
use crate::codec::Importance;
use crate::half::F16;
use crate::number::truncate;

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Q5_1 {
    d: F16,
    m: F16,
    qh: [u8; 4],
    qs: [u8; N / 2],
}

impl Block<N> for Q5_1 {
    const TYPE: TensorType = TensorType::Q5_1;

    fn decode(&self, out: &mut [f32; N]) {
        let (d, m) = (self.d.get(), self.m.get());
        *out = fives(&self.qs, self.qh).map(|q| f32::from(q) * d + m);
    }
}
