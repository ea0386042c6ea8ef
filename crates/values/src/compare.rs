//! How far the values of two tensors are apart, element by element, whatever their types.
//!
//! The first is what the second is measured by: errors are relative to its values. Sums are kept in `f64`, in an order that
//! does not depend on threads.

use std::fmt;
use std::io;
use std::num::NonZeroUsize;
use std::ops::Range;

use ggufkit_format::ReadAt;

use ggufkit_quant::registers::{Doubles, Pass, widest};

use crate::unit::{self, Unit};
use crate::{Memory, Stretch, Stretches, Weights};

/// Elements of a stretch whose error is told by itself: the super-block of most types, or as many smaller ones.
pub const BLOCK: u64 = 256;

/// How far two tensors are apart.
#[derive(Clone, Debug, Default)]
pub struct Difference {
    /// Pairs of elements.
    pub count: u64,
    /// Pairs that are equal as numbers, or both not a number.
    pub equal: u64,
    /// Pairs of which one or both are infinite or not a number, and that are not equal: they are in none of the measures.
    pub not_finite: u64,
    /// The largest distance of a pair, and the number of the element; `None` without finite pairs.
    pub max: Option<(f64, u64)>,
    /// The worst blocks of [`BLOCK`] elements, the worst first: root mean square of the distances, number of the first element.
    pub worst: Vec<(f64, u64)>,
    /// Finite pairs.
    finite: u64,
    /// Sums over them: of the squared distances, of the squares of each, of the products.
    errors: f64,
    squares: [f64; 2],
    products: f64,
}

/// Blocks that are named.
const WORST: usize = 5;

impl Difference {
    /// Root of the mean of the squared distances; `None` without finite pairs.
    #[must_use]
    pub fn rmse(&self) -> Option<f64> {
        (self.finite > 0).then(|| (self.errors / self.finite as f64).sqrt())
    }

    /// The same, relative to the root mean square of the first tensor; `None` without finite pairs, or where all values
    /// of the first are zero and those of the second are not.
    #[must_use]
    pub fn relative(&self) -> Option<f64> {
        match (self.finite, self.errors, self.squares[0]) {
            (0, ..) => None,
            (_, 0.0, _) => Some(0.0),
            (_, _, 0.0) => None,
            (_, errors, squares) => Some((errors / squares).sqrt()),
        }
    }

    /// Signal to noise in decibels: the squares of the first over the squared distances. Infinite where there is no distance;
    /// `None` where [`Difference::relative`] is.
    #[must_use]
    pub fn snr(&self) -> Option<f64> {
        self.relative().map(|relative| -20.0 * relative.log10())
    }

    /// The cosine of the angle between the two; `None` where one of them is all zeros, or there is no finite pair.
    #[must_use]
    pub fn cosine(&self) -> Option<f64> {
        let [first, second] = self.squares;
        // Squares of 32-bit floats leave room for their product; equal sums make its root exact.
        let norm = (first * second).sqrt();
        // By rounding it may come out a little beyond.
        (norm > 0.0).then(|| (self.products / norm).clamp(-1.0, 1.0))
    }

    /// The same without the worst blocks, for adding up tensors: an element's number says nothing there.
    #[must_use]
    pub fn without_places(&self) -> Self {
        Self { worst: Vec::new(), ..self.clone() }
    }

    /// Adds the distances of other pairs, which come behind these.
    pub fn add(&mut self, other: &Self) {
        self.count = self.count.saturating_add(other.count);
        self.equal = self.equal.saturating_add(other.equal);
        self.not_finite = self.not_finite.saturating_add(other.not_finite);
        self.finite = self.finite.saturating_add(other.finite);
        self.errors += other.errors;
        self.squares[0] += other.squares[0];
        self.squares[1] += other.squares[1];
        self.products += other.products;
        if other.max.is_some_and(|(max, _)| self.max.is_none_or(|(here, _)| max > here)) {
            self.max = other.max;
        }
        for (error, at) in &other.worst {
            self.consider(*error, *at);
        }
    }

    /// Keeps a block if it is one of the worst; of equal ones the first.
    fn consider(&mut self, error: f64, at: u64) {
        if error > 0.0
            && (self.worst.len() < WORST || self.worst.last().is_some_and(|(last, _)| error > *last))
        {
            let place = self.worst.partition_point(|(other, _)| *other >= error);
            self.worst.insert(place, (error, at));
            self.worst.truncate(WORST);
        }
    }

