//! A scale for numbers on both sides of zero (`make_qx_quants` in C).

use crate::number::nearest;

/// Below this, a group of values is taken for zeros (`GROUP_MAX_EPS` in C).
pub(crate) const ALMOST_ZERO: f32 = 1e-15;

/// How much each value matters in a search.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Weighing<'a> {
    /// As much as these say.
    By(&'a [f32]),
    /// By its square (`rmse_type` 1 in C).
    #[allow(dead_code, reason = "for blocks of 256")]
    Square,
}

impl Weighing<'_> {
    fn of(self, i: usize, x: f32) -> f32 {
        match self {
            // One weight for each value; see `symmetric`.
            Weighing::By(weights) => weights.get(i).copied().unwrap_or(0.0),
            Weighing::Square => x * x,
        }
    }
}

/// Finds a scale `d` and for each value a number `q` in `0..2 * half`, such that `d * (q - half)` is close to the value,
/// weighed; `q` is filled, `d` returned.
///
/// The scale that puts the farthest value at `-half` is a start; 18 others around it are tried, each with the factor that
/// suits its numbers best.
pub(crate) fn symmetric<const N: usize>(
    half: i8,
    values: &[f32; N],
    q: &mut [i8; N],
    weighing: Weighing<'_>,
) -> f32 {
    let (mut farthest, mut extreme) = (0.0f32, 0.0f32);
    for &x in values {
        if x.abs() > farthest {
            (farthest, extreme) = (x.abs(), x);
        }
    }
    if farthest < ALMOST_ZERO {
        *q = [0; N];
        return 0.0;
    }
    let bound = i32::from(half);
    let level = |inverse: f32, x: f32| nearest(inverse * x).min(bound - 1).max(-bound);
    // The sums that tell the best factor for the numbers that a scale gives.
    let sums = |inverse: f32| {
        let (mut xl, mut ll) = (0.0f32, 0.0f32);
        for (i, &x) in values.iter().enumerate() {
            let l = level(inverse, x) as f32;
            let w = weighing.of(i, x);
            xl += w * x * l;
            ll += w * l * l;
        }
        (xl, ll)
    };
    let numbers = |inverse: f32| values.map(|x| (level(inverse, x) + bound) as i8);

    let inverse = -f32::from(half) / extreme;
    *q = numbers(inverse);
    let (xl, ll) = sums(inverse);
    let mut scale = if ll != 0.0 { xl / ll } else { 0.0 };
    let mut best = scale * xl;
    for step in (-9i8..=9).filter(|step| *step != 0) {
        let inverse = -(f32::from(half) + 0.1 * f32::from(step)) / extreme;
        let (xl, ll) = sums(inverse);
        if ll > 0.0 && xl * xl > best * ll {
            *q = numbers(inverse);
            scale = xl / ll;
            best = scale * xl;
        }
    }
    scale
}
