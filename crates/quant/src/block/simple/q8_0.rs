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
use crate::block::{Block, Encode, truncated};
use crate::half::F16;
use crate::number::truncate;
use crate::wide::Sixteen;

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

    #[inline(always)]
    fn decode_wide<L: Sixteen>(&self, out: &mut [f32; N]) {
        let d = self.d.all::<L>();
        for (out, q) in out.as_chunks_mut().0.iter_mut().zip(self.qs.as_chunks().0) {
            *out = (L::from_signed(q) * d).to_array();
        }
    }
}

impl Encode<N> for Q8_0 {
    #[inline(always)]
    fn encode(&mut self, values: &[f32; N]) {
        let d = reach(values) / 127.0;
        let id = inverse(d);
        self.d = F16::new(d);
        self.qs = values.map(|x| truncate((x * id).round()) as i8);
    }

    #[inline(always)]
    fn encode_wide<L: Sixteen>(&mut self, values: &[f32; N]) {
        let d = reach(values) / 127.0;
        let id = L::all(inverse(d));
        self.d = F16::new(d);
        self.qs = truncated::<L, N>(values, |x| (x * id).round_away());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::testing::{assert_decodes, assert_encodes};

    /// By libgguf.
    #[test]
    fn as_the_reference() {
        assert_decodes::<Q8_0, N>(
            "c02834b88274b4537993083cda2cbefce57b102d94089751463f83a4d257dec9e151",
            [1.9296875, -2.671875, -4.6757812, 4.3046875],
            0xb192_3c3a_3029_4c31,
        );
        assert_decodes::<Q8_0, N>(
            "0580ac89b1de76095f0c46221e64b23dda92c406197029387e63dc786c5f4310470a",
            [2.503395e-05, 3.5464764e-05, 2.3543835e-05, 1.013279e-05],
            0xd484_552f_9506_ba5a,
        );
        assert_encodes::<Q8_0, N>(
            false,
            "de1838b4091053fcd00ae281ee3a201056bd0803e9d810f84f30ececd6e2320c5e36",
        );
    }
}
