//! A scale for each group whose codes name the sixteen values of the non-linear 4-bit types.
use super::Lanes;
use super::symmetric::largest;
use crate::grid::iq4::LEVELS;
use crate::scale::symmetric::ALMOST_ZERO;

/// Half-way between each value and the next. The reference takes the nearer of two values by comparing two rounded
/// differences; around these points both are exact, so that a comparison with the point says the same.
const HALFWAY: [f32; 15] =
    [-115.5, -93.5, -74.0, -57.0, -42.0, -28.5, -16.0, -4.5, 7.0, 19.0, 31.5, 45.5, 61.0, 79.0, 101.0];

/// The code of the value nearest to `x`, the larger one of two (C: `best_index_int8`). A NaN has the last one.
#[inline(always)]
pub(crate) fn code(x: f32) -> u8 {
    HALFWAY.iter().fold(15, |code, &point| code - u8::from(x < point))
}

/// The value of that code.
#[inline(always)]
fn value(x: f32) -> f32 {
    let steps = HALFWAY.iter().zip(LEVELS).zip(LEVELS.iter().skip(1));
    let sum = steps.fold(i32::from(LEVELS[15]), |sum, ((&point, low), &high)| {
        sum - if x < point { i32::from(high) - i32::from(low) } else { 0 }
    });
    sum as f32
}

/// Searches the scale with the least weighted sum of squared errors (C: the first part of `quantize_row_iq4_nl_impl`, with
/// seven tries to each side). The value of the largest magnitude is laid on the first value of the table at first.
#[inline(always)]
pub(crate) fn codebook<const N: usize, const LEN: usize>(
    x: &[Lanes<N>; LEN],
    weight: &[Lanes<N>; LEN],
) -> Lanes<N> {
    let first = f32::from(LEVELS[0]);
    let (max, magnitude) = largest(x);
    let zero = magnitude.lt(Lanes::all(ALMOST_ZERO));
    let sums = |inverse: Lanes<N>| {
        let (mut sum_qx, mut sum_q2) = (Lanes::ZERO, Lanes::ZERO);
        for (&x, &w) in x.iter().zip(weight) {
            let q = (inverse * x).map(value);
            let wq = w * q;
            sum_qx = sum_qx + wq * x;
            sum_q2 = sum_q2 + wq * q;
        }
        (sum_qx, sum_q2)
    };
    let (sum_qx, sum_q2) = sums(Lanes::all(1.0) / (-max / Lanes::all(first)));
    let mut scale = sum_q2.gt(Lanes::ZERO).select(sum_qx / sum_q2, Lanes::ZERO);
    let mut best = scale * sum_qx;
    for step in -7_i8..=7 {
        let (sum_qx, sum_q2) = sums(Lanes::all(f32::from(step) + first) / max);
        let better = sum_q2.gt(Lanes::ZERO).and((sum_qx * sum_qx).gt(best * sum_q2));
        let this = sum_qx / sum_q2;
        scale = better.select(this, scale);
        best = better.select(this * sum_qx, best);
    }
    zero.select(Lanes::ZERO, scale)
}
