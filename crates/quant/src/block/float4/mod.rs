//! Types whose weights are floats of 4 bits: a sign, two bits of exponent, one of mantissa (E2M1).

mod mxfp4;
mod nvfp4;

use super::both;
use crate::codec::Codec;

/// The codecs of this family.
pub(super) static CODECS: &[Codec] = &[both::<mxfp4::Mxfp4, 32>(), both::<nvfp4::Nvfp4, 64>()];

/// What the 16 numbers are worth, twofold, which makes them integers (`kvalues_mxfp4` in C). The scales are halved.
const DOUBLED: [i8; 16] = [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12];

/// The values of bytes: the low nibbles' first, then the high ones'.
fn values<const B: usize>(qs: &[u8; B], scale: f32) -> ([f32; B], [f32; B]) {
    let value = |q: u8| f32::from(DOUBLED[usize::from(q & 15)]) * scale;
    (qs.map(value), qs.map(|q| value(q >> 4)))
}

/// The first number whose value is nearest.
fn nearest(x: f32, scale: f32) -> u8 {
    let distance = |q: u8| (f32::from(DOUBLED[usize::from(q & 15)]) * scale - x).abs();
    let (mut best, mut least) = (0, distance(0));
    for q in 1..16 {
        let distance = distance(q);
        if distance < least {
            (best, least) = (q, distance);
        }
    }
    best
}

/// The bytes of two runs of weights: the first in the low nibbles.
fn pack<const B: usize>(low: &[f32], high: &[f32], scale: f32) -> [u8; B] {
    std::array::from_fn(|i| nearest(low[i], scale) | nearest(high[i], scale) << 4)
}

/// The greatest distance from zero; values that are not a number do not count.
fn reach(values: &[f32]) -> f32 {
    values.iter().fold(0.0, |reach: f32, x| if reach < x.abs() { x.abs() } else { reach })
}
