//! Q8_0: 32 weights of 8 bits and one scale; 34 bytes, 8.5 bits per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0..2 | `d` | binary16, the scale |
//! | 2..34 | `qs` | a signed byte per weight |
//!
//! `w = d * q`, q in -127..=127 (-128 is decoded, too). In C: `dequantize_row_q8_0`, `quantize_row_q8_0_ref`.

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::{N, inverse, reach};
use crate::block::{Block, Encode, Guide};
use crate::codec::Importance;
use crate::half::F16;
use crate::number::truncate;

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Q8_0 {
    d: F16,
    qs: [i8; N],
}

impl Block<N> for Q8_0 {
    const TYPE: TensorType = TensorType::Q8_0;

    fn decode(&self, out: &mut [f32; N]) {
        let d = self.d.get();
        *out = self.qs.map(|q| f32::from(q) * d);
    }
}

impl Encode<N> for Q8_0 {
    const IMPORTANCE: Importance = Importance::Unused;

    fn encode(&mut self, values: &[f32; N], _: Option<Guide<'_, N>>) {
        let d = reach(values) / 127.0;
        let id = inverse(d);
        self.d = F16::new(d);
        self.qs = values.map(|x| truncate((x * id).round()) as i8);
    }
}
