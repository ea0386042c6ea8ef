//! MXFP4: 32 weights of 4 bits and a power of two as their scale; 17 bytes, 4.25 bits per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0 | `e` | the scale is 2^(e - 127) (E8M0) |
//! | 1..17 | `qs` | byte i: low nibble = weight i, high nibble = weight i + 16 |
//!
//! `w = 2^(e - 127) * e2m1(q)`. The microscaling formats say of an `e` of 255 that it is not a number; the reference takes
//! it for 2^128, and so does this. In C: `dequantize_row_mxfp4`, `quantize_row_mxfp4_ref`.

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::{FLOATS, pack, reach, values};
use crate::block::{Block, Encode, upper};
use crate::number::truncate;
use crate::wide::Sixteen;

const N: usize = 32;

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Mxfp4 {
    e: u8,
    qs: [u8; N / 2],
}

/// Half of 2^(e - 127); the two smallest are subnormal.
fn half_of_power(e: u8) -> f32 {
    f32::from_bits(match e {
        0 | 1 => 0x0020_0000 << e,
        _ => (u32::from(e) - 1) << 23,
    })
}

/// The exponent that puts the farthest value between 4 and 8 times the scale; 6 is the largest number.
///
/// The logarithm is a float, rounded: a value close below a power of two counts as that power. What lies below all
/// exponents wraps around, to scales that make zeros of everything.
#[inline(always)]
fn exponent(reach: f32) -> u8 {
    if reach > 0.0 {
        let logarithm = f64::from(reach).log2() as f32;
        truncate(logarithm.floor() - 2.0 + 127.0) as u8
    } else {
        0
    }
}

impl Block<N> for Mxfp4 {
    const TYPE: TensorType = TensorType::MXFP4;

    fn decode(&self, out: &mut [f32; N]) {
        let (low, high) = values(&self.qs, half_of_power(self.e));
        out[..N / 2].copy_from_slice(&low);
        out[N / 2..].copy_from_slice(&high);
    }

    #[inline(always)]
    fn decode_wide<L: Sixteen>(&self, out: &mut [f32; N]) {
        let scale = L::all(half_of_power(self.e));
        let high = upper(&self.qs);
        out[..N / 2].copy_from_slice(&(L::look_up(&FLOATS, &self.qs) * scale).to_array());
        out[N / 2..].copy_from_slice(&(L::look_up(&FLOATS, &high) * scale).to_array());
    }
}

impl Encode<N> for Mxfp4 {
    #[inline(always)]
    fn encode(&mut self, values: &[f32; N]) {
        self.e = exponent(reach(values));
        if let [low, high] = values.as_chunks().0 {
            self.qs = pack(low, high, half_of_power(self.e));
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
        assert_decodes::<Mxfp4, N>(
            "ad403afadf3170802c94533b9be2118ac8",
            [0.0, -7.0368744e+13, -7.0368744e+13, -4.2221247e+14],
            0x3c25_b852_c8ac_56e5,
        );
        assert_decodes::<Mxfp4, N>(
            "ce9fc4d5a6c822b54b004ea3596f4eabab",
            [-3.6267775e+24, 1.2089258e+24, 1.8133887e+24, 2.4178516e+24],
            0xfa0e_0eb3_60c1_f870,
        );
        assert_encodes::<Mxfp4, N>(false, "7b140da1b115905c41aaaeb9a44211654d");
    }
}
