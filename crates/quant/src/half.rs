//! The two floats of 16 bits, to `f32` and back.
//!
//! All conversions are exact where they can be and round to the nearest, ties to even, where they cannot. They are those of
//! ggml's portable code (`ggml_fp16_to_fp32` and its kin). Not-a-numbers:
//!
//! * from either, the sign and the payload are kept; a signalling one of binary16 becomes quiet, one of bfloat16 stays;
//! * to binary16, all of one sign become one (`0x7E00`); processors with an instruction for it keep the upper payload;
//! * to bfloat16, the upper payload is kept and made quiet.

use crate::wide::Sixteen;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The value of a binary16. Exact.
pub const fn f16_to_f32(bits: u16) -> f32 {
    let sign = (bits as u32 & 0x8000) << 16;
    let rest = bits as u32 & 0x7fff;
    let magnitude = match rest {
        // Subnormal: a whole number of 2^-24, which `f32` holds as a normal number.
        0..0x0400 => (rest as f32 * f32::from_bits(0x3380_0000)).to_bits(),
        // The exponent's bias is 15 here and 127 there.
        0x0400..0x7c00 => (rest << 13) + (112 << 23),
        0x7c00 => 0x7f80_0000,
        _ => 0x7fc0_0000 | (rest << 13),
    };
    f32::from_bits(sign | magnitude)
}

/// The nearest binary16; what is too large becomes infinite.
pub const fn f32_to_f16(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = ((bits >> 16) & 0x8000) as u16;
    let rest = bits & 0x7fff_ffff;
    let magnitude = match rest {
        // Below 2^-14: next to 0.5 a float counts in steps of 2^-24, as a subnormal binary16 does, and rounds by itself.
        0..0x3880_0000 => (f32::from_bits(rest) + 0.5).to_bits() - 0x3f00_0000,
        // Below 65520, half a step beyond the largest.
        0x3880_0000..0x477f_f000 => (rest - (112 << 23) + 0x0fff + ((rest >> 13) & 1)) >> 13,
        0x477f_f000..=0x7f80_0000 => 0x7c00,
        _ => 0x7e00,
    };
    sign | magnitude as u16
}

/// The value of a bfloat16. Exact; the bits are the upper half of the result's.
pub const fn bf16_to_f32(bits: u16) -> f32 {
    f32::from_bits((bits as u32) << 16)
}

/// The nearest bfloat16; what is too large becomes infinite.
pub const fn f32_to_bf16(value: f32) -> u16 {
    let bits = value.to_bits();
    if bits & 0x7fff_ffff > 0x7f80_0000 {
        return (bits >> 16) as u16 | 0x40;
    }
    // The largest finite number rounds up into infinity and no further.
    ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16) as u16
}

/// Rounds values to binary16, as many as both slices have.
pub fn to_f16(values: &[f32], out: &mut [u16]) {
    for (value, out) in values.iter().zip(out) {
        *out = without_branches(value.to_bits());
    }
}

/// What [`f32_to_f16`] makes of a float, in steps that a compiler does for several at once.
fn without_branches(bits: u32) -> u16 {
    let rest = bits & 0x7fff_ffff;
    let small = (f32::from_bits(rest) + 0.5).to_bits().wrapping_sub(0x3f00_0000);
    let even = (rest >> 13) & 1;
    let normal = rest.wrapping_sub(112 << 23).wrapping_add(0x0fff).wrapping_add(even) >> 13;
    let finite = if rest < 0x3880_0000 { small } else { normal };
    let large = if rest > 0x7f80_0000 { 0x7e00 } else { 0x7c00 };
    let magnitude = if rest < 0x477f_f000 { finite } else { large };
    (((bits >> 16) & 0x8000) | magnitude) as u16
}

/// Rounds values to bfloat16, as many as both slices have.
pub fn to_bf16(values: &[f32], out: &mut [u16]) {
    for (value, out) in values.iter().zip(out) {
        let bits = value.to_bits();
        let rounded = bits.wrapping_add(0x7fff).wrapping_add((bits >> 16) & 1) >> 16;
        let kept = (bits >> 16) | 0x40;
        *out = if bits & 0x7fff_ffff > 0x7f80_0000 { kept } else { rounded } as u16;
    }
}

/// A binary16 as blocks hold it: two bytes, anywhere.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(transparent)]
pub(crate) struct F16([u8; 2]);

impl F16 {
    pub(crate) fn new(value: f32) -> Self {
        F16(f32_to_f16(value).to_le_bytes())
    }

