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
///
/// Each change waits for the one before it, so `P` times as many groups are searched as there are lanes: one set is worked on
/// while the others wait.
#[inline(always)]
pub(crate) fn descent<L: Lanes, const LEN: usize, const P: usize>(
    x: &[[L; LEN]; P],
    half: i32,
) -> [Descent<L, LEN>; P] {
    let none = L::zero();
    let top = half as f32;
    let mut sets = [Descent { scale: none, codes: [none; LEN] }; P];
    let (mut sum_lx, mut sum_l2) = ([none; P], [none; P]);
    for p in 0..P {
        let inverse = L::all(-top) / largest(&x[p]).0;
        for (&x, code) in x[p].iter().zip(&mut sets[p].codes) {
            let l = (inverse * x).nearest_within(-half, half - 1);
            *code = l;
            let w = x * x;
            sum_lx[p] = sum_lx[p] + w * x * l;
            sum_l2[p] = sum_l2[p] + w * l * l;
        }
    }
    // A pass that changes nothing in a group would change nothing again: a group that is done may go on beside the others.
    for _ in 0..5 {
        let mut changed = none.ne(none);
        for i in 0..LEN {
            for p in 0..P {
                let (x, code) = (x[p][i], sets[p].codes[i]);
                let w = x * x;
                let without_lx = sum_lx[p] - w * x * code;
                let without_l2 = sum_l2[p] - w * code * code;
                let l = (x * without_l2 / without_lx).nearest_within(-half, half - 1);
                let with_lx = without_lx + w * x * l;
                let with_l2 = without_l2 + w * l * l;
                let better = without_lx
                    .gt(none)
                    .and(l.ne(code))
                    .and(with_l2.gt(none))
                    .and((with_lx * with_lx * sum_l2[p]).gt(sum_lx[p] * sum_lx[p] * with_l2));
                sets[p].codes[i] = better.select(l, code);
                sum_lx[p] = better.select(with_lx, sum_lx[p]);
                sum_l2[p] = better.select(with_l2, sum_l2[p]);
                changed = changed.or(better);
            }
        }
        if !changed.any() {
            break;
        }
    }
    for p in 0..P {
        let zeros = largest(&x[p]).1.lt(L::all(ALMOST_ZERO));
        for code in &mut sets[p].codes {
            *code = zeros.select(none, *code + L::all(top));
        }
        let scale = sum_l2[p].gt(none).select(sum_lx[p] / sum_l2[p], none);
        sets[p].scale = zeros.select(none, scale);
    }
    sets
}
