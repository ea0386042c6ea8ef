//! Q2_0: 64 weights of two bits and one scale; 18 bytes, 2.25 bits per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0..2 | `d` | binary16, the scale |
//! | 2..18 | `qs` | bits 2k and 2k + 1 of byte i = weight 4 * i + k |
//!
//! `w = d * (q - 1)`, q in 0..=3. The scale is the greatest distance from zero, so that encoding makes no 3. In C:
//! `dequantize_row_q2_0`, `quantize_row_q2_0_ref`.

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::extreme;
use crate::block::{Block, Encode};
use crate::half::F16;
use crate::number::truncate;

const N: usize = 64;

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Q2_0 {
    d: F16,
    qs: [u8; N / 4],
}

impl Block<N> for Q2_0 {
    const TYPE: TensorType = TensorType::Q2_0;

    fn decode(&self, out: &mut [f32; N]) {
        let d = self.d.get();
        for (out, q) in out.as_chunks_mut::<4>().0.iter_mut().zip(&self.qs) {
            *out = std::array::from_fn(|k| (f32::from(q >> (2 * k) & 3) - 1.0) * d);
        }
    }
}

impl Encode<N> for Q2_0 {
    #[inline(always)]
    fn encode(&mut self, values: &[f32; N]) {
        let d = extreme(values).abs();
        let id = super::inverse(d);
        self.d = F16::new(d);
        for (q, values) in self.qs.iter_mut().zip(values.as_chunks::<4>().0) {
            let number = |x: f32| truncate((x * id).round()).saturating_add(1).clamp(0, 3) as u8;
            *q = (0..4).fold(0, |q, k| q | number(values[k]) << (2 * k));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::testing::{assert_decodes, assert_encodes};

    /// By the definition in the oracle.
    #[test]
    fn as_the_reference() {
        assert_decodes::<Q2_0, N>(
            "c028d916cdfb21c6c1ff91a761565a702416",
            [0.0, 0.037109375, 0.0, 0.07421875],
            0xbee7_686e_8b83_41f5,
        );
        assert_decodes::<Q2_0, N>(
            "0580c212cddb8d8800160eb686b2eb819333",
            [-2.9802322e-07, 2.9802322e-07, 2.9802322e-07, -5.9604645e-07],
            0xde20_c294_3097_ecf5,
        );
        assert_encodes::<Q2_0, N>(false, "803551565165556555656555955555566555");
    }
}
