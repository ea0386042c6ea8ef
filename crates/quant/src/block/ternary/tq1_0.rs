//! TQ1_0: 256 weights of three values and one scale; 54 bytes, 1.6875 bits per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0..32 | `qs` | five digits per byte: byte i has weights i, i + 32, … i + 128 |
//! | 32..48 | | byte 32 + i has weights 160 + i, 160 + i + 16, … 160 + i + 64 |
//! | 48..52 | `qh` | four digits per byte: byte i has weights 240 + i, 240 + i + 4, … 240 + i + 12 |
//! | 52..54 | `d` | binary16, the scale |
//!
//! `w = d * (digit - 1)`. A byte is a fraction of 256 in base 3, rounded up, its first digit the most significant:
//! multiplied by 3, what leaves the byte at the top is the digit. A fourth-digit byte is one whose fifth digit is 0. In C:
//! `dequantize_row_tq1_0`, `quantize_row_tq1_0_ref`.

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::{N, digits};
use crate::block::{Block, Encode};
use crate::half::F16;
use crate::wide::Sixteen;

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Tq1_0 {
    qs: [u8; 48],
    qh: [u8; 4],
    d: F16,
}

/// Runs of bytes that hold a stretch of weights: first byte, bytes, first weight, digits per byte.
///
/// Digit n of byte i is the weight that is n times the number of bytes behind the i-th.
const RUNS: [(usize, usize, usize, usize); 3] = [(0, 32, 0, 5), (32, 16, 160, 5), (48, 4, 240, 4)];

impl Tq1_0 {
    fn byte(&mut self, i: usize) -> &mut u8 {
        if i < 48 { &mut self.qs[i] } else { &mut self.qh[i & 3] }
    }
}

impl Block<N> for Tq1_0 {
    const TYPE: TensorType = TensorType::TQ1_0;

    fn decode(&self, out: &mut [f32; N]) {
        let d = self.d.get();
        for (start, count, first, digits) in RUNS {
            for i in 0..count {
                let mut q = if start < 48 { self.qs[start + i] } else { self.qh[i] };
                for n in 0..digits {
                    let digit = (u16::from(q) * 3) >> 8;
                    q = q.wrapping_mul(3);
                    out[first + n * count + i] = (f32::from(digit) - 1.0) * d;
                }
            }
        }
    }

    #[inline(always)]
    fn decode_wide<L: Sixteen>(&self, out: &mut [f32; N]) {
        let d = self.d.all::<L>();
        let place = |out: &mut [f32; 16], q: &[u8; 16]| {
            let mut digits = [0; 16];
            for (digit, q) in digits.iter_mut().zip(q) {
                // What leaves the byte when it is taken three times.
                *digit = u8::from(*q >= 86) + u8::from(*q >= 171);
            }
            *out = ((L::from_bytes(&digits) - L::all(1.0)) * d).to_array();
        };
        let out = out.as_chunks_mut::<16>().0;
        let next = |q: &mut [u8; 16]| q.iter_mut().for_each(|q| *q = q.wrapping_mul(3));
        for (run, bytes) in self.qs.as_chunks::<16>().0.iter().enumerate() {
            let (first, step) = if run < 2 { (run, 2) } else { (10, 1) };
            let mut q = *bytes;
            for n in 0..5 {
                place(&mut out[first + n * step], &q);
                next(&mut q);
            }
        }
        // Four bytes, in each the next digit.
        let mut q = [0; 16];
        for (i, q) in q.iter_mut().enumerate() {
            *q = self.qh[i % 4].wrapping_mul([1, 3, 9, 27][i / 4]);
        }
        place(&mut out[15], &q);
    }
}

impl Encode<N> for Tq1_0 {
    #[inline(always)]
    fn encode(&mut self, values: &[f32; N]) {
        let (d, digits) = digits(values);
        self.d = F16::new(d);
        for (start, count, first, per_byte) in RUNS {
            for i in 0..count {
                let number = (0..5).fold(0u8, |number, n| {
                    let digit = if n < per_byte { digits[first + n * count + i] } else { 0 };
                    number.wrapping_mul(3).wrapping_add(digit)
                });
                *self.byte(start + i) = (u16::from(number) * 256).div_ceil(243) as u8;
            }
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
        assert_decodes::<Tq1_0, N>(
            "544b1d10b6fe07015bbd401e7bfc46dff18e291d785d243eda54db0106f4aba618c44419797aed7b13730b40c154ddc95924e51bc028",
            [-0.037109375, -0.037109375, -0.037109375, -0.037109375],
            0x5392_39f3_9b0b_e085,
        );
        assert_decodes::<Tq1_0, N>(
            "77e19840225c462e54e64996487f4fca5f85233b48a4f08ed3f6c90e962acf4f4ee9492e9abb1e0f82ad65d5265f6965cbc294c70580",
            [-0.0, -2.9802322e-07, -0.0, 2.9802322e-07],
            0x2277_3d25_8ac9_4489,
        );
        assert_encodes::<Tq1_0, N>(
            false,
            "7f80a08180808082802b81a68980767f80807f808080807f7d819c808380d4868d642b8080802bcf342b839c817c81d57c7f7f7fac36",
        );
    }
}
