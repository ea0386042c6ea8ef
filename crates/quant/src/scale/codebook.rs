//! A scale for each group whose codes name the sixteen levels of the non-linear 4-bit types.

use super::symmetric::largest;
use crate::grid::iq4::LEVELS;
use crate::scale::ALMOST_ZERO;
use crate::wide::{Lanes, Mask, Points, Sixteen, WIDTH};

/// Half-way between each level and the next. The reference takes the nearer of two levels by comparing two rounded
/// differences; around these points both are exact, so that a comparison with the point says the same.
static HALFWAY: Points = Points::new([
    -115.5, -93.5, -74.0, -57.0, -42.0, -28.5, -16.0, -4.5, 7.0, 19.0, 31.5, 45.5, 61.0, 79.0, 101.0,
]);

/// The codes of the levels nearest to numbers, of two the larger one (C: `best_index_int8`). A NaN has the last one.
#[inline(always)]
pub(crate) fn codes<L: Sixteen>(x: L) -> [u8; WIDTH] {
    let mut numbers = [0.0; 16];
    for (i, number) in numbers.iter_mut().enumerate() {
        *number = i as f32;
    }
    x.choose(&HALFWAY, &numbers).codes(0, 15)
}

/// Sums of weight × level × value and of weight × level² for the levels nearest to the scaled values.
#[inline(always)]
fn sums<L: Lanes, const LEN: usize>(
    x: &[L; LEN],
    weight: &[L; LEN],
    levels: &[f32; 16],
    inverse: L,
) -> (L, L) {
    let (mut sum_qx, mut sum_q2) = (L::zero(), L::zero());
    for (&x, &w) in x.iter().zip(weight) {
        let q = (inverse * x).choose(&HALFWAY, levels);
        let wq = w * q;
        sum_qx = sum_qx + wq * x;
        sum_q2 = sum_q2 + wq * q;
    }
    (sum_qx, sum_q2)
}

/// Searches the scale with the least weighted sum of squared errors (C: the first part of `quantize_row_iq4_nl_impl`, with
/// seven tries to each side). The value of the largest magnitude is laid on the first level at first.
#[inline(always)]
pub(crate) fn codebook<L: Lanes, const LEN: usize>(x: &[L; LEN], weight: &[L; LEN]) -> L {
    let levels = LEVELS.map(f32::from);
    let first = L::all(levels[0]);
    let (max, magnitude) = largest(x);
    let zeros = magnitude.lt(L::all(ALMOST_ZERO));
    let (sum_qx, sum_q2) = sums(x, weight, &levels, L::all(1.0) / (max * L::all(-1.0) / first));
    let mut scale = sum_q2.gt(L::zero()).select(sum_qx / sum_q2, L::zero());
    let mut best = scale * sum_qx;
    for step in -7_i8..=7 {
        let (sum_qx, sum_q2) = sums(x, weight, &levels, L::all(f32::from(step) + levels[0]) / max);
        let better = sum_q2.gt(L::zero()).and((sum_qx * sum_qx).gt(best * sum_q2));
        let this = sum_qx / sum_q2;
        scale = better.select(this, scale);
        best = better.select(this * sum_qx, best);
    }
    zeros.select(L::zero(), scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wide::{self, Registers, Wide};

    struct Codes<'a>(f32, &'a mut u8);

    impl Wide for Codes<'_> {
        fn run<L: Sixteen>(self) {
            *self.1 = codes(L::all(self.0))[3];
        }
    }

    fn code(x: f32) -> u8 {
        let mut code = 0;
        wide::run(Registers::Avx512, Codes(x, &mut code));
        code
    }

    /// The nearer of the two levels around a value by the rounded differences, as the reference has it.
    fn by_differences(x: f32) -> u8 {
        let levels = LEVELS.map(f32::from);
        let above = levels.iter().position(|&level| x < level);
        match above {
            Some(0) => 0,
            None => 15,
            Some(above) => {
                let nearer_below = x - levels[above - 1] < levels[above] - x;
                (if nearer_below { above - 1 } else { above }) as u8
            }
        }
    }

    #[test]
    fn a_point_half_way_says_what_the_differences_say() {
        for point in HALFWAY.all {
            for ulps in -3000..=3000_i32 {
                let x = f32::from_bits(point.to_bits().wrapping_add_signed(ulps));
                assert_eq!(code(x), by_differences(x), "{x}");
            }
        }
        for step in -40_000..40_000_i32 {
            let x = step as f32 / 256.0;
            assert_eq!(code(x), by_differences(x), "{x}");
        }
        assert_eq!(code(f32::NAN), 15);
    }
}
