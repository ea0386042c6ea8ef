//! What the encoders of the IQ2 and IQ3 types have in common: signs apart from magnitudes, what a value weighs, and the
//! scales of the groups.

use crate::number::{c_max, nearest};

/// The values of a group without their signs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Magnitudes<const G: usize> {
    pub(super) x: [f32; G],
    /// A byte for each eight: bit i tells that the `i`th is negative. Of four, as many as there are.
    pub(super) signs: [u8; 4],
}

impl<const G: usize> Magnitudes<G> {
    /// All eight signs are stored.
    #[inline(always)]
    pub(super) fn new(values: &[f32; G]) -> Self {
        let mut group = Self { x: *values, signs: [0; 4] };
        for (signs, x) in group.signs.iter_mut().zip(group.x.as_chunks_mut::<8>().0) {
            for (i, x) in x.iter_mut().enumerate() {
                // Not by the sign bit: that of a zero does not count, and what is not a number is turned.
                let is_positive = *x >= 0.0;
                *signs |= u8::from(!is_positive) << i;
                *x = if is_positive { *x } else { -*x };
            }
        }
        group
    }

    /// Seven of eight signs are stored, the eighth makes their number even. Where it is odd, the value that weighs least is
    /// turned, and its magnitude becomes a negative number.
    #[inline(always)]
    pub(super) fn even(values: &[f32; G], weight: &[f32; G]) -> Self {
        let mut group = Self::new(values);
        let eights = values.as_chunks::<8>().0.iter().zip(weight.as_chunks::<8>().0);
        for ((signs, x), (values, weight)) in
            group.signs.iter_mut().zip(group.x.as_chunks_mut::<8>().0).zip(eights)
        {
            if signs.count_ones() % 2 == 1 {
                let loss = |i: usize| weight[i] * values[i] * values[i];
                let least = (1..8).fold(0, |least, i| if loss(i) < loss(least) { i } else { least });
                x[least] = -x[least];
                *signs ^= 1 << least;
            }
            *signs &= 127;
        }
        group
    }

    /// The largest magnitude.
    #[inline(always)]
    pub(super) fn largest(&self) -> f32 {
        self.x.iter().skip(1).fold(self.x[0], |largest, &x| c_max(largest, x))
    }
}

/// The sum of the squares of a block, one after the other.
#[inline(always)]
pub(super) fn sum_of_squares(values: &[f32; super::N]) -> f32 {
    values.iter().fold(0.0, |sum, x| sum + x * x)
}

/// How much each value matters where the importance of its column is known: that, times the root of its square and
/// `variance`, so that small values next to large ones still count.
#[inline(always)]
pub(super) fn weigh<const G: usize>(values: &[f32; G], importance: &[f32], variance: f32) -> [f32; G] {
    let mut weights = [0.0; G];
    for ((weight, x), importance) in weights.iter_mut().zip(values).zip(importance) {
        *weight = importance * (variance + x * x).sqrt();
    }
    weights
}

/// The scales of the groups as numbers `l` up to `top`, such that `d * (2 * l + 1)` is close to each; and `d`. Nothing if
/// all scales are 0.
#[inline(always)]
pub(super) fn odd_scales<const S: usize>(scales: &[f32; S], top: u8) -> Option<(f32, [u8; S])> {
    let largest = scales.iter().fold(0.0, |largest, &scale| c_max(largest, scale));
    if largest == 0.0 {
        return None;
    }
    let d = largest / f32::from(2 * top + 1);
    let inverse = 1.0 / d;
    let number = |scale: f32| nearest(0.5 * (inverse * scale - 1.0)).clamp(0, i32::from(top)) as u8;
    Some((d, scales.map(number)))
}

/// Seven signs for each of four times eight values, from the lowest bit up, and above them the number of a scale.
pub(super) fn word_of_signs(signs: [u8; 4], scale: u8) -> [u8; 4] {
    signs.iter().rev().fold(u32::from(scale), |word, signs| word << 7 | u32::from(*signs)).to_le_bytes()
}
