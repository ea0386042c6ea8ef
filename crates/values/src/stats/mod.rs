//! What the values of a tensor are like: how many, how large, how spread, how many are zero or no numbers.
//!
//! All of it comes from one pass over the data. Moments are kept in `f64` about a value near the mean, so that what is small
//! against the mean is not lost. Quantiles, outliers and drawn histograms come from counts of values by size
//! ([`Histogram`]), whose steps are known.

mod histogram;
mod moments;

pub use histogram::Histogram;
pub use moments::Moments;

use std::cell::RefCell;
use std::io;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use ggufkit_format::ReadAt;
use ggufkit_format::spec::{PartRole, PartUnit, TensorType};
use ggufkit_quant::half::{bf16_to_f32, f16_to_f32};

use crate::unit::{self, Unit};
use crate::{Memory, Weights};

use self::histogram::Counts;

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
    pub range: Option<(f32, f32)>,
    /// The finite values by size.
    pub histogram: Histogram,
    /// The scales of the blocks, of types that have one per block.
    pub scales: Option<Scales>,
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

    /// Finite values that are further from zero than `times` their root mean square, and the bound that was taken: the
    /// histogram's next step at or above that.
    #[must_use]
    pub fn outliers(&self, times: f64) -> Option<(u64, f32)> {
        // Where all values are zero none stands out.
        let bound = self.moments.rms().filter(|rms| *rms > 0.0)? * times;
        Some(self.histogram.beyond(bound as f32))
    }

    /// Adds the statistics of other values, which come behind these.
    pub fn add(&mut self, other: &Self) {
        self.count = self.count.saturating_add(other.count);
        self.zeros = self.zeros.saturating_add(other.zeros);
        self.nan = self.nan.saturating_add(other.nan);
        self.infinite = self.infinite.saturating_add(other.infinite);
        self.moments = self.moments.and(&other.moments);
        self.range = either(self.range, other.range);
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
fn either(one: Option<(f32, f32)>, two: Option<(f32, f32)>) -> Option<(f32, f32)> {
    match (one, two) {
        (Some((low, high)), Some((lower, higher))) => Some((low.min(lower), high.max(higher))),
        (one, two) => one.or(two),
    }
}

thread_local! {
    static COUNTS: RefCell<Counts> = RefCell::default();
}

/// The statistics of tensors, by at most `threads` threads, each handed to `take` with its place in `tensors` when it is done,
/// in order. `progress` is told bytes that are done, since it was last told.
///
/// An error is the source's; the tensor's other values are then not all looked at.
pub fn stats<S>(
    tensors: &[Weights<'_, S>],
    threads: NonZeroUsize,
    progress: &(dyn Fn(u64) + Sync),
    take: &mut dyn FnMut(usize, io::Result<Stats>),
) where
    S: ReadAt<Error = io::Error> + Sync + ?Sized,
{
    let elements: Vec<u64> = tensors.iter().map(Weights::elements).collect();
    let histograms: Vec<Mutex<Histogram>> = tensors.iter().map(|_| Mutex::default()).collect();
    let mut sum: io::Result<Stats> = Ok(Stats::default());
    let work = |unit: &Unit, memory: &mut [Memory; 2]| {
        let [memory, _] = memory;
        let (Some(weights), Some(histogram)) = (tensors.get(unit.of), histograms.get(unit.of)) else {
            return Ok(Stats::default());
        };
        let scale = Scale::of(weights.tensor_type());
        let mut stats = Stats::default();
        COUNTS.with_borrow_mut(|counts| {
            let mut stretches = weights.stretches(unit.elements.clone(), memory);
            let mut seen = || -> io::Result<()> {
                while let Some(stretch) = stretches.next_stretch() {
                    let stretch = stretch?;
                    measure(&mut stats, stretch.values, counts);
                    if let Some(scale) = &scale {
                        scale.look(&mut stats, stretch.blocks);
                    }
                    progress(stretch.blocks.len() as u64);
                }
                Ok(())
            };
            let seen = seen();
            // Whatever became of it: the thread counts for another tensor next.
            counts.move_into(&mut histogram.lock().unwrap_or_else(PoisonError::into_inner));
            seen.map(|()| stats)
        })
    };
    unit::each(&elements, threads, &work, &mut |unit, result| {
        match (&mut sum, result) {
            (Ok(sum), Ok(stats)) => sum.add(&stats),
            (Ok(_), Err(error)) => sum = Err(error),
            (Err(_), _) => {}
        }
        if unit.last {
            let mut done = std::mem::replace(&mut sum, Ok(Stats::default()));
            if let (Ok(stats), Some(histogram)) = (&mut done, histograms.get(unit.of)) {
                stats.histogram =
                    std::mem::take(&mut histogram.lock().unwrap_or_else(PoisonError::into_inner));
            }
            take(unit.of, done);
        }
    });
}

/// The statistics of values that are there.
#[must_use]
pub fn of_values(values: &[f32]) -> Stats {
    let mut stats = Stats::default();
    let mut counts = Counts::default();
    measure(&mut stats, values, &mut counts);
    counts.move_into(&mut stats.histogram);
    stats
}

/// Adds values to all but the histogram, and to the counts of one.
fn measure(stats: &mut Stats, values: &[f32], counts: &mut Counts) {
    counts.count(values);
    let mut part = Stats { count: values.len() as u64, ..Stats::default() };
    part.zeros = values.iter().map(|value| u64::from(*value == 0.0)).sum();
    let finite = values.iter().fold(true, |all, value| all & value.is_finite());
    if finite {
        part.moments = Moments::of(values);
        part.range = range(values);
    } else {
        part.nan = values.iter().map(|value| u64::from(value.is_nan())).sum();
        part.infinite = values.iter().map(|value| u64::from(value.is_infinite())).sum();
        let finite: Vec<f32> = values.iter().copied().filter(|value| value.is_finite()).collect();
        part.moments = Moments::of(&finite);
        part.range = range(&finite);
    }
    stats.add(&part);
}

/// The smallest and the largest of finite values.
fn range(values: &[f32]) -> Option<(f32, f32)> {
    const LANES: usize = 16;
    let first = *values.first()?;
    let (mut low, mut high) = ([first; LANES], [first; LANES]);
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for ((low, high), value) in low.iter_mut().zip(&mut high).zip(chunk) {
            *low = if *value < *low { *value } else { *low };
            *high = if *value > *high { *value } else { *high };
        }
    }
    let low = low.iter().chain(rest).copied().fold(first, f32::min);
    let high = high.iter().chain(rest).copied().fold(first, f32::max);
    Some((low, high))
}

/// The scale in the bytes that hold it.
type Value = fn(&[u8]) -> Option<f32>;

/// Where a block has its scale, of a type that has one per block.
struct Scale {
    block: usize,
    at: usize,
    width: usize,
    value: Value,
}

impl Scale {
    fn of(ty: TensorType) -> Option<Self> {
        let info = ty.info()?;
        let part = info.parts.iter().find(|part| part.role == PartRole::Scale)?;
        let (width, value): (usize, Value) = match part.unit {
            PartUnit::F16 => (2, |bytes| Some(f16_to_f32(u16::from_le_bytes(*bytes.first_chunk()?)))),
            PartUnit::Bf16 => (2, |bytes| Some(bf16_to_f32(u16::from_le_bytes(*bytes.first_chunk()?)))),
            PartUnit::F32 => (4, |bytes| Some(f32::from_le_bytes(*bytes.first_chunk()?))),
            // A power of two by its exponent; 255 is not a number.
            PartUnit::E8M0 => (1, |bytes| match bytes.first()? {
                255 => Some(f32::NAN),
                exponent => Some((f32::from(*exponent) - 127.0).exp2()),
            }),
            _ => return None,
        };
        // More of them than one are the scales of parts of a block.
        let one = part.bytes as usize == width;
        one.then_some(Self { block: info.block_bytes as usize, at: part.offset as usize, width, value })
    }

    fn look(&self, stats: &mut Stats, blocks: &[u8]) {
        let mut scales = Scales { blocks: 0, zeros: 0, not_finite: 0, magnitudes: None };
        for block in blocks.chunks_exact(self.block) {
            let bytes = block.get(self.at..self.at.saturating_add(self.width)).unwrap_or_default();
            let Some(scale) = (self.value)(bytes) else { continue };
            scales.blocks = scales.blocks.saturating_add(1);
            match scale.abs() {
                0.0 => scales.zeros = scales.zeros.saturating_add(1),
                size if size.is_finite() => scales.magnitudes = either(scales.magnitudes, Some((size, size))),
                _ => scales.not_finite = scales.not_finite.saturating_add(1),
            }
        }
        stats.add(&Stats { scales: Some(scales), ..Stats::default() });
    }
}

#[cfg(test)]
mod tests;
