//! Types whose weights are floats of 4 bits: a sign, two bits of exponent, one of mantissa (E2M1).

mod mxfp4;
mod nvfp4;

use super::{both, reach_of_bits};
use crate::codec::Codec;

/// The codecs of this family.
pub(super) static CODECS: &[Codec] = &[both::<mxfp4::Mxfp4, 32>(), both::<nvfp4::Nvfp4, 64>()];

/// What the 16 numbers are worth, twofold, which makes them integers (`kvalues_mxfp4` in C). The scales are halved.
const DOUBLED: [i8; 16] = [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12];

/// The same as floats.
static FLOATS: [f32; 16] = {
    let mut floats = [0.0; 16];
    let mut number = 0;
    while number < 16 {
        floats[number] = DOUBLED[number] as f32;
        number += 1;
    }
    floats
};

/// The values of bytes: the low nibbles' first, then the high ones'.
fn values<const B: usize>(qs: &[u8; B], scale: f32) -> ([f32; B], [f32; B]) {
    let value = |q: u8| f32::from(DOUBLED[usize::from(q & 15)]) * scale;
    (qs.map(value), qs.map(|q| value(q >> 4)))
}

/// For each value the first number whose own is nearest.
#[inline(always)]
fn nearest<const B: usize>(values: &[f32; B], scale: f32) -> [u8; B] {
    let (mut best, mut least) = ([0u32; B], [0.0f32; B]);
    for (q, doubled) in DOUBLED.iter().enumerate() {
        let point = f32::from(*doubled) * scale;
        for i in 0..B {
            let distance = (point - values[i]).abs();
            let nearer = q == 0 || distance < least[i];
            best[i] = if nearer { q as u32 } else { best[i] };
            least[i] = if nearer { distance } else { least[i] };
        }
    }
    best.map(|q| q as u8)
}

/// The bytes of two runs of weights: the first in the low nibbles.
#[inline(always)]
fn pack<const B: usize>(low: &[f32; B], high: &[f32; B], scale: f32) -> [u8; B] {
    let (low, high) = (nearest(low, scale), nearest(high, scale));
    std::array::from_fn(|i| low[i] | high[i] << 4)
}

/// The greatest distance from zero; values that are not a number do not count.
#[inline(always)]
fn reach<const N: usize>(values: &[f32; N]) -> f32 {
    let reach = reach_of_bits(values);
    if reach.is_nan() {
        // By their bits: comparisons of floats would be made a greatest of two, which on ARM is not a number where one of them is
        // signalling that it is none.
        let magnitudes = values.iter().filter(|x| !x.is_nan()).map(|x| x.abs().to_bits());
        f32::from_bits(magnitudes.max().unwrap_or(0))
    } else {
        reach
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::testing::checksum;
    use crate::codec;
    use ggufkit_format::spec::TensorType;

    #[test]
    fn the_numbers_are_the_formats() {
        // The sixteen floats of four bits by their definition: a sign, two bits of exponent (bias 1), one of mantissa.
        let doubled = |q: i32| {
            let (exponent, mantissa) = (q >> 1 & 3, q & 1);
            let magnitude = if exponent == 0 { mantissa } else { (2 + mantissa) << (exponent - 1) };
            if q & 8 == 0 { magnitude } else { -magnitude }
        };
        assert_eq!(DOUBLED.map(i32::from), std::array::from_fn(|q| doubled(q as i32)));
    }

    /// The number 1 with each of the 256 scales, by libgguf.
    #[test]
    fn the_scales_are_the_formats() {
        let scaled = |ty: TensorType, first_number: usize| {
            let codec = codec(ty).unwrap();
            let values = (0..=255_u8).map(|scale| {
                let mut block = vec![0; codec.block_bytes()];
                (block[0], block[first_number]) = (scale, 1);
                let mut out = vec![0.0; codec.block_elements()];
                codec.decode(&block, &mut out).unwrap();
                out[0]
            });
            values.collect::<Vec<f32>>()
        };
        let powers = scaled(TensorType::MXFP4, 1);
        assert_eq!((powers[127], powers[128], powers[0]), (0.5, 1.0, f32::from_bits(0x0020_0000)));
        assert_eq!(checksum(&powers), 0x7b22_ab04_866e_17b8);
        let floats = scaled(TensorType::NVFP4, 4);
        assert_eq!((floats[0], floats[1], floats[126], floats[127]), (0.0, 1.0 / 1024.0, 224.0, 0.0));
        assert_eq!(checksum(&floats), 0x25e5_a3c9_609f_857c);
    }
}