    /// Adds pairs of values, of which the first has the number `at`, a multiple of [`BLOCK`].
    fn pairs(&mut self, at: u64, first: &[f32], second: &[f32]) {
        widest(Pairs { difference: self, at, first, second });
    }

    /// The same with the registers that the caller is compiled for.
    #[inline(always)]
    fn pairs_here<D: Doubles>(&mut self, at: u64, first: &[f32], second: &[f32]) {
        let blocks = first.chunks(BLOCK as usize).zip(second.chunks(BLOCK as usize));
        for (number, (first, second)) in blocks.enumerate() {
            let at = at.saturating_add((number as u64).saturating_mul(BLOCK));
            let (mut block, equal) = (Sums::of::<D>(first, second), equal(first, second));
            let all_finite = block.finite;
            if !all_finite {
                let finite = |(a, b): &(&f32, &f32)| a.is_finite() && b.is_finite();
                let (a, b): (Vec<f32>, Vec<f32>) = first.iter().zip(second).filter(finite).unzip();
                block = Sums::of::<D>(&a, &b);
            }
            self.finite = self.finite.saturating_add(block.count);
            self.count = self.count.saturating_add(first.len() as u64);
            self.equal = self.equal.saturating_add(equal);
            if !all_finite {
                let odd = |(a, b): (&f32, &f32)| {
                    let finite = a.is_finite() && b.is_finite();
                    u64::from(!finite && a != b && !(a.is_nan() && b.is_nan()))
                };
                self.not_finite = self.not_finite.saturating_add(first.iter().zip(second).map(odd).sum());
            }
            self.errors += block.errors;
            self.squares[0] += block.squares[0];
            self.squares[1] += block.squares[1];
            self.products += block.products;
            if equal == first.len() as u64 {
                self.max = self.max.or_else(|| (block.count > 0).then_some((0.0, at)));
                continue;
            }
            // Which element it was is looked for only where it could be the largest.
            if self.max.is_none_or(|(max, _)| block.max > max) {
                let distance = |(a, b): (&f32, &f32)| (f64::from(*a) - f64::from(*b)).abs();
                let place = first.iter().zip(second).position(|pair| distance(pair) == block.max);
                self.max = place.map(|place| (block.max, at.saturating_add(place as u64))).or(self.max);
            }
            if block.count > 0 {
                self.consider((block.errors / block.count as f64).sqrt(), at);
            }
        }
    }
}

/// Sums that are carried side by side: the order of additions is part of the result, and is the same everywhere.
const LANES: usize = 8;

/// Pairs that follow each other.
struct Pairs<'a> {
    difference: &'a mut Difference,
    at: u64,
    first: &'a [f32],
    second: &'a [f32],
}

impl Pass for Pairs<'_> {
    type Output = ();

    #[inline(always)]
    fn run<D: Doubles>(self) {
        self.difference.pairs_here::<D>(self.at, self.first, self.second);
    }
}

/// Pairs that are equal, or both not a number.
#[inline(always)]
fn equal(first: &[f32], second: &[f32]) -> u64 {
    let mut equal = 0_u32;
    for (a, b) in first.iter().zip(second) {
        equal = equal.wrapping_add(u32::from((a == b) | (a.is_nan() & b.is_nan())));
    }
    u64::from(equal)
}

/// Sums over pairs.
#[derive(Default)]
struct Sums {
    /// Whether all values are finite; if not, the sums say nothing.
    finite: bool,
    count: u64,
    errors: f64,
    squares: [f64; 2],
    products: f64,
    max: f64,
}

impl Sums {
    #[inline(always)]
    fn of<D: Doubles>(first: &[f32], second: &[f32]) -> Self {
        let ((firsts, first_rest), (seconds, second_rest)) =
            (first.as_chunks::<LANES>(), second.as_chunks::<LANES>());
        let (mut errors, mut ones, mut twos) = (D::all(0.0), D::all(0.0), D::all(0.0));
        let (mut products, mut max) = (D::all(0.0), D::all(0.0));
        for (first, second) in firsts.iter().zip(seconds) {
            let (a, b) = (D::of(first), D::of(second));
            let d = a - b;
            errors = errors + d * d;
            ones = ones + a * a;
            twos = twos + b * b;
            products = products + a * b;
            max = max.reach(d);
        }
        let (mut errors, mut one) = (sum(&errors.lanes()), sum(&ones.lanes()));
        let (mut two, mut product) = (sum(&twos.lanes()), sum(&products.lanes()));
        let mut max = max.lanes().iter().copied().fold(0.0, f64::max);
        for (a, b) in first_rest.iter().zip(second_rest) {
            let (a, b) = (f64::from(*a), f64::from(*b));
            let d = a - b;
            errors += d * d;
            one += a * a;
            two += b * b;
            product += a * b;
            max = max.max(d.abs());
        }
        // The squares of 32-bit floats are far from the end of doubles: sums are finite exactly where all values are.
        let finite = one.is_finite() && two.is_finite();
        Self { finite, count: first.len() as u64, errors, squares: [one, two], products: product, max }
    }
}