    /// Of a scale that was searched for. One that is no number came of sums that are not finite, and then its sign is the
    /// processor's choice: it is the one of x86, so that blocks have the same bytes everywhere.
    pub(crate) fn searched(value: f32) -> Self {
        if value.is_nan() { F16([0x00, 0xfe]) } else { Self::new(value) }
    }

    pub(crate) fn to_bits(self) -> u16 {
        u16::from_le_bytes(self.0)
    }

    pub(crate) fn get(self) -> f32 {
        f16_to_f32(self.to_bits())
    }

    /// The same for all groups.
    #[inline(always)]
    pub(crate) fn all<L: Sixteen>(self) -> L {
        L::all_half(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_searched_scale_that_is_no_number_has_one_sign() {
        for value in [f32::NAN, -f32::NAN, f32::from_bits(0x7f80_0001)] {
            assert_eq!(F16::searched(value).to_bits(), 0xfe00);
        }
        for value in [0.0, -0.0, 0.1, -70_000.0, f32::INFINITY] {
            assert_eq!(F16::searched(value).to_bits(), f32_to_f16(value));
        }
    }

    #[test]
    fn every_binary16_comes_back() {
        for bits in 0..=u16::MAX {
            let value = f16_to_f32(bits);
            if value.is_nan() {
                assert_eq!(f32_to_f16(value), (bits & 0x8000) | 0x7e00);
            } else {
                assert_eq!(f32_to_f16(value), bits, "{value}");
            }
        }
    }

    #[test]
    fn every_bfloat16_comes_back() {
        for bits in 0..=u16::MAX {
            let value = bf16_to_f32(bits);
            let expected = if value.is_nan() { bits | 0x40 } else { bits };
            assert_eq!(f32_to_bf16(value), expected, "{value}");
        }
    }

    /// Floats of every exponent, with fractions around the halves of both.
    #[test]
    fn slices_are_rounded_as_single_values() {
        let fractions =
            (0..1 << 11).flat_map(|at| [0, 1, 0x7ff, 0x800, 0x801, 0xfff].map(|low| (at << 12) | low));
        let fractions: Vec<u32> = fractions.collect();
        let mut halves = vec![0; fractions.len()];
        for exponent in 0..512_u32 {
            let values: Vec<f32> =
                fractions.iter().map(|low| f32::from_bits((exponent << 23) | low)).collect();
            to_f16(&values, &mut halves);
            assert!(
                values.iter().zip(&halves).all(|(value, half)| f32_to_f16(*value) == *half),
                "{exponent}"
            );
            to_bf16(&values, &mut halves);
            assert!(
                values.iter().zip(&halves).all(|(value, half)| f32_to_bf16(*value) == *half),
                "{exponent}"
            );
        }
    }

    /// The numbers are IEEE 754's: largest, smallest normal, smallest subnormal, and halves between neighbours.
    #[test]
    fn binary16_at_its_edges() {
        assert_eq!(f16_to_f32(0x7bff), 65504.0);
        assert_eq!(f16_to_f32(0x0400).to_bits(), 0x3880_0000);
        assert_eq!(f16_to_f32(0x0001).to_bits(), 0x3380_0000);
        assert_eq!(f16_to_f32(0x8000).to_bits(), 0x8000_0000);
        assert_eq!(f16_to_f32(0x7d01).to_bits(), 0x7fe0_2000, "a signalling one becomes quiet");
        assert_eq!(f32_to_f16(65519.996), 0x7bff);
        assert_eq!(f32_to_f16(65520.0), 0x7c00);
        assert_eq!(f32_to_f16(f32::from_bits(0x3300_0000)), 0, "half of the smallest goes to the even zero");
        assert_eq!(f32_to_f16(f32::from_bits(0x3300_0001)), 1);
        assert_eq!(f32_to_f16(1.0 + 1.0 / 2048.0), 0x3c00);
        assert_eq!(f32_to_f16(1.0 + 3.0 / 2048.0), 0x3c02);
        assert_eq!(f32_to_f16(f32::from_bits(0x387f_ffff)), 0x0400, "rounds up into the normal numbers");
    }

    #[test]
    fn bfloat16_at_its_edges() {
        assert_eq!(f32_to_bf16(f32::MAX), 0x7f80);
        assert_eq!(f32_to_bf16(f32::from_bits(0x3f80_8000)), 0x3f80);
        assert_eq!(f32_to_bf16(f32::from_bits(0x3f81_8000)), 0x3f82);
        assert_eq!(f32_to_bf16(f32::from_bits(0x7f80_0001)), 0x7fc0);
        assert_eq!(f32_to_bf16(f32::from_bits(1)), 0);
    }
}
