//! A scale and a minimum for each group: `x ≈ scale × code − min`, codes from 0 to `top`.

use crate::number::nearest;
use crate::wide::{Lanes, Mask};

/// Which scales are tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tries {
    /// The largest code.
    pub(crate) top: i32,
    /// How many codes more than `top` the range is cut into at first, and by how many more at each further try.
    pub(crate) first: f32,
    pub(crate) step: f32,
    /// The number of tries after the first.
    pub(crate) steps: i32,
}

impl Tries {
    /// What is tried for codes up to `top` where the importance of columns is known.
    pub(crate) const fn guided(top: i32) -> Self {
        Tries { top, first: -0.9, step: 0.05, steps: 36 }
    }
}

/// What was found for each group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Affine<A> {
    pub(crate) scale: A,
    /// What is subtracted: not below zero for finite values.
    pub(crate) min: A,
    inverse: A,
    base: A,
}

impl<A: AsRef<[f32]>> Affine<A> {
    /// The code that the search gave to a value of group `lane`. It matters only where the scale that is stored is zero:
    /// otherwise codes are made anew from what is stored.
    #[inline(always)]
    pub(crate) fn code(&self, lane: usize, value: f32, top: i32) -> u8 {
        let (inverse, base) = (self.inverse.as_ref()[lane], self.base.as_ref()[lane]);
        nearest(inverse * (value - base)).clamp(0, top) as u8
    }
}

/// Searches the scale and the minimum with the least weighted error: the sum of squares, or of magnitudes if `ABSOLUTE`
/// (C: `make_qkx2_quants`, `make_qkx3_quants` with weights).
///
/// Each try cuts the range into a few codes more or less, rounds, and solves for the scale and the minimum that fit these
/// codes best. The range of the next try begins at the best minimum so far: that is the reference's way.
#[inline(always)]
pub(crate) fn affine<L: Lanes, const LEN: usize, const ABSOLUTE: bool>(
    x: &[L; LEN],
    weight: &[L; LEN],
    tries: Tries,
) -> Affine<L::Array> {
    let zero = L::zero();
    let top = tries.top as f32;

    let mut min = x[0];
    let mut max = x[0];
    let mut sum_w = weight[0];
    let mut sum_x = sum_w * x[0];
    for (&x, &w) in x.iter().zip(weight).skip(1) {
        min = x.lt(min).select(x, min);
        max = x.gt(max).select(x, max);
        sum_w = sum_w + w;
        sum_x = sum_x + w * x;
    }
    min = min.gt(zero).select(zero, min);
    let flat = max.ne(min).not();
    let flat_min = min;

    let mut inverse = L::all(top) / (max - min);
    let mut base = min;
    let mut scale = L::all(1.0) / inverse;
    let mut best = zero;
    for (&x, &w) in x.iter().zip(weight) {
        let code = (inverse * (x - min)).nearest_within(0, tries.top);
        best = best + w * error::<L, ABSOLUTE>(scale * code + min - x);
    }

    let mut codes = [zero; LEN];
    for step in 0..=tries.steps {
        let range = tries.first + tries.step * step as f32 + top;
        let this_inverse = L::all(range) / (max - min);
        let (mut sum_l, mut sum_l2, mut sum_xl) = (zero, zero, zero);
        for ((&x, &w), code) in x.iter().zip(weight).zip(&mut codes) {
            let l = (this_inverse * (x - min)).nearest_within(0, tries.top);
            *code = l;
            let wl = w * l;
            sum_l = sum_l + wl;
            sum_l2 = sum_l2 + wl * l;
            sum_xl = sum_xl + wl * x;
        }
        let det = sum_w * sum_l2 - sum_l * sum_l;
        let this_scale = (sum_w * sum_xl - sum_x * sum_l) / det;
        let this_min = (sum_l2 * sum_x - sum_l * sum_xl) / det;
        let above = this_min.gt(zero);
        let this_min = above.select(zero, this_min);
        let this_scale = above.select(sum_xl / sum_l2, this_scale);
        let mut sum = zero;
        for ((&x, &w), &code) in x.iter().zip(weight).zip(&codes) {
            sum = sum + w * error::<L, ABSOLUTE>(this_scale * code + this_min - x);
        }
        let better = det.gt(zero).and(sum.lt(best));
        best = better.select(sum, best);
        scale = better.select(this_scale, scale);
        inverse = better.select(this_inverse, inverse);
        base = better.select(min, base);
        min = better.select(this_min, min);
    }
    // What is subtracted has the other sign; a zero becomes a negative zero, as in C.
    let min = flat.select(flat_min, min) * L::all(-1.0);
    Affine {
        scale: flat.select(zero, scale).to_array(),
        min: min.to_array(),
        inverse: flat.select(zero, inverse).to_array(),
        base: flat.select(zero, base).to_array(),
    }
}

#[inline(always)]
fn error<L: Lanes, const ABSOLUTE: bool>(difference: L) -> L {
    if ABSOLUTE { difference.abs() } else { difference * difference }
}
