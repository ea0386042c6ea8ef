//! A scale for a group of magnitudes that are points of a codebook, `D` at a time.
//!
//! What is searched is a scale `s` such that `s * (2 * digit + 1)` is close to every magnitude, weighed: books of the IQ2
//! and IQ3 types have digits that stand for about the odd numbers.

use crate::grid::lookup::{Found, Lookup, Neighbours, digit_bits};
use crate::number::nearest;

/// Which scales are tried, and what is done at the end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tries {
    /// How many scales are tried on either side of the one that puts the largest magnitude at the largest number.
    pub(crate) each_way: i8,
    /// How much farther or nearer each of them puts it.
    pub(crate) step: f32,
    /// Which points are chosen again for the scale that was best.
    pub(crate) again: Again,
}

/// Which points are chosen again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Again {
    /// All.
    All,
    /// All, unless each of the best ones was in the book as the magnitudes were rounded.
    AllIfAnyMissed,
    /// Those that were not in the book as the magnitudes were rounded.
    Missed,
}

/// The scale of a group, and a point for each `D` of its magnitudes; of eight, as many as there are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fit {
    pub(crate) scale: f32,
    pub(crate) points: [u16; 8],
}

/// Searches the scale. `largest` is the number that the tries set out from, `scale` what is left if none of them is any good.
///
/// Each try rounds the magnitudes to digits, takes the nearest point of the book where there is none with these digits, and
/// solves for the scale that suits the points best.
#[inline(always)]
pub(crate) fn fit<const G: usize, const D: usize, const LEVELS: usize>(
    book: &Lookup<D, LEVELS>,
    x: &[f32; G],
    weight: &[f32; G],
    (largest, scale): (f32, f32),
    tries: Tries,
) -> Fit {
    let top = (2 * LEVELS - 1) as f32;
    let root = weight.map(f32::sqrt);
    let (groups, roots) = (x.as_chunks::<D>().0, root.as_chunks::<D>().0);
    let mut best = 0.0f32;
    let mut fit = Fit { scale, points: [0; 8] };
    // With nothing tried, points count as missed only where all are chosen again for it.
    let mut missed = [tries.again == Again::AllIfAnyMissed; 8];
    for try_number in -tries.each_way..=tries.each_way {
        let inverse = (top + f32::from(try_number) * tries.step) / largest;
        let this = 1.0 / inverse;
        let (mut points, mut these_missed) = ([0; 8], [false; 8]);
        for (i, (x, root)) in groups.iter().zip(roots).enumerate() {
            (points[i], these_missed[i]) = choose(book, x, root, inverse, this);
        }
        let (xq, qq) = sums(book, groups, weight.as_chunks::<D>().0, &points);
        if qq > 0.0 && xq * xq > best * qq {
            fit = Fit { scale: xq / qq, points };
            best = fit.scale * xq;
            missed = these_missed;
        }
    }
    let needed = tries.again == Again::All || missed[..groups.len()].contains(&true);
    if needed && fit.scale > 0.0 {
        let inverse = 1.0 / fit.scale;
        for (i, (x, root)) in groups.iter().zip(roots).enumerate() {
            if missed[i] || tries.again != Again::Missed {
                fit.points[i] = choose(book, x, root, inverse, fit.scale).0;
            }
        }
        let (xq, qq) = sums(book, groups, weight.as_chunks::<D>().0, &fit.points);
        if qq > 0.0 {
            fit.scale = xq / qq;
        }
    }
    fit
}

/// The point for some magnitudes, and whether it is not the one that they are rounded to.
#[inline(always)]
fn choose<const D: usize, const LEVELS: usize>(
    book: &Lookup<D, LEVELS>,
    x: &[f32; D],
    root: &[f32; D],
    inverse: f32,
    scale: f32,
) -> (u16, bool) {
    let digits = x.map(|x| nearest(0.5 * (inverse * x - 1.0)).clamp(0, LEVELS as i32 - 1) as u8);
    match book.find(&digits) {
        Found::Point(point) => (point, false),
        Found::Near(near) => (closest::<D, LEVELS>(near, x, root, scale, (2.0, 1.0)), true),
    }
}

/// The first of the points whose weighted distance is least (`iq2_find_best_neighbour`, `iq3_find_best_neighbour`,
/// `iq1_find_best_neighbour2` in C). What a digit stands for is so much per digit, and so much more.
///
/// Where no distance is a finite number the reference stops; here it is the first point of the book.
#[inline(always)]
pub(super) fn closest<const D: usize, const LEVELS: usize>(
    near: &[Neighbours],
    x: &[f32; D],
    weight: &[f32; D],
    scale: f32,
    (slope, base): (f32, f32),
) -> u16 {
    let (mut least, mut closest) = (f32::MAX, 0);
    for near in near {
        // Sixteen at once, each added up in its own order.
        let mut distances = [0.0f32; 16];
        for (i, (x, w)) in x.iter().zip(weight).enumerate() {
            for (distance, digits) in distances.iter_mut().zip(&near.digits) {
                let digit =
                    u32::from(*digits) >> (digit_bits(LEVELS) * i as u32) & ((1 << digit_bits(LEVELS)) - 1);
                let off = scale * (digit as f32 * slope + base) - x;
                *distance += w * off * off;
            }
        }
        let smallest = minimum(distances);
        if smallest < least {
            least = smallest;
            let at = distances.iter().position(|distance| *distance == smallest).unwrap_or(0);
            closest = near.points[at & 15];
        }
    }
    closest
}

/// The smallest of the numbers; what is not a number, and what is too large, counts as the largest float.
#[inline(always)]
fn minimum(numbers: [f32; 16]) -> f32 {
    let mut numbers = numbers.map(|x| if x < f32::MAX { x } else { f32::MAX });
    for half in [8, 4, 2, 1] {
        for i in 0..half {
            numbers[i] = if numbers[i + half] < numbers[i] { numbers[i + half] } else { numbers[i] };
        }
    }
    numbers[0]
}

/// The sums that tell the best scale for these points.
#[inline(always)]
fn sums<const D: usize, const LEVELS: usize>(
    book: &Lookup<D, LEVELS>,
    x: &[[f32; D]],
    weight: &[[f32; D]],
    points: &[u16; 8],
) -> (f32, f32) {
    let (mut xq, mut qq) = (0.0f32, 0.0f32);
    for ((x, weight), point) in x.iter().zip(weight).zip(points) {
        for ((digit, x), w) in book.digits(*point).into_iter().zip(x).zip(weight) {
            let q = odd(digit);
            xq += w * x * q;
            qq += w * q * q;
        }
    }
    (xq, qq)
}

/// What a digit stands for here.
#[inline(always)]
fn odd(digit: u8) -> f32 {
    f32::from(2 * digit + 1)
}
