//! A scale for a group whose values become -1, 0 or 1, moved up or down by an eighth, and eight of them a point of a book.
//!
//! Without the book the best scale is found exactly: in ascending order, the values that become -1 stand before those that
//! become 0, and these before those that become 1. All ways to split a group are tried; for each, the best scale is a quotient
//! of sums. The book is asked afterwards.

use super::points::closest;
use crate::grid::lookup::{Found, Lookup};
use crate::wide::Sixteen;

/// The numbers that digits stand for where points are moved up.
const UP: [f32; 3] = [-0.875, 0.125, 1.125];
/// The numbers that digits stand for where points are moved down.
const DOWN: [f32; 3] = [-1.125, -0.125, 0.875];

/// What digits stand for.
#[inline(always)]
pub(crate) fn numbers(down: bool) -> [f32; 3] {
    if down { DOWN } else { UP }
}

/// A group of `G` values, split: what each of them becomes, 0 standing for -1, and which of `H` equal parts are moved down.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Split<const G: usize, const H: usize> {
    scale: f32,
    digits: [u8; G],
    down: [bool; H],
}

/// The best way that was seen so far: its score, its scale, how many values become -1, and how many do not become 1.
#[derive(Debug, Clone, Copy)]
struct Best<const H: usize> {
    score: f32,
    scale: f32,
    bounds: Option<(usize, usize)>,
    down: [bool; H],
}

impl<const H: usize> Best<H> {
    const NONE: Self = Self { score: f32::MIN, scale: 0.0, bounds: None, down: [false; H] };

    /// Looks at a way, from the sums of values and of squares of what they become, weighed.
    #[inline(always)]
    fn look(&mut self, xq: f32, qq: f32, bounds: (usize, usize), down: [bool; H]) {
        if qq > 0.0 && xq * xq > self.score * qq {
            let scale = xq / qq;
            *self = Self { score: scale * xq, scale, bounds: Some(bounds), down };
        }
    }

    /// The group is split so; with minus one as factor where the scale is below zero.
    #[inline(always)]
    fn split<const G: usize>(self, order: &[usize; G]) -> Option<Split<G, H>> {
        let (zeros, ones) = self.bounds?;
        let mut split = Split { scale: self.scale, digits: [0; G], down: self.down };
        for (place, &i) in order.iter().enumerate() {
            split.digits[i] = u8::from(place >= zeros) + u8::from(place >= ones);
        }
        if split.scale < 0.0 {
            split.scale = -split.scale;
            split.digits = split.digits.map(|digit| 2 - digit);
            split.down = split.down.map(|down| !down);
        }
        Some(split)
    }
}

/// The places of the values in ascending order; equal ones stay in theirs.
#[inline(always)]
fn ascending<const G: usize>(values: &[f32; G]) -> [usize; G] {
    let mut order = std::array::from_fn(|i| i);
    for end in 1..G {
        let mut at = end;
        while at > 0 && values[order[at]] < values[order[at - 1]] {
            order.swap(at, at - 1);
            at -= 1;
        }
    }
    order
}

/// Splits a group that is moved as a whole (the search of `quantize_row_iq1_s_impl` in C). `None` if nothing weighs anything.
#[inline(always)]
pub(crate) fn split_whole<const G: usize>(x: &[f32; G], weight: &[f32; G]) -> Option<Split<G, 1>> {
    let order = ascending(x);
    // What is before each place, added up; what is after the last one apart.
    let (mut before, mut all) = ([(0.0f32, 0.0f32); G], (0.0f32, 0.0f32));
    for (before, &i) in before.iter_mut().zip(&order) {
        *before = all;
        all = (all.0 + weight[i] * x[i], all.1 + weight[i]);
    }
    let before = |place: usize| before.get(place).copied().unwrap_or(all);
    let mut best = Best::NONE;
    for zeros in 0..=G {
        let (x0, w0) = before(zeros);
        for ones in zeros..=G {
            let (x1, w1) = before(ones);
            for (n, down) in [(UP, false), (DOWN, true)] {
                let xq = x0 * n[0] + (x1 - x0) * n[1] + (all.0 - x1) * n[2];
                let qq = w0 * n[0] * n[0] + (w1 - w0) * n[1] * n[1] + (all.1 - w1) * n[2] * n[2];
                best.look(xq, qq, (zeros, ones), [down]);
            }
        }
    }
    best.split(&order)
}

/// The sums of values and of squares, for each way to move two halves: both up, the second down, the first down, both down.
type Sums = ([f32; 4], [f32; 4]);

