//! Q8_K: 256 weights of 8 bits and one scale; 292 bytes, 9.125 bits per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0..4 | `d` | binary32, the scale |
//! | 4..260 | `qs` | a signed byte per weight |
//! | 260..292 | `bsums` | for each 16 weights a signed word, the sum of their bytes; not looked at |
//!
//! `w = d * q`. An intermediate of multiplication, which no tool stores weights as: it is read, not written. In C:
//! `dequantize_row_q8_K`.

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::N;
use crate::block::Block;

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Q8K {
    d: [u8; 4],
    qs: [i8; N],
    bsums: [u8; N / 8],
}

impl Block<N> for Q8K {
    const TYPE: TensorType = TensorType::Q8_K;

    fn decode(&self, out: &mut [f32; N]) {
        let d = f32::from_le_bytes(self.d);
        *out = self.qs.map(|q| d * f32::from(q));
    }
}
