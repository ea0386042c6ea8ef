//! Which values of a tensor are counted by size, and what is made of the counts.
//!
//! Counting takes longer than all else that is done with a value. Where nobody asked for every count, of a large tensor only those
//! are all counted that are far from zero, since outliers must be among them; of the others a sample says enough. How far is far
//! is told by what was seen of the tensor before, and whether it was far enough is known at the end: if not, the tensor is gone
//! over again. So the outliers are always those of all values from the bound on, whichever thread was first; the picture of the others
//! is not the same to the last value.

use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::exact::Exact;

use super::histogram::{Counts, edge_below, key};
use super::moments::Sums;
use super::{Detail, Histogram, Moments, OUTLIER, Outliers, Stats, measure};

/// Tensors with so many values or less are counted in full.
const SMALL: u64 = 1 << 20;

/// Values that follow each other, of each stretch, that are counted, however large they are.
const SAMPLE: usize = 32;

/// How far further on in its stretch the next sample lies, so that it is not of the same columns of every row: a prime number.
const FURTHER: usize = 1031;

/// Values are far that are so many times the root mean square from zero: fewer times while little of the tensor was seen.
const FAR: [f64; 2] = [3.0, 4.0];

thread_local! {
    static COUNTS: RefCell<Counts> = RefCell::default();
}

/// The sizes of one tensor's values.
#[derive(Debug)]
pub(super) struct Sizes {
    elements: u64,
    full: bool,
    shared: Mutex<Shared>,
}

/// What all threads add to.
#[derive(Debug, Default)]
struct Shared {
    /// All values, or all that are far.
    all: Histogram,
    /// Some of them.
    sample: Histogram,
    /// Those that were seen.
    moments: Moments,
    /// All values of this magnitude and more were counted.
    floor: f32,
}

impl Sizes {
    pub(super) fn of(elements: u64, detail: Detail) -> Self {
        let full = detail == Detail::Full || elements <= SMALL;
        Self { elements, full, shared: Mutex::default() }
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lends what a thread counts a unit in.
    pub(super) fn counting<T>(&self, work: impl FnOnce(&mut Counting<'_>) -> T) -> T {
        if self.full {
            COUNTS.with_borrow_mut(|counts| self.lend(Some(counts), work))
        } else {
            self.lend(None, work)
        }
    }

    fn lend<T>(&self, counts: Option<&mut Counts>, work: impl FnOnce(&mut Counting<'_>) -> T) -> T {
        let floor = self.floor(&self.shared().moments);
        let mut counting = Counting {
            sizes: self,
            counts,
            floor,
            far: Vec::new(),
            sample: Vec::new(),
            stretches: 0,
            moments: Moments::default(),
            beyond: Histogram::default(),
        };
        let done = work(&mut counting);
        let Counting { counts, floor, far, sample, moments, beyond, .. } = counting;
        let mut shared = self.shared();
        shared.all.add(&beyond);
        match counts {
            // Whatever became of the work: the thread counts for another tensor next.
            Some(counts) => counts.move_into(&mut shared.all),
            None => {
                shared.all.add_keys(&far);
                shared.sample.add_keys(&sample);
                shared.moments = shared.moments.and(&moments);
                shared.floor = shared.floor.max(floor.unwrap_or(0.0));
            }
        }
        done
    }

    /// From where on values are far, by those that were seen.
    fn floor(&self, seen: &Moments) -> Option<f32> {
        let [first, later] = FAR;
        let times = if seen.count < self.elements / 8 { first } else { later };
        seen.rms().map(|rms| edge_below((rms * times) as f32))
    }

    /// Adds what was counted to the statistics of the tensor. `false` where it is not enough to tell the outliers.
    pub(super) fn finish(&self, stats: &mut Stats) -> bool {
        let mut shared = self.shared();
        stats.histogram = std::mem::take(&mut shared.all);
        if !self.full {
            stats.histogram.fill_below(shared.floor, &shared.sample, stats.finite());
        }
        // Where all values are zero none stands out.
        let bound = stats.moments.rms().filter(|rms| *rms > 0.0).map(|rms| rms * OUTLIER);
        stats.outliers = bound.and_then(|bound| match bound as f32 {
            // What is larger than all floats is not told apart: there may be none, or nobody knows how many.
            float if float.is_infinite() => {
                let reach = stats.range.map(|(low, high)| low.abs().max(high.abs()));
                reach.filter(|reach| *reach < bound).map(|_| Outliers { count: 0, from: None })
            }
            float => {
                let (count, from) = stats.histogram.beyond(float);
                Some(Outliers { count, from: Some(from) })
            }
        });
        let bound = bound.map(|bound| bound as f32);
        self.full || bound.is_none_or(|bound| shared.floor <= bound)
    }
}

/// Where a thread counts the values of a unit.
pub(super) struct Counting<'a> {
    sizes: &'a Sizes,
    /// Where all are counted.
    counts: Option<&'a mut Counts>,
    /// `None` while nothing of the tensor was seen.
    floor: Option<f32>,
    far: Vec<u16>,
    sample: Vec<u16>,
    /// Stretches of the unit that were sampled.
    stretches: usize,
    moments: Moments,
    /// Values that are too large for floats.
    beyond: Histogram,
}

impl Counting<'_> {
    /// The statistics of values, but for their sizes, which are counted here.
    pub(super) fn measure(&mut self, values: &[f32]) -> Stats {
        if let Some(counts) = &mut self.counts {
            counts.count(values);
            return measure::measure(values, Sums::Doubles, f32::INFINITY, &mut self.far);
        }
        let room = values.len().saturating_sub(SAMPLE).saturating_add(1);
        let some = values.iter().skip(self.stretches.wrapping_mul(FURTHER) % room).take(SAMPLE);
        self.sample.extend(some.filter(|value| value.is_finite()).map(|value| key(*value)));
        self.stretches = self.stretches.wrapping_add(1);
        let known = self.floor.unwrap_or(f32::INFINITY);
        let stats = measure::measure(values, Sums::Floats, known, &mut self.far);
        if self.floor.is_none() {
            // What is far is known by these values themselves; nothing was kept of them.
            let floor = self.sizes.floor(&stats.moments).unwrap_or(0.0);
            measure::find(values, floor, &mut self.far);
            self.floor = Some(floor);
        }
        self.moments = self.moments.and(&stats.moments);
        stats
    }

    /// The same of values that the nearest `floats` do not hold, of a tensor that is counted in full.
    pub(super) fn measure_exact(&mut self, values: &[Exact], floats: &[f32]) -> Stats {
        if let Some(counts) = &mut self.counts {
            counts.count(floats);
        }
        self.beyond.count_beyond(values.iter().map(|value| value.double()));
        measure::of_exact(values)
    }
}
