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
use ggufkit_quant::registers::{Doubles, Pass, widest};

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
    let mut part = widest(Measure(values));
    if part.finite() < part.count {
        part.nan = values.iter().map(|value| u64::from(value.is_nan())).sum();
        part.infinite = values.iter().map(|value| u64::from(value.is_infinite())).sum();
        let finite: Vec<f32> = values.iter().copied().filter(|value| value.is_finite()).collect();
        part.moments = Moments::of(&finite);
        part.range = range(&finite);
    }
    stats.add(&part);
}

/// The statistics of values, but for moments and range where some are not finite.
struct Measure<'a>(&'a [f32]);

impl Pass for Measure<'_> {
    type Output = Stats;

    #[inline(always)]
    fn run<D: Doubles>(self) -> Stats {
        let Self(values) = self;
        // As integers, magnitudes are in the order of their bits, what is not finite last.
        let (mut most, mut zeros) = (0_u32, 0_u32);
        for value in values {
            most = most.max(value.to_bits() & 0x7fff_ffff);
            zeros = zeros.wrapping_add(u32::from(*value == 0.0));
        }
        let mut stats = Stats { count: values.len() as u64, zeros: u64::from(zeros), ..Stats::default() };
        if most < f32::INFINITY.to_bits() {
            stats.moments = Moments::here::<D>(values);
            stats.range = range(values);
        }
        stats
    }
}

/// The smallest and the largest of finite values; zeros have no sign.
#[inline(always)]
fn range(values: &[f32]) -> Option<(f32, f32)> {
    // Integers in the order of the floats, which are compared many at a time; twice it is nothing again.
    let turned = |bits: i32| bits ^ ((bits >> 31) & i32::MAX);
    let (mut low, mut high) = (i32::MAX, i32::MIN);
    for value in values {
        let order = turned(value.to_bits().cast_signed());
        low = low.min(order);
        high = high.max(order);
    }
    let float = |order: i32| f32::from_bits(turned(order).cast_unsigned()) + 0.0;
    (!values.is_empty()).then(|| (float(low), float(high)))
}

/// How a scale is written.
#[derive(Clone, Copy)]
enum Written {
    Half,
    Brain,
    Single,
    /// A power of two by its exponent; 255 is not a number.
    Power,
}

/// Where a block has its scale, of a type that has one per block.
struct Scale {
    block: usize,
    at: usize,
    written: Written,
}

impl Scale {
    fn of(ty: TensorType) -> Option<Self> {
        let info = ty.info()?;
        let part = info.parts.iter().find(|part| part.role == PartRole::Scale)?;
        let (width, written): (u64, Written) = match part.unit {
            PartUnit::F16 => (2, Written::Half),
            PartUnit::Bf16 => (2, Written::Brain),
            PartUnit::F32 => (4, Written::Single),
            PartUnit::E8M0 => (1, Written::Power),
            _ => return None,
        };
        // More of them than one are the scales of parts of a block.
        let one = u64::from(part.bytes) == width;
        one.then_some(Self { block: info.block_bytes as usize, at: part.offset as usize, written })
    }

    fn look(&self, stats: &mut Stats, blocks: &[u8]) {
        let scales = match self.written {
            Written::Half => self.seen(
                blocks,
                0x7c00,
                |bytes| u32::from(u16::from_le_bytes(bytes) & 0x7fff),
                |bits| f16_to_f32(bits as u16),
            ),
            Written::Brain => self.seen(
                blocks,
                0x7f80,
                |bytes| u32::from(u16::from_le_bytes(bytes) & 0x7fff),
                |bits| bf16_to_f32(bits as u16),
            ),
            Written::Single => self.seen(
                blocks,
                0x7f80_0000,
                |bytes| u32::from_le_bytes(bytes) & 0x7fff_ffff,
                f32::from_bits,
            ),
            // From 1: none of them is zero.
            Written::Power => self.seen(
                blocks,
                256,
                |[exponent]| u32::from(exponent).saturating_add(1),
                |bits| (bits as f32 - 128.0).exp2(),
            ),
        };
        stats.add(&Stats { scales: Some(scales), ..Stats::default() });
    }

    /// Scales by magnitudes that are in the order of their bits, those that are not finite from `infinite` on.
    #[inline(always)]
    fn seen<const WIDTH: usize>(
        &self,
        blocks: &[u8],
        infinite: u32,
        bits: impl Fn([u8; WIDTH]) -> u32,
        value: impl Fn(u32) -> f32,
    ) -> Scales {
        let mut scales = Scales { blocks: 0, zeros: 0, not_finite: 0, magnitudes: None };
        let (mut least, mut most) = (u32::MAX, 0);
        for block in blocks.chunks_exact(self.block) {
            let Some(bytes) = block.get(self.at..).and_then(<[u8]>::first_chunk) else { continue };
            let bits = bits(*bytes);
            let (zero, finite) = (bits == 0, bits < infinite);
            scales.blocks = scales.blocks.wrapping_add(1);
            scales.zeros = scales.zeros.wrapping_add(u64::from(zero));
            scales.not_finite = scales.not_finite.wrapping_add(u64::from(!finite));
            least = least.min(if zero || !finite { u32::MAX } else { bits });
            most = most.max(if finite { bits } else { 0 });
        }
        scales.magnitudes = (least < u32::MAX).then(|| (value(least), value(most)));
        scales
    }
}

#[cfg(test)]
mod tests;
