//! A scale for each group, and codes that are improved one by one: `x ≈ scale × code`.

use super::symmetric::largest;
use crate::scale::ALMOST_ZERO;
use crate::wide::{Lanes, Mask};

/// What was found for each group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Descent<L, const LEN: usize> {
    pub(crate) scale: L,
    /// The codes, raised by `half` so that none is negative; all 0 in a group of zeros.
    pub(crate) codes: [L; LEN],
}

/// Begins with the codes of the plain scale and changes them one at a time while that makes the best fitting scale fit
/// better, with the squares of the values as weights (C: `make_q3_quants` with `do_rmse`).
#[inline(always)]
pub(crate) fn descent<L: Lanes, const LEN: usize>(x: &[L; LEN], half: i32) -> Descent<L, LEN> {
    let none = L::zero();
    let (max, magnitude) = largest(x);
    let zeros = magnitude.lt(L::all(ALMOST_ZERO));
    let top = half as f32;
    let inverse = L::all(-top) / max;
    let mut codes = [none; LEN];
    let (mut sum_lx, mut sum_l2) = (none, none);
    for (&x, code) in x.iter().zip(&mut codes) {
        let l = (inverse * x).nearest_within(-half, half - 1);
        *code = l;
        let w = x * x;
        sum_lx = sum_lx + w * x * l;
        sum_l2 = sum_l2 + w * l * l;
    }
    // A pass that changes nothing in a group would change nothing again: a group that is done may go on beside the others.
    for _ in 0..5 {
        let mut changed = none.ne(none);
        for (&x, code) in x.iter().zip(&mut codes) {
            let w = x * x;
            let without_lx = sum_lx - w * x * *code;
            let without_l2 = sum_l2 - w * *code * *code;
            let l = (x * without_l2 / without_lx).nearest_within(-half, half - 1);
            let with_lx = without_lx + w * x * l;
            let with_l2 = without_l2 + w * l * l;
            let better = without_lx
                .gt(none)
                .and(l.ne(*code))
                .and(with_l2.gt(none))
                .and((with_lx * with_lx * sum_l2).gt(sum_lx * sum_lx * with_l2));
            *code = better.select(l, *code);
            sum_lx = better.select(with_lx, sum_lx);
            sum_l2 = better.select(with_l2, sum_l2);
            changed = changed.or(better);
        }
        if !changed.any() {
            break;
        }
    }
    for code in &mut codes {
        *code = zeros.select(none, *code + L::all(top));
    }
    let scale = sum_l2.gt(none).select(sum_lx / sum_l2, none);
    Descent { scale: zeros.select(none, scale), codes }
}
