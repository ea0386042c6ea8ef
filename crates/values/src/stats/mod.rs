//! What the values of a tensor are like: how many, how large, how spread, how many are zero or no numbers.
//!
//! All of it comes from one pass over the data. Where the mean is far from zero, moments are about a value near it, so that what is
//! small against the mean is not lost. Quantiles, outliers and drawn histograms come from counts of values by size
//! ([`Histogram`]), whose steps are known.

mod histogram;
mod measure;
mod moments;
mod scale;
mod sizes;

pub use histogram::Histogram;
pub use moments::Moments;

use std::io;
use std::num::NonZeroUsize;

use ggufkit_format::ReadAt;

use crate::exact::Wide;
use crate::unit::{self, Unit};
use crate::{Memory, Weights};

use self::scale::Scale;
use self::sizes::Sizes;

/// The statistics of some values.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// Values in all.
    pub count: u64,
    /// Values that are zero, of either sign.
    pub zeros: u64,
    /// Values that are not a number.
    pub nan: u64,
    /// Values that are infinite.
    pub infinite: u64,
    /// Mean and spread of the finite values.
    pub moments: Moments,
    /// The smallest and the largest finite value; `None` without any.
    pub range: Option<(f64, f64)>,
    /// The finite values by size.
    pub histogram: Histogram,
    /// Finite values that are further from their tensor's zero than [`OUTLIER`] times its root mean square; `None` where no value
    /// stands out.
    pub outliers: Option<Outliers>,
    /// The scales of the blocks, of types that have one per block.
    pub scales: Option<Scales>,
    /// Whether some values are of types whose numbers floats of 32 bits do not hold (`F64`, `I32`, `I64`). Of all others the digits
    /// that tell floats apart are enough.
    pub wide: bool,
}

/// Outliers lie at or beyond so many times the root mean square of their tensor.
pub const OUTLIER: f64 = 6.0;

/// How many values stand out.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Outliers {
    /// Values.
    pub count: u64,
    /// The magnitude from which on they were counted: the histogram's next step. `None` where tensors with several are put
    /// together.
    pub from: Option<f32>,
}

/// Which values are counted by size, and how they are summed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Detail {
    /// All of them, and values and squares are summed as doubles.
    Full,
    /// Of large tensors all that are far from zero, and of the others some: outliers are those of all values from the bound on, and
    /// a small picture looks the same. A few hundred values at a time are summed as floats, so that sums hold six digits. It takes
    /// a third to two thirds of the time.
    Brief,
}

/// The factors of whole blocks (`d` in ggml's structs).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Scales {
    /// Blocks.
    pub blocks: u64,
    /// Blocks whose scale is zero: all their values are, as far as the scale decides.
    pub zeros: u64,
    /// Blocks whose scale is infinite or not a number.
    pub not_finite: u64,
    /// The smallest and the largest magnitude of a finite scale that is not zero; `None` without any.
    pub magnitudes: Option<(f32, f32)>,
}

impl Stats {
    /// Finite values.
    #[must_use]
    pub fn finite(&self) -> u64 {
        self.moments.count
    }

    /// The part of all values that is zero; `None` without values.
    #[must_use]
    pub fn sparsity(&self) -> Option<f64> {
        (self.count > 0).then(|| self.zeros as f64 / self.count as f64)
    }

    /// About the value below which `part` (0 to 1) of the finite ones lie, as [`Histogram::quantile`] has it, and within their
    /// range: a bin may reach beyond the values in it.
    #[must_use]
    pub fn quantile(&self, part: f64) -> Option<f32> {
        let found = self.histogram.quantile(part)?;
        let Some((low, high)) = self.range else { return Some(found) };
        // Where no float of 32 bits is the bound, the next one is as near.
        Some(found.clamp(low as f32, (high as f32).max(low as f32)))
    }

