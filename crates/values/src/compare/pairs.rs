//! The pass over pairs of values.

use ggufkit_quant::registers::{Doubles, LANES, Pass, widest};

use super::{BLOCK, Difference, WORST};
use crate::exact::Exact;
use crate::weights::STRETCH;

/// Blocks of a stretch.
const BLOCKS: usize = STRETCH / BLOCK as usize;

impl Difference {
    /// Adds pairs of values, of which the first has the number `at`, a multiple of [`BLOCK`].
    pub(super) fn pairs(&mut self, at: u64, first: &[f32], second: &[f32]) {
        let stretches = first.chunks(STRETCH).zip(second.chunks(STRETCH));
        for (number, (first, second)) in stretches.enumerate() {
            self.stretch(at.saturating_add((number as u64).saturating_mul(STRETCH as u64)), first, second);
        }
    }

    fn stretch(&mut self, at: u64, first: &[f32], second: &[f32]) {
        let (sums, blocks) = widest(Pairs { first, second });
        let count = first.len().min(second.len());
        if !sums.iter().all(|sum| sum.is_finite()) {
            // The squares of 32-bit floats are far from the end of doubles: not all values are finite.
            let exact = |values: &[f32]| values.iter().map(|value| Exact::Real(f64::from(*value))).collect();
            let (first, second): (Vec<Exact>, Vec<Exact>) = (exact(first), exact(second));
            self.exact(at, &first, &second);
            return;
        }
        let [errors, one, two, products, most] = sums;
        self.count = self.count.saturating_add(count as u64);
        self.finite = self.finite.saturating_add(count as u64);
        self.equal = self.equal.saturating_add(equal(first, second));
        self.errors += errors;
        self.squares[0] += one;
        self.squares[1] += two;
        self.products += products;
        // Below it, a block is none of the worst. A little less, for what the root rounds.
        let bar = self.worst.get(WORST.saturating_sub(1)).map_or(0.0, |(worst, _)| worst * worst * 0.999_999);
        for (number, (error, values)) in blocks.iter().zip(first.chunks(BLOCK as usize)).enumerate() {
            let mean = error / values.len() as f64;
            if mean > bar {
                self.consider(mean.sqrt(), at.saturating_add((number as u64).saturating_mul(BLOCK)));
            }
        }
        // The root of a square is the number again.
        let max = most.sqrt();
        if max == 0.0 {
            self.max = self.max.or_else(|| (count > 0).then_some((0.0, at)));
        } else if self.max.is_none_or(|(here, _)| max > here) {
            // Which element it was is looked for only where it could be the largest.
            let distance = |(a, b): (&f32, &f32)| (f64::from(*a) - f64::from(*b)).abs();
            let place = first.iter().zip(second).position(|pair| distance(pair) == max);
            self.max = place.map(|place| (max, at.saturating_add(place as u64))).or(self.max);
        }
    }

    /// The same of values that need not be finite, nor floats of 32 bits: one by one.
    pub(super) fn exact(&mut self, at: u64, first: &[Exact], second: &[Exact]) {
        let blocks = first.chunks(BLOCK as usize).zip(second.chunks(BLOCK as usize));
        for (number, (first, second)) in blocks.enumerate() {
            let at = at.saturating_add((number as u64).saturating_mul(BLOCK));
            let (mut finite, mut sum) = (0_u64, 0.0);
            for (place, (one, two)) in first.iter().zip(second).enumerate() {
                let (a, b, equal) = (one.double(), two.double(), one.equals(*two));
                self.count = self.count.saturating_add(1);
                self.equal = self.equal.saturating_add(u64::from(equal));
                if !a.is_finite() || !b.is_finite() {
                    self.not_finite = self.not_finite.saturating_add(u64::from(!equal));
                    continue;
                }
                let distance = one.less(*two).abs();
                finite = finite.saturating_add(1);
                sum += distance * distance;
                self.squares[0] += a * a;
                self.squares[1] += b * b;
                self.products += a * b;
                if self.max.is_none_or(|(max, _)| distance > max) {
                    self.max = Some((distance, at.saturating_add(place as u64)));
                }
            }
            self.finite = self.finite.saturating_add(finite);
            self.errors += sum;
            if finite > 0 {
                self.consider((sum / finite as f64).sqrt(), at);
            }
        }
    }
}

/// Pairs that follow each other.
struct Pairs<'a> {
    first: &'a [f32],
    second: &'a [f32],
}

/// The sums that pairs are added to.
#[derive(Clone, Copy)]
struct Sums<D> {
    /// Of the squared distances of a block.
    errors: D,
    ones: D,
    twos: D,
    products: D,
    most: D,
}

impl<D: Doubles> Sums<D> {
    #[inline(always)]
    fn add(&mut self, a: D, b: D) {
        let distance = a - b;
        let square = distance * distance;
        self.errors = self.errors + square;
        self.most = self.most.most(square);
        self.ones = self.ones.plus_product(a, a);
        self.twos = self.twos.plus_product(b, b);
        self.products = self.products.plus_product(a, b);
    }
}

/// Adds pairs to both halves of the sums.
#[inline(always)]
fn add<D: Doubles>(
    one: &mut Sums<D>,
    two: &mut Sums<D>,
    first: &[f32; 2 * LANES],
    second: &[f32; 2 * LANES],
) {
    let ([a, c], [b, d]) = (D::halves(first), D::halves(second));
    one.add(a, b);
    two.add(c, d);
}

impl Pass for Pairs<'_> {
    /// Of squared distances, of the squares of each, of products, and the largest squared distance; then the squared distances of
    /// each block.
    type Output = ([f64; 5], [f64; BLOCKS]);

    #[inline(always)]
    fn run<D: Doubles>(self) -> Self::Output {
        let Self { first, second } = self;
        let mut by_block = [0.0; BLOCKS];
        let none = D::all(0.0);
        let mut one = Sums { errors: none, ones: none, twos: none, products: none, most: none };
        let mut two = one;
        let mut errors = 0.0;
        let blocks = first.chunks(BLOCK as usize).zip(second.chunks(BLOCK as usize));
        for ((first, second), error) in blocks.zip(&mut by_block) {
            (one.errors, two.errors) = (none, none);
            let ((chunks, rest), (others, other_rest)) = (first.as_chunks(), second.as_chunks());
            for (first, second) in chunks.iter().zip(others) {
                add(&mut one, &mut two, first, second);
            }
            if !rest.is_empty() {
                let mut both = [[0.0; 2 * LANES]; 2];
                for (out, from) in both.iter_mut().zip([rest, other_rest]) {
                    for (out, value) in out.iter_mut().zip(from) {
                        *out = *value;
                    }
                }
                add(&mut one, &mut two, &both[0], &both[1]);
            }
            *error = (one.errors + two.errors).sum();
            errors += *error;
        }
        let most = one.most.most(two.most).lanes().iter().copied().fold(0.0, f64::max);
        let squares = [(one.ones + two.ones).sum(), (one.twos + two.twos).sum()];
        ([errors, squares[0], squares[1], (one.products + two.products).sum(), most], by_block)
    }
}

/// Finite pairs that are equal.
fn equal(first: &[f32], second: &[f32]) -> u64 {
    widest(Equal(first, second))
}

struct Equal<'a>(&'a [f32], &'a [f32]);

impl Pass for Equal<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<D: Doubles>(self) -> u64 {
        let mut equal = 0_u32;
        for (a, b) in self.0.iter().zip(self.1) {
            equal = equal.wrapping_add(u32::from(a == b));
        }
        u64::from(equal)
    }
}
