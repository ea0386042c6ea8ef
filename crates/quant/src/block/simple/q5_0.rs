//! Q5_0: 32 weights of 5 bits and one scale; 22 bytes, 5.5 bits per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0..2 | `d` | binary16, the scale |
//! | 2..6 | `qh` | a word: bit i = fifth bit of weight i |
//! | 6..22 | `qs` | byte i: low nibble = low bits of weight i, high nibble = those of weight i + 16 |
//!
//! `w = d * (q - 16)`, q in 0..=31. In C: `dequantize_row_q5_0`, `quantize_row_q5_0_ref`, `quantize_q5_0`.

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::{N, extreme, fifth_bits, fives, inverse, pack_nibbles, weights};
use crate::block::{Block, Encode, Guide};
use crate::codec::Importance;
use crate::half::F16;
use crate::number::truncate;
use crate::scale::symmetric::{Weighing, symmetric};

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Q5_0 {
    d: F16,
    qh: [u8; 4],
    qs: [u8; N / 2],
}

impl Block<N> for Q5_0 {
    const TYPE: TensorType = TensorType::Q5_0;

    fn decode(&self, out: &mut [f32; N]) {
        let d = self.d.get();
        *out = fives(&self.qs, self.qh).map(|q| (f32::from(q) - 16.0) * d);
    }
}

impl Encode<N> for Q5_0 {
    const IMPORTANCE: Importance = Importance::Optional;
    const ROW_MEAN_SQUARE: bool = true;

    fn encode(&mut self, values: &[f32; N], guide: Option<Guide<'_, N>>) {
        let mut q = [0; N];
        let d = match guide {
            Some(guide) => symmetric(16, values, &mut q, Weighing::By(&weights(values, guide))),
            // The farthest value is -16 times the scale, the one number without a twin on the other side.
            None => {
                let d = extreme(values) / -16.0;
                let id = inverse(d);
                q = values.map(|x| (truncate(x * id + 16.5) as i8).min(31));
                d
            }
        };
        let q = q.map(|q| q as u8);
        self.d = F16::new(d);
        self.qh = fifth_bits(&q);
        self.qs = pack_nibbles(&q);
    }
}
