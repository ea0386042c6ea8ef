//! The pass over values that are decoded: all that is told of them but how many have which size.
//!
//! Each part of them is gone over while it is in the cache next to the core. What seldom occurs (values that are not finite, a mean
//! far from zero) is noticed by the sums, and looked at once more.

use ggufkit_quant::registers::{Doubles, Floats, LANES, Pass, widest};

use super::Stats;
use super::histogram::key;
use super::moments::{Moments, Powers, Sums};
use crate::exact::Exact;

/// Values of a part.
const PART: usize = 1024;

/// The bits of a float without its sign.
const MAGNITUDE: u32 = 0x7fff_ffff;

/// All of the values but the histogram. Of finite values whose magnitude is `floor` or more, where they are counted is added to
/// `far`.
pub(super) fn measure(values: &[f32], sums: Sums, floor: f32, far: &mut Vec<u16>) -> Stats {
    widest(Measure { values, sums, floor, far })
}

/// Where finite values whose magnitude is `floor` or more are counted.
pub(super) fn find(values: &[f32], floor: f32, far: &mut Vec<u16>) {
    widest(Find { values, floor, far });
}

struct Find<'a> {
    values: &'a [f32],
    floor: f32,
    far: &'a mut Vec<u16>,
}

impl Pass for Find<'_> {
    type Output = ();

    #[inline(always)]
    fn run<D: Doubles>(self) {
        let Self { values, floor, far } = self;
        let (fours, rest) = values.as_chunks::<FOUR>();
        for four in fours {
            let mut lanes = 0_u64;
            for (at, chunk) in four.as_chunks().0.iter().enumerate() {
                lanes |= u64::from(D::Floats::of(chunk).reaching(floor)) << (at * 2 * LANES);
            }
            while lanes != 0 {
                keep(four.get(lanes.trailing_zeros() as usize), far);
                lanes &= lanes.wrapping_sub(1);
            }
        }
        for value in rest.iter().filter(|value| value.abs() >= floor) {
            keep(Some(value), far);
        }
    }
}

/// Values of four registers, of which most often none is far.
const FOUR: usize = 8 * LANES;

#[inline(always)]
fn keep(value: Option<&f32>, far: &mut Vec<u16>) {
    far.extend(value.filter(|value| value.is_finite()).map(|value| key(*value)));
}

struct Measure<'a> {
    values: &'a [f32],
    sums: Sums,
    floor: f32,
    far: &'a mut Vec<u16>,
}

impl Pass for Measure<'_> {
    type Output = Stats;

    #[inline(always)]
    fn run<D: Doubles>(self) -> Stats {
        let Self { values, sums, floor, far } = self;
        let mut powers = Powers::<D>::none();
        let mut ends = Ends::NONE;
        for part in values.chunks(PART) {
            let mut here = Ends::NONE;
            for value in part {
                let bits = value.to_bits();
                here.most = here.most.max(bits.cast_signed());
                here.least = here.least.max(bits);
            }
            powers.add(part, sums);
            ends = Ends { most: ends.most.max(here.most), least: ends.least.max(here.least) };
            if here.reach() >= floor.to_bits() {
                Find { values: part, floor, far: &mut *far }.run::<D>();
            }
        }
        let (count, zeros) = (values.len() as u64, powers.zeros());
        let reach = ends.reach();
        if reach >= f32::INFINITY.to_bits() {
            return Stats { zeros, ..with_odd_ones(values) };
        }
        let moments = powers.moments(count, f32::from_bits(reach)).unwrap_or_else(|| Moments::of(values));
        Stats { count, zeros, moments, range: ends.range(values), ..Stats::default() }
    }
}

/// The largest of values as signed integers, and as unsigned ones: the largest value where any is positive, and the smallest
/// where any is negative.
#[derive(Clone, Copy)]
struct Ends {
    most: i32,
    least: u32,
}

impl Ends {
    const NONE: Self = Self { most: i32::MIN, least: 0 };

    /// The bits of the largest magnitude.
    #[inline(always)]
    fn reach(self) -> u32 {
        self.most.max(0).cast_unsigned().max(self.least & MAGNITUDE)
    }

    /// The smallest and the largest of the values, all of which are finite; zeros have no sign.
    fn range(self, values: &[f32]) -> Option<(f64, f64)> {
        let of = |bits: u32| f64::from(f32::from_bits(bits) + 0.0);
        let bits = values.iter().map(|value| value.to_bits());
        // Where all values are on one side of zero, the one next to it is looked for by itself.
        let high = if self.most < 0 { bits.clone().min() } else { Some(self.most.cast_unsigned()) };
        let low = if self.least <= MAGNITUDE { bits.min() } else { Some(self.least) };
        low.map(of).zip(high.map(of))
    }
}

/// Of values that are not all finite.
#[cold]
fn with_odd_ones(values: &[f32]) -> Stats {
    let finite: Vec<f32> = values.iter().copied().filter(|value| value.is_finite()).collect();
    let low = finite.iter().copied().reduce(f32::min);
    let high = finite.iter().copied().reduce(f32::max);
    let of = |value: f32| f64::from(value + 0.0);
    Stats {
        count: values.len() as u64,
        nan: values.iter().map(|value| u64::from(value.is_nan())).sum(),
        infinite: values.iter().map(|value| u64::from(value.is_infinite())).sum(),
        moments: Moments::of(&finite),
        range: low.map(of).zip(high.map(of)),
        ..Stats::default()
    }
}

/// The statistics of values that floats of 32 bits do not hold, but for their sizes.
pub(super) fn of_exact(values: &[Exact]) -> Stats {
    let doubles: Vec<f64> = values.iter().map(|value| value.double()).collect();
    let count = |of: fn(&f64) -> bool| doubles.iter().filter(|value| of(value)).count() as u64;
    let (nan, infinite) = (count(|value| value.is_nan()), count(|value| value.is_infinite()));
    let zeros = count(|value| *value == 0.0);
    let finite: Vec<f64> = doubles.iter().copied().filter(|value| value.is_finite()).collect();
    let (low, high) = (finite.iter().copied().reduce(f64::min), finite.iter().copied().reduce(f64::max));
    Stats {
        count: values.len() as u64,
        zeros,
        nan,
        infinite,
        moments: Moments::of_doubles(&finite),
        range: low.map(|low| low + 0.0).zip(high.map(|high| high + 0.0)),
        ..Stats::default()
    }
}
