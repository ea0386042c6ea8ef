//! Counting values by size, without knowing beforehand how large they will be.
//!
//! A bin holds the floats whose sign, exponent and upper five bits of the fraction are the same, so that its width is at
//! most 1/32 of the values in it. That is enough to draw from, and for quantiles that are off by 3 % at most.

/// Bits of a float that its bin does not look at.
const IGNORED: u32 = 32 - 14;

/// All bins.
const BINS: usize = 1 << 14;

/// The bins of one sign; the last 32 of them hold what is not finite.
const HALF: usize = BINS / 2;

/// The bins of finite magnitudes.
const FINITE: usize = HALF - 32;

/// How many finite values of which size there are.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    /// By sign and magnitude; empty while the values are few.
    bins: Vec<u64>,
    /// The bins of all values while they are few, of which a file may have a hundred thousand tensors.
    few: Vec<u16>,
    /// Finite values that no float of 32 bits is large enough for: the negative ones, and the positive ones.
    beyond: [u64; 2],
}

/// Tables that a thread counts in.
const TABLES: usize = 4;

/// Values that are noted down one by one while there are no more: looking through the tables takes as long as counting thousands.
const FEW: usize = 1024;

/// Counts of one thread, which a histogram takes over.
#[derive(Debug)]
pub(super) struct Counts {
    /// Several times, so that equal values that follow each other do not wait for each other.
    bins: [Box<[u32; BINS]>; TABLES],
    /// The bins of the first values, while they are few; the tables are empty then.
    few: Vec<u16>,
    /// Whether the tables hold anything.
    is_used: bool,
}

impl Default for Counts {
    fn default() -> Self {
        Self { bins: std::array::from_fn(|_| Box::new([0; BINS])), few: Vec::new(), is_used: false }
    }
}

impl Counts {
    /// Counts values; at most 2^32 - 1 before they are moved.
    pub(super) fn count(&mut self, values: &[f32]) {
        if !self.is_used && self.few.len().saturating_add(values.len()) <= FEW {
            self.few.extend(values.iter().map(|value| key(*value)));
            return;
        }
        self.is_used = true;
        let (fours, rest) = values.as_chunks::<TABLES>();
        let [one, two, three, four] = &mut self.bins;
        for [first, second, third, fourth] in fours {
            count(one, *first);
            count(two, *second);
            count(three, *third);
            count(four, *fourth);
        }
        for value in rest {
            count(one, *value);
        }
    }

    /// Adds the finite ones to a histogram, and begins anew.
    pub(super) fn move_into(&mut self, histogram: &mut Histogram) {
        self.few.retain(|bin| usize::from(*bin) & (HALF - 1) < FINITE);
        histogram.add_keys(&self.few);
        self.few.clear();
        if !std::mem::take(&mut self.is_used) {
            return;
        }
        histogram.spread();
        for table in &mut self.bins {
            let signs = table.as_chunks_mut::<HALF>().0.iter_mut().zip(histogram.bins.chunks_mut(HALF));
            for (counts, sums) in signs {
                // Most sizes do not occur: sixteen of them are passed over at once.
                let sixteens = counts.as_chunks_mut::<16>().0.iter_mut().zip(sums.chunks_mut(16));
                for (counts, sums) in sixteens.take(FINITE / 16) {
                    if counts.iter().fold(0, |all, count| all | count) != 0 {
                        for (count, sum) in counts.iter_mut().zip(sums) {
                            *sum = sum.saturating_add(u64::from(*count));
                            *count = 0;
                        }
                    }
                }
                for count in counts.iter_mut().skip(FINITE) {
                    *count = 0;
                }
            }
        }
    }
}

/// Counts a value.
#[inline(always)]
fn count(bins: &mut [u32; BINS], value: f32) {
    if let Some(count) = bins.get_mut(usize::from(key(value))) {
        *count = count.wrapping_add(1);
    }
}

/// Where a value is counted.
#[inline(always)]
pub(super) fn key(value: f32) -> u16 {
    (value.to_bits() >> IGNORED) as u16
}

