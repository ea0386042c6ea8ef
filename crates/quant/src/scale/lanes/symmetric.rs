//! A scale for each group: `x ≈ scale × code`, codes from `-half` to `half - 1`.
use super::{Lanes, Mask};
use crate::number::nearest;
use crate::scale::symmetric::ALMOST_ZERO;

/// What was found for each group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Symmetric<const N: usize> {
    pub(crate) scale: Lanes<N>,
    inverse: Lanes<N>,
    zero: Mask<N>,
}

impl<const N: usize> Symmetric<N> {
    /// The code that the search gave to a value of group `lane`, raised by `half` so that it is not negative. The codes of a
    /// group of zeros are all 0, which is not the code of zero: it is the reference's way, and their scale is zero.
    #[inline(always)]
    pub(crate) fn code(&self, lane: usize, value: f32, half: i32) -> u8 {
        let Some(&inverse) = self.inverse.0.get(lane) else { return 0 };
        if self.zero.is_set(lane) {
            return 0;
        }
        (nearest(inverse * value).clamp(-half, half - 1) + half) as u8
    }

    /// The codes of all groups' values, as [`code`](Self::code) has them.
    #[inline(always)]
    pub(crate) fn codes<const LEN: usize>(&self, x: &[Lanes<N>; LEN], half: i32) -> [Lanes<N>; LEN] {
        let mut codes = [Lanes::ZERO; LEN];
        for (code, &x) in codes.iter_mut().zip(x) {
            let l = (self.inverse * x).nearest_within(-half, half - 1) + Lanes::all(half as f32);
            *code = self.zero.select(Lanes::ZERO, l);
        }
        codes
    }
}

/// The value of the largest magnitude in each group, the first of them, and that magnitude.
#[inline(always)]
pub(super) fn largest<const N: usize, const LEN: usize>(x: &[Lanes<N>; LEN]) -> (Lanes<N>, Lanes<N>) {
    let (mut max, mut magnitude) = (Lanes::ZERO, Lanes::ZERO);
    for &x in x {
        let abs = x.abs();
        let more = abs.gt(magnitude);
        max = more.select(x, max);
        magnitude = more.select(abs, magnitude);
    }
    (max, magnitude)
}

/// Sums of weight × value × code and of weight × code² for the codes of a scale.
#[inline(always)]
fn sums<const N: usize, const LEN: usize>(
    x: &[Lanes<N>; LEN],
    weight: &[Lanes<N>; LEN],
    wx: &[Lanes<N>; LEN],
    inverse: Lanes<N>,
    half: i32,
) -> (Lanes<N>, Lanes<N>) {
    let (mut sum_lx, mut sum_l2) = (Lanes::ZERO, Lanes::ZERO);
    for ((&x, &w), &wx) in x.iter().zip(weight).zip(wx) {
        let l = (inverse * x).nearest_within(-half, half - 1);
        sum_lx = sum_lx + wx * l;
        sum_l2 = sum_l2 + w * l * l;
    }
    (sum_lx, sum_l2)
}

/// Searches the scale with the least weighted sum of squared errors (C: `make_qx_quants` with `rmse_type` 1; without weights
/// the caller gives the squares of the values).
///
/// The value of the largest magnitude gets the code `-half`, the one that has no counterpart; then the range is cut into a
/// few codes more and fewer.
#[inline(always)]
pub(crate) fn symmetric<const N: usize, const LEN: usize>(
    x: &[Lanes<N>; LEN],
    weight: &[Lanes<N>; LEN],
    half: i32,
) -> Symmetric<N> {
    let (max, magnitude) = largest(x);
    let zero = magnitude.lt(Lanes::all(ALMOST_ZERO));
    let mut wx = [Lanes::ZERO; LEN];
    for ((wx, &x), &w) in wx.iter_mut().zip(x).zip(weight) {
        *wx = w * x;
    }
    let codes = half as f32;
    let mut inverse = Lanes::all(-codes) / max;
    let (sum_lx, sum_l2) = sums(x, weight, &wx, inverse, half);
    let mut scale = sum_l2.ne(Lanes::ZERO).select(sum_lx / sum_l2, Lanes::ZERO);
    let mut best = scale * sum_lx;
    for step in (-9_i8..=9).filter(|&step| step != 0) {
        let this_inverse = Lanes::all(-(codes + 0.1 * f32::from(step))) / max;
        let (sum_lx, sum_l2) = sums(x, weight, &wx, this_inverse, half);
        let better = sum_l2.gt(Lanes::ZERO).and((sum_lx * sum_lx).gt(best * sum_l2));
        let this_scale = sum_lx / sum_l2;
        scale = better.select(this_scale, scale);
        best = better.select(this_scale * sum_lx, best);
        inverse = better.select(this_inverse, inverse);
    }
    Symmetric { scale: zero.select(Lanes::ZERO, scale), inverse, zero }
}