/// Splits a group whose halves are moved each for itself (the search of `quantize_row_iq1_m_impl` in C, as it was before it
/// took differences of sums: its bits depend on each sum being made anew). `None` if nothing weighs anything.
#[inline(always)]
pub(crate) fn split_halves<const G: usize>(x: &[f32; G], weight: &[f32; G]) -> Option<Split<G, 2>> {
    let order = ascending(x);
    // What each place adds to the sums when its value becomes the number of a digit.
    let terms: [[Sums; 3]; G] = std::array::from_fn(|place| {
        let i = order[place];
        std::array::from_fn(|digit| {
            let ways: [f32; 4] = std::array::from_fn(|way| {
                let down = if i < G / 2 { way >= 2 } else { way % 2 == 1 };
                numbers(down)[digit]
            });
            (ways.map(|q| weight[i] * q * x[i]), ways.map(|q| weight[i] * q * q))
        })
    });
    let add = |sums: &mut Sums, terms: &Sums| {
        for way in 0..4 {
            sums.0[way] += terms.0[way];
            sums.1[way] += terms.1[way];
        }
    };
    let mut best = Best::NONE;
    let mut zeros_at = Sums::default();
    for zeros in 0..=G {
        // Sums up to a place are those up to the place before, and one more: only what becomes 1 is added up anew.
        let mut ones_at = zeros_at;
        for ones in zeros..=G {
            let mut sums = ones_at;
            for terms in &terms[ones..] {
                add(&mut sums, &terms[2]);
            }
            for way in 0..4 {
                best.look(sums.0[way], sums.1[way], (zeros, ones), [way >= 2, way % 2 == 1]);
            }
            if let Some(terms) = terms.get(ones) {
                add(&mut ones_at, &terms[1]);
            }
        }
        if let Some(terms) = terms.get(zeros) {
            add(&mut zeros_at, &terms[0]);
        }
    }
    best.split(&order)
}

/// The scale of a group, a point for each eight of its values (of four, as many as there are), and which parts are moved down.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placed<const H: usize> {
    pub(crate) scale: f32,
    pub(crate) points: [u16; 4],
    pub(crate) down: [bool; H],
}

impl<const G: usize, const H: usize> Split<G, H> {
    /// Takes the nearest points where digits are not in the book, and then the scale that suits the points.
    #[inline(always)]
    pub(crate) fn place<L: Sixteen>(
        &self,
        book: &Lookup<8, 3>,
        x: &[f32; G],
        weight: &[f32; G],
    ) -> Placed<H> {
        let (eights, weights) = (x.as_chunks::<8>().0, weight.as_chunks::<8>().0);
        let mut placed = Placed { scale: self.scale, points: [0; 4], down: self.down };
        let mut missed = false;
        let numbers = |i: usize| numbers(self.down[i * H / eights.len()]);
        for (i, digits) in self.digits.as_chunks::<8>().0.iter().enumerate() {
            placed.points[i] = match book.find(digits) {
                Found::Point(point) => point,
                Found::Near(near) => {
                    missed = true;
                    // One number is 1 from the next.
                    let numbers = numbers(i)[0];
                    closest(near, &eights[i], &weights[i], self.scale, |digit: L| digit + L::all(numbers))
                }
            };
        }
        if missed {
            let (mut xq, mut qq) = (0.0f32, 0.0f32);
            for (i, (x, weight)) in eights.iter().zip(weights).enumerate() {
                let numbers = numbers(i);
                for ((digit, x), w) in book.digits(placed.points[i]).into_iter().zip(x).zip(weight) {
                    let q = numbers[usize::from(digit)];
                    xq += w * q * x;
                    qq += w * q * q;
                }
            }
            if xq > 0.0 && qq > 0.0 {
                placed.scale = xq / qq;
            }
        }
        placed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_keep_their_order() {
        assert_eq!(ascending(&[2.0, -1.0, 0.0, -1.0, -0.0]), [1, 3, 2, 4, 0]);
    }

    /// The values are what digits stand for, so that nothing is lost.
    #[test]
    fn what_fits_is_found() {
        let values = [1.125, 0.125, -0.875, 0.125, 1.125, 1.125, -0.875, 0.125].map(|x: f32| 3.0 * x);
        let split = split_whole(&values, &[1.0; 8]).unwrap();
        assert_eq!((split.scale, split.digits, split.down), (3.0, [2, 1, 0, 1, 2, 2, 0, 1], [false]));
        let values: [f32; 8] = std::array::from_fn(|i| if i < 4 { values[i] } else { -values[i] });
        let split = split_halves(&values, &[1.0; 8]).unwrap();
        assert_eq!((split.scale, split.digits, split.down), (3.0, [2, 1, 0, 1, 0, 0, 2, 1], [false, true]));
        assert!(split_whole(&values, &[0.0; 8]).is_none());
    }
}