    /// Adds the statistics of other values, which come behind these.
    pub fn add(&mut self, other: &Self) {
        self.count = self.count.saturating_add(other.count);
        self.zeros = self.zeros.saturating_add(other.zeros);
        self.nan = self.nan.saturating_add(other.nan);
        self.infinite = self.infinite.saturating_add(other.infinite);
        self.wide |= other.wide;
        self.moments = self.moments.and(&other.moments);
        self.range = either(self.range, other.range);
        self.outliers = match (self.outliers, other.outliers) {
            (Some(one), Some(two)) => Some(Outliers {
                count: one.count.saturating_add(two.count),
                from: one.from.filter(|from| two.from == Some(*from)),
            }),
            (one, two) => one.or(two),
        };
        self.histogram.add(&other.histogram);
        self.scales = match (self.scales, other.scales) {
            (Some(one), Some(two)) => Some(Scales {
                blocks: one.blocks.saturating_add(two.blocks),
                zeros: one.zeros.saturating_add(two.zeros),
                not_finite: one.not_finite.saturating_add(two.not_finite),
                magnitudes: either(one.magnitudes, two.magnitudes),
            }),
            (one, two) => one.or(two),
        };
    }
}

/// The range that holds both.
fn either<T: PartialOrd>(one: Option<(T, T)>, two: Option<(T, T)>) -> Option<(T, T)> {
    match (one, two) {
        (Some((low, high)), Some((lower, higher))) => {
            Some((if lower < low { lower } else { low }, if higher > high { higher } else { high }))
        }
        (one, two) => one.or(two),
    }
}

/// The statistics of tensors, by at most `threads` threads, each handed to `take` with its place in `tensors` when it is done,
/// in order. `progress` is told bytes that are done, since it was last told.
///
/// An error is the source's; the tensor's other values are then not all looked at.
pub fn stats<S>(
    tensors: &[Weights<'_, S>],
    detail: Detail,
    threads: NonZeroUsize,
    progress: &(dyn Fn(u64) + Sync),
    take: &mut dyn FnMut(usize, io::Result<Stats>),
) where
    S: ReadAt<Error = io::Error> + Sync + ?Sized,
{
    let elements: Vec<u64> = tensors.iter().map(Weights::elements).collect();
    let size = |tensor: &Weights<'_, S>| {
        let exact = Wide::of(tensor.tensor_type()).is_some();
        Sizes::of(tensor.elements(), if exact { Detail::Full } else { detail })
    };
    let sizes: Vec<Sizes> = tensors.iter().map(size).collect();
    let work = |unit: &Unit, memory: &mut [Memory; 2]| {
        let [memory, _] = memory;
        let (Some(weights), Some(sizes)) = (tensors.get(unit.of), sizes.get(unit.of)) else {
            return Ok(Stats::default());
        };
        let scale = Scale::of(weights.tensor_type());
        let mut stats = Stats { wide: Wide::of(weights.tensor_type()).is_some(), ..Stats::default() };
        let mut stretches = weights.stretches(unit.elements.clone(), memory);
        sizes.counting(|counting| -> io::Result<()> {
            while let Some(stretch) = stretches.next_stretch() {
                let stretch = stretch?;
                match stretch.exact() {
                    Some(values) => stats.add(&counting.measure_exact(&values, stretch.values)),
                    None => stats.add(&counting.measure(stretch.values)),
                }
                if let Some(scale) = &scale {
                    scale.look(&mut stats, stretch.blocks);
                }
                progress(stretch.blocks.len() as u64);
            }
            Ok(())
        })?;
        Ok(stats)
    };
    let mut sum: io::Result<Stats> = Ok(Stats::default());
    unit::each(&elements, threads, &work, &mut |unit, result| {
        match (&mut sum, result) {
            (Ok(sum), Ok(stats)) => sum.add(&stats),
            (Ok(_), Err(error)) => sum = Err(error),
            (Err(_), _) => {}
        }
        if unit.last {
            let mut done = std::mem::replace(&mut sum, Ok(Stats::default()));
            let mut again = false;
            if let (Ok(stats), Some(sizes)) = (&mut done, sizes.get(unit.of)) {
                again = !sizes.finish(stats);
            }
            match tensors.get(unit.of..).and_then(|rest| rest.get(..1)).filter(|_| again) {
                // Outliers begin among those that were not all counted.
                Some(one) => {
                    stats(one, Detail::Full, threads, &|_| (), &mut |_, stats| take(unit.of, stats));
                }
                None => take(unit.of, done),
            }
        }
    });
}

/// The statistics of values that are there.
#[must_use]
pub fn of_values(values: &[f32]) -> Stats {
    let sizes = Sizes::of(values.len() as u64, Detail::Full);
    let mut stats = Stats::default();
    sizes.counting(|counting| stats.add(&counting.measure(values)));
    sizes.finish(&mut stats);
    stats
}

#[cfg(test)]
mod tests;