/// The largest edge of a bin that is not above a value, which is not negative.
pub(super) fn edge_below(value: f32) -> f32 {
    edge(usize::from(key(value)))
}

/// The smallest magnitude of a bin.
fn edge(bin: usize) -> f32 {
    f32::from_bits((bin as u32) << IGNORED)
}

impl Histogram {
    /// Adds other values.
    pub fn add(&mut self, other: &Self) {
        for (sum, more) in self.beyond.iter_mut().zip(other.beyond) {
            *sum = sum.saturating_add(more);
        }
        if !other.bins.is_empty() {
            self.spread();
            for (sum, more) in self.bins.iter_mut().zip(&other.bins) {
                *sum = sum.saturating_add(*more);
            }
        }
        self.add_keys(&other.few);
    }

    /// Gives every bin a count of its own.
    fn spread(&mut self) {
        self.bins.resize(BINS, 0);
        let few = std::mem::take(&mut self.few);
        self.add_keys(&few);
    }

    /// Adds those finite values that no float is large enough for.
    pub(super) fn count_beyond(&mut self, values: impl Iterator<Item = f64>) {
        for value in values.filter(|value| value.is_finite() && (*value as f32).is_infinite()) {
            if let Some(sum) = self.beyond.get_mut(usize::from(value > 0.0)) {
                *sum = sum.saturating_add(1);
            }
        }
    }

    /// Adds values by where they are counted.
    pub(super) fn add_keys(&mut self, keys: &[u16]) {
        if self.bins.is_empty() {
            if self.few.len().saturating_add(keys.len()) <= FEW {
                self.few.extend_from_slice(keys);
                return;
            }
            self.spread();
        }
        for key in keys {
            if let Some(sum) = self.bins.get_mut(usize::from(*key)) {
                *sum = sum.saturating_add(1);
            }
        }
    }

    /// Where only values from a magnitude on were counted, which is the edge of a bin: fills in what is below, so that all are
    /// `total`, in the proportions of a sample.
    pub(super) fn fill_below(&mut self, floor: f32, sample: &Self, total: u64) {
        self.spread();
        let mut spread = sample.clone();
        spread.spread();
        let sample = spread;
        let bins = usize::from(key(floor));
        let below = || (0..bins).flat_map(|bin| [bin, HALF.saturating_add(bin)]);
        for bin in below() {
            if let Some(sum) = self.bins.get_mut(bin) {
                *sum = 0;
            }
        }
        let left = total.saturating_sub(self.bins.iter().sum());
        let of_sample = |bin: usize| sample.bins.get(bin).copied().unwrap_or(0);
        let all: u64 = below().map(of_sample).sum();
        if all == 0 {
            return;
        }
        for bin in below() {
            if let Some(sum) = self.bins.get_mut(bin) {
                *sum = (of_sample(bin) as f64 * (left as f64 / all as f64)).round() as u64;
            }
        }
    }

    /// How many values there are.
    fn total(&self) -> u64 {
        self.bins
            .iter()
            .chain(&self.beyond)
            .fold(self.few.len() as u64, |sum, count| sum.saturating_add(*count))
    }

    /// Bins that hold values, from the smallest to the largest: the bounds of each, and how many there are. The one next to
    /// zero holds zeros of both signs on its two sides.
    pub fn bins(&self) -> impl Iterator<Item = (f32, f32, u64)> {
        let mut few = self.few.clone();
        few.sort_unstable_by_key(|key| {
            let key = i32::from(*key);
            if key < HALF as i32 { key } else { HALF as i32 - 1 - key }
        });
        let few: Vec<(usize, u64)> = few
            .chunk_by(|one, next| one == next)
            .filter_map(|same| Some((usize::from(*same.first()?), same.len() as u64)))
            .collect();
        let negative = (0..FINITE).rev().map(|bin| HALF.saturating_add(bin));
        let every = negative.chain(0..FINITE).map(|key| (key, self.bins.get(key).copied().unwrap_or(0)));
        let every = every.take(if self.bins.is_empty() { 0 } else { BINS });
        few.into_iter().chain(every).filter(|(_, count)| *count > 0).map(|(key, count)| {
            let bin = key & (HALF - 1);
            let (low, high) = (edge(bin), edge(bin.saturating_add(1)).min(f32::MAX));
            if key < HALF { (low, high, count) } else { (-edge(bin.saturating_add(1)), -low, count) }
        })
    }

