//! A scale for numbers that are not negative, such as the scales of the groups of a block.
use crate::number::nearest;
use crate::scale::ALMOST_ZERO;

/// Searches the scale with the least weighted sum of squared errors for `x ≈ scale × code`, codes from 0 to `top`, and
/// improves the codes one at a time (C: `make_qp_quants`).
///
/// Codes are bytes throughout, as in C: what would be negative or above 255 is cut to its lower eight bits.
#[inline(always)]
pub(crate) fn positive<const LEN: usize>(x: &[f32; LEN], weight: &[f32; LEN], top: i32) -> (f32, [u8; LEN]) {
    let pairs = || x.iter().copied().zip(weight.iter().copied());
    let mut codes = [0_u8; LEN];
    // Not `f32::max`: of a number and a NaN the later one is taken.
    let mut max = 0.0_f32;
    for &x in x {
        max = if max > x { max } else { x };
    }
    if max < ALMOST_ZERO {
        return (0.0, codes);
    }
    let error = |inverse: f32, scale: f32, codes: &dyn Fn(f32) -> f32| {
        pairs().fold(0.0, |sum, (x, w)| {
            let diff = x - scale * codes(inverse * x);
            sum + w * diff * diff
        })
    };
    let mut inverse = top as f32 / max;
    let mut best = error(inverse, 1.0 / inverse, &|scaled| f32::from(nearest(scaled) as u8));
    for step in (-4_i8..=4).filter(|&step| step != 0) {
        let this_inverse = (0.1 * f32::from(step) + top as f32) / max;
        let this = error(this_inverse, 1.0 / this_inverse, &|scaled| nearest(scaled).min(top) as f32);
        if this < best {
            best = this;
            inverse = this_inverse;
        }
    }
    let (mut sum_lx, mut sum_l2) = (0.0, 0.0);
    for ((x, w), code) in pairs().zip(&mut codes) {
        let l = nearest(inverse * x).min(top);
        *code = l as u8;
        sum_lx += w * x * l as f32;
        sum_l2 += w * l as f32 * l as f32;
    }
    for _ in 0..5 {
        let mut changed = false;
        for ((x, w), code) in pairs().zip(&mut codes) {
            let old = f32::from(*code);
            let without_lx = sum_lx - w * x * old;
            let without_l2 = sum_l2 - w * old * old;
            if !(without_lx > 0.0 && without_l2 > 0.0) {
                continue;
            }
            let l = nearest(x * without_l2 / without_lx).min(top);
            if l == i32::from(*code) {
                continue;
            }
            let with_lx = without_lx + w * x * l as f32;
            let with_l2 = without_l2 + w * l as f32 * l as f32;
            if with_lx * with_lx * sum_l2 > sum_lx * sum_lx * with_l2 {
                *code = l as u8;
                sum_lx = with_lx;
                sum_l2 = with_l2;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    (if sum_l2 > 0.0 { sum_lx / sum_l2 } else { 0.0 }, codes)
}