/// One lane after the other.
#[inline(always)]
fn sum(lanes: &[f64; LANES]) -> f64 {
    let mut sum = 0.0;
    for lane in lanes {
        sum += lane;
    }
    sum
}

/// Why two tensors are not compared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OtherCount {
    /// Elements of the first.
    pub first: u64,
    /// Elements of the second.
    pub second: u64,
}

impl fmt::Display for OtherCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} elements are not {}: only tensors of one shape are compared", self.first, self.second)
    }
}

impl std::error::Error for OtherCount {}

/// Values in an order, wherever they come from: one side of a comparison.
pub trait Side: Sync {
    /// How many there are.
    fn elements(&self) -> u64;

    /// Goes over the values of `elements`, which begin at a multiple of 2^18 and end there or with the values.
    fn walk<'m>(&'m self, elements: Range<u64>, memory: &'m mut Memory) -> Box<dyn Walk + 'm>;
}

/// Goes over values. Not an iterator: each stretch lives in the one memory until the next is asked for.
pub trait Walk {
    /// The next 8,192 values, or the last of them; `None` after these, and after an error.
    fn next_stretch(&mut self) -> Option<io::Result<Stretch<'_>>>;
}

impl<S: ReadAt<Error = io::Error> + Sync + ?Sized> Side for Weights<'_, S> {
    fn elements(&self) -> u64 {
        Weights::elements(self)
    }

    fn walk<'m>(&'m self, elements: Range<u64>, memory: &'m mut Memory) -> Box<dyn Walk + 'm> {
        Box::new(self.stretches(elements, memory))
    }
}

impl<S: ReadAt<Error = io::Error> + ?Sized> Walk for Stretches<'_, '_, '_, S> {
    fn next_stretch(&mut self) -> Option<io::Result<Stretch<'_>>> {
        Stretches::next_stretch(self)
    }
}

/// Two tensors with as many elements, in the same order.
pub struct Pair<'p> {
    first: &'p dyn Side,
    second: &'p dyn Side,
}

impl fmt::Debug for Pair<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pair").field("elements", &self.first.elements()).finish_non_exhaustive()
    }
}

impl<'p> Pair<'p> {
    /// The pair of two tensors; that their shapes are the same is for the caller to see to.
    ///
    /// # Errors
    /// They do not have as many elements.
    pub fn of(first: &'p dyn Side, second: &'p dyn Side) -> Result<Self, OtherCount> {
        let (one, two) = (first.elements(), second.elements());
        if one == two { Ok(Self { first, second }) } else { Err(OtherCount { first: one, second: two }) }
    }
}