    /// Values at or beyond the first bin edge that is not below `bound` in magnitude, and that edge.
    #[must_use]
    pub fn beyond(&self, bound: f32) -> (u64, f32) {
        let bin = (bound.abs().to_bits() >> IGNORED) as usize;
        let bin = if edge(bin) < bound.abs() { bin.saturating_add(1) } else { bin };
        let of = |from: usize| {
            let bins = self.bins.get(from.saturating_add(bin)..from.saturating_add(FINITE));
            bins.unwrap_or_default().iter().fold(0_u64, |sum, count| sum.saturating_add(*count))
        };
        let few =
            self.few.iter().filter(|key| (bin..FINITE).contains(&(usize::from(**key) & (HALF - 1)))).count();
        let largest = self.beyond.iter().fold(few as u64, |sum, count| sum.saturating_add(*count));
        (of(0).saturating_add(of(HALF)).saturating_add(largest), edge(bin))
    }

    /// About the value below which `part` (0 to 1) of all lie: exact to the bin, which is at most 1/32 of the value wide, and
    /// evenly spread within. `None` without values, and where it is beyond the floats of 32 bits.
    #[must_use]
    pub fn quantile(&self, part: f64) -> Option<f32> {
        let target = part.clamp(0.0, 1.0) * self.total() as f64;
        let [negative, positive] = self.beyond;
        let mut below = negative as f64;
        if negative > 0 && target <= below {
            return None;
        }
        let mut last = None;
        for (low, high, count) in self.bins() {
            let count = count as f64;
            if below + count >= target {
                // What is next to zero is zero, but for numbers below 10^-39.
                if low == 0.0 || high == 0.0 {
                    return Some(0.0);
                }
                let within = ((target - below) / count).clamp(0.0, 1.0);
                return Some((f64::from(low) + (f64::from(high) - f64::from(low)) * within) as f32);
            }
            below += count;
            last = Some(high);
        }
        last.filter(|_| positive == 0)
    }

    /// The values in `columns` columns of equal width between `low` and `high`, for drawing: a bin that lies across a border
    /// is shared out by width.
    #[must_use]
    pub fn columns(&self, low: f64, high: f64, columns: usize) -> Vec<f64> {
        let mut out = vec![0.0; columns];
        // Half of it first: the distance of two doubles may be none.
        let width = (high / 2.0 - low / 2.0) / columns as f64 * 2.0;
        if columns == 0 || width <= 0.0 {
            if let Some(first) = out.first_mut() {
                *first = self.total() as f64;
            }
            return out;
        }
        // What no float is large enough for is at the ends.
        let [negative, positive] = self.beyond;
        if let Some(first) = out.first_mut() {
            *first += negative as f64;
        }
        if let Some(last) = out.last_mut() {
            *last += positive as f64;
        }
        for (from, to, count) in self.bins() {
            let (from, to) = (f64::from(from).max(low), f64::from(to).min(high));
            let spread = (to - from).max(f64::MIN_POSITIVE);
            let column = |at: f64| (((at - low) / width) as usize).min(columns.saturating_sub(1));
            for at in column(from)..=column(to) {
                let (left, right) = (low + at as f64 * width, low + (at as f64 + 1.0) * width);
                let share = ((to.min(right) - from.max(left)) / spread).clamp(0.0, 1.0);
                if let Some(sum) = out.get_mut(at) {
                    *sum += count as f64 * if to > from { share } else { 1.0 };
                }
            }
        }
        out
    }
}
