//! A scale for each group: `x ≈ scale × code`, codes from `-half` to `half - 1`.

use crate::number::nearest;
use crate::scale::ALMOST_ZERO;
use crate::wide::{Lanes, Mask};

/// What was found for each group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Symmetric<A> {
    pub(crate) scale: A,
    inverse: A,
    /// 1 for a group of zeros, 0 for others.
    zeros: A,
}

impl<A: AsRef<[f32]>> Symmetric<A> {
    /// The code that the search gave to a value of group `lane`, raised by `half` so that it is not negative. The codes of a
    /// group of zeros are all 0, which is not the code of zero: it is the reference's way, and their scale is zero.
    #[inline(always)]
    pub(crate) fn code(&self, lane: usize, value: f32, half: i32) -> u8 {
        if self.zeros.as_ref()[lane] != 0.0 {
            return 0;
        }
        (nearest(self.inverse.as_ref()[lane] * value).clamp(-half, half - 1) + half) as u8
    }
}

/// The value of the largest magnitude in each group, the first of them, and that magnitude.
#[inline(always)]
pub(super) fn largest<L: Lanes, const LEN: usize>(x: &[L; LEN]) -> (L, L) {
    let (mut max, mut magnitude) = (L::zero(), L::zero());
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
fn sums<L: Lanes, const LEN: usize>(
    x: &[L; LEN],
    weight: &[L; LEN],
    weighed: &[L; LEN],
    inverse: L,
    half: i32,
) -> (L, L) {
    let (mut sum_lx, mut sum_l2) = (L::zero(), L::zero());
    for ((&x, &w), &wx) in x.iter().zip(weight).zip(weighed) {
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
pub(crate) fn symmetric<L: Lanes, const LEN: usize>(
    x: &[L; LEN],
    weight: &[L; LEN],
    half: i32,
) -> Symmetric<L::Array> {
    let (max, magnitude) = largest(x);
    let zeros = magnitude.lt(L::all(ALMOST_ZERO));
    let mut weighed = *weight;
    for (w, &x) in weighed.iter_mut().zip(x) {
        *w = *w * x;
    }
    let codes = half as f32;
    let mut inverse = L::all(-codes) / max;
    let (sum_lx, sum_l2) = sums(x, weight, &weighed, inverse, half);
    let mut scale = sum_l2.ne(L::zero()).select(sum_lx / sum_l2, L::zero());
    let mut best = scale * sum_lx;
    for step in (-9_i8..=9).filter(|&step| step != 0) {
        let this_inverse = L::all(-(codes + 0.1 * f32::from(step))) / max;
        let (sum_lx, sum_l2) = sums(x, weight, &weighed, this_inverse, half);
        let better = sum_l2.gt(L::zero()).and((sum_lx * sum_lx).gt(best * sum_l2));
        let this_scale = sum_lx / sum_l2;
        scale = better.select(this_scale, scale);
        best = better.select(this_scale * sum_lx, best);
        inverse = better.select(this_inverse, inverse);
    }
    Symmetric {
        scale: zeros.select(L::zero(), scale).to_array(),
        inverse: inverse.to_array(),
        zeros: zeros.select(L::all(1.0), L::zero()).to_array(),
    }
}