/// Compares pairs of tensors, by at most `threads` threads; each result is handed to `take` with its place in `pairs` when it
/// is done, in order. `progress` is told bytes of both sides that are done, since it was last told.
///
/// An error is a source's; the pair's other elements are then not all looked at.
pub fn compare(
    pairs: &[Pair<'_>],
    threads: NonZeroUsize,
    progress: &(dyn Fn(u64) + Sync),
    take: &mut dyn FnMut(usize, io::Result<Difference>),
) {
    let elements: Vec<u64> = pairs.iter().map(|pair| pair.first.elements()).collect();
    let work = |unit: &Unit, memory: &mut [Memory; 2]| {
        let Some(pair) = pairs.get(unit.of) else { return Ok(Difference::default()) };
        let [one, two] = memory;
        let mut difference = Difference::default();
        let mut first = pair.first.walk(unit.elements.clone(), one);
        let mut second = pair.second.walk(unit.elements.clone(), two);
        // Both sides are cut alike, by elements.
        while let (Some(first), Some(second)) = (first.next_stretch(), second.next_stretch()) {
            let (first, second) = (first?, second?);
            difference.pairs(first.at, first.values, second.values);
            progress(first.blocks.len().saturating_add(second.blocks.len()) as u64);
        }
        Ok(difference)
    };
    let mut sum: io::Result<Difference> = Ok(Difference::default());
    unit::each(&elements, threads, &work, &mut |unit, result| {
        match (&mut sum, result) {
            (Ok(sum), Ok(difference)) => sum.add(&difference),
            (Ok(_), Err(error)) => sum = Err(error),
            (Err(_), _) => {}
        }
        if unit.last {
            take(unit.of, std::mem::replace(&mut sum, Ok(Difference::default())));
        }
    });
}

/// How far values that are there are apart; of those that have no counterpart nothing is said.
#[must_use]
pub fn of_values(first: &[f32], second: &[f32]) -> Difference {
    let mut difference = Difference::default();
    difference.pairs(0, first, second);
    difference
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_those_of_the_definitions() {
        let first: Vec<f32> = (0..1000).map(|at| (at as f32 * 0.37).sin()).collect();
        let second: Vec<f32> = first.iter().enumerate().map(|(at, v)| v + (at % 7) as f32 * 1e-3).collect();
        let found = of_values(&first, &second);
        let pairs = || first.iter().zip(&second).map(|(a, b)| (f64::from(*a), f64::from(*b)));
        let sum = |of: fn((f64, f64)) -> f64| pairs().map(of).sum::<f64>();
        let errors = sum(|(a, b)| (a - b).powi(2));
        let (ones, twos, products) = (sum(|(a, _)| a * a), sum(|(_, b)| b * b), sum(|(a, b)| a * b));
        let near = |found: Option<f64>, wanted: f64| {
            let found = found.unwrap();
            assert!((found - wanted).abs() < 1e-12 * wanted.abs().max(1.0), "{found} is not {wanted}");
        };
        near(found.rmse(), (errors / 1000.0).sqrt());
        near(found.relative(), (errors / ones).sqrt());
        near(found.snr(), 10.0 * (ones / errors).log10());
        near(found.cosine(), products / (ones * twos).sqrt());
        let max = pairs()
            .map(|(a, b)| (a - b).abs())
            .enumerate()
            .fold((0.0, 0), |best, (at, d)| if d > best.0 { (d, at as u64) } else { best });
        assert_eq!(found.max, Some(max));
        assert_eq!((found.count, found.not_finite), (1000, 0));
        assert_eq!(found.worst.len(), 4);
        assert!(found.worst.is_sorted_by(|a, b| a.0 >= b.0));
        let block = |at: u64| {
            let range = at as usize..(at as usize + 256).min(1000);
            let of = first[range.clone()].iter().zip(&second[range.clone()]);
            (of.map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>() / range.len() as f64).sqrt()
        };
        for (error, at) in &found.worst {
            assert!((error - block(*at)).abs() < 1e-6, "{at}");
        }
    }

    #[test]
    fn equal_values_have_no_distance_and_zeros_no_angle() {
        let same = of_values(&[1.0, -2.0, f32::NAN], &[1.0, -2.0, -f32::NAN]);
        assert_eq!((same.count, same.equal, same.not_finite), (3, 3, 0));
        assert_eq!((same.rmse(), same.relative(), same.snr()), (Some(0.0), Some(0.0), Some(f64::INFINITY)));
        for values in [[0.1_f32, 0.3, -0.7], [1e-45, 0.0, 3e-42], [f32::MAX, -1e38, 2e37]] {
            assert_eq!(of_values(&values, &values).cosine(), Some(1.0), "{values:?}");
        }
        assert_eq!((same.max, same.worst.len()), (Some((0.0, 0)), 0));
        let zeros = of_values(&[0.0; 4], &[0.0, 1.0, 0.0, 0.0]);
        assert_eq!((zeros.cosine(), zeros.relative(), zeros.snr()), (None, None, None));
        assert_eq!((zeros.rmse(), zeros.max), (Some(0.5), Some((1.0, 1))));
    }

    #[test]
    fn what_is_not_finite_is_counted_and_kept_out() {
        let found =
            of_values(&[1.0, f32::INFINITY, f32::NAN, 4.0], &[1.5, f32::INFINITY, 2.0, f32::NEG_INFINITY]);
        assert_eq!((found.equal, found.not_finite), (1, 2));
        assert_eq!((found.rmse(), found.max), (Some(0.5), Some((0.5, 0))));
        let none = of_values(&[f32::NAN], &[1.0]);
        assert_eq!((none.rmse(), none.max, none.relative()), (None, None, None));
    }
}
