//! How far the values of two tensors are apart, element by element, whatever their types.
//!
//! The first is what the second is measured by: errors are relative to its values. Sums are kept in `f64`, in an order that
//! does not depend on threads.

mod pairs;

use std::fmt;
use std::io;
use std::num::NonZeroUsize;
use std::ops::Range;

use ggufkit_format::ReadAt;

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
    /// Root of the mean of the squared distances; `None` without finite pairs, and where doubles do not hold the squares.
    #[must_use]
    pub fn rmse(&self) -> Option<f64> {
        self.squared().filter(|_| self.finite > 0).map(|errors| (errors / self.finite as f64).sqrt())
    }

    /// The sum of squared distances, where it is one. Those of numbers of 64 bits may be too large for a double, or too small.
    fn squared(&self) -> Option<f64> {
        let lost = self.errors == 0.0 && self.max.is_some_and(|(max, _)| max > 0.0);
        (self.errors.is_finite() && !lost).then_some(self.errors)
    }

    /// The same, relative to the root mean square of the first tensor; `None` without finite pairs, or where all values
    /// of the first are zero and those of the second are not, or doubles do not hold the squares.
    #[must_use]
    pub fn relative(&self) -> Option<f64> {
        match (self.finite, self.squared()?, self.squares[0]) {
            (0, ..) => None,
            (_, 0.0, _) => Some(0.0),
            (_, _, 0.0) => None,
            (_, errors, squares) => Some((errors / squares).sqrt()).filter(|_| squares.is_finite()),
        }
    }

    /// Signal to noise in decibels: the squares of the first over the squared distances. Infinite where there is no distance;
    /// `None` where [`Difference::relative`] is.
    #[must_use]
    pub fn snr(&self) -> Option<f64> {
        self.relative().map(|relative| -20.0 * relative.log10())
    }

    /// The cosine of the angle between the two; `None` where one of them is all zeros, there is no finite pair, or doubles do not
    /// hold the squares.
    #[must_use]
    pub fn cosine(&self) -> Option<f64> {
        let [first, second] = self.squares;
        // Squares of 32-bit floats leave room for their product; equal sums make its root exact.
        let norm = (first * second).sqrt();
        // By rounding it may come out a little beyond.
        (norm > 0.0 && norm.is_finite()).then(|| (self.products / norm).clamp(-1.0, 1.0))
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
    /// The next 4,096 values, or the last of them; `None` after these, and after an error.
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
            if first.wide.is_some() || second.wide.is_some() {
                difference.exact(first.at, &first.numbers(), &second.numbers());
            } else {
                difference.pairs(first.at, first.values, second.values);
            }
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
