//! A set of shards out of a model: where it is cut, and what each file is made of.
//!
//! The files are those of llama.cpp: the first has the model's metadata, the others none; each has `split.no` (u16, from
//! 0), `split.count` (u16) and `split.tensors.count` (i32, of all files together) behind them. An alignment that is not the
//! default stands in every file, since every file is laid out by its own.

use std::collections::HashSet;
use std::ops::Range;

use ggufkit_format::{Plan, Scalar, Span, layout};

use super::{Refusal, ShardsError, Whole};

/// Shards that a set has at most: `split.count` has 16 bits.
pub const MAX_SHARDS: u64 = 65_535;

/// By what a model is cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// At most so many tensors in a file.
    Tensors(u64),
    /// At most so many bytes in a file, head and padding included.
    Size {
        /// The limit.
        max: u64,
        /// Whether a file may be larger where it holds a single tensor, or the metadata alone, and that is larger.
        allow_larger: bool,
    },
    /// So many files, as even as they can be: no other cuts would make the largest file smaller.
    Shards(u64),
}

/// How a model is split.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Split {
    /// By what.
    pub by: By,
    /// Whether the first file holds the metadata and no tensors.
    pub metadata_first: bool,
}

/// A file of a set that is to be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shard {
    /// The tensors that it holds, by their numbers in the whole.
    pub tensors: Range<usize>,
    /// What it is made of.
    pub plan: Plan,
}

/// Plans the files of a set, in order.
///
/// # Errors
/// See [`Refusal`].
pub fn split(whole: &Whole<'_>, how: &Split) -> Result<Vec<Shard>, ShardsError> {
    let tensors = whole.tensors.len() as u64;
    let total = i32::try_from(tensors).map_err(|_| Refusal::TooManyTensors { tensors })?;
    let mut names = HashSet::new();
    let twice = whole.tensors.iter().filter(|tensor| !names.insert(tensor.name));
    let twice: Vec<_> = twice.map(|tensor| Refusal::NameTwice { name: tensor.name.to_vec() }).collect();
    if !twice.is_empty() {
        return Err(ShardsError::Refused(twice));
    }
    let sizes = Sizes::of(whole)?;
    let runs = match how.by {
        By::Tensors(n) => sizes.by_tensors(n, how.metadata_first),
        By::Size { max, allow_larger } => sizes.by_size(whole, max, allow_larger, how.metadata_first)?,
        By::Shards(n) => sizes.evenly(n, how.metadata_first)?,
    };
    let shards = runs.len() as u64;
    let count = u16::try_from(shards).map_err(|_| Refusal::TooManyShards { shards })?;
    (0..count)
        .zip(runs)
        .map(|(no, run)| {
            let keys = split_keys(whole, no, count, total)?;
            let kvs = if no == 0 { whole.kvs.as_slice() } else { whole.alignment_kv.as_slice() };
            let own = whole.tensors.get(run.clone()).unwrap_or_default();
            Ok(Shard { plan: whole.plan_file(kvs, (&keys, 3), own)?, tensors: run })
        })
        .collect()
}

fn split_keys(whole: &Whole<'_>, no: u16, count: u16, tensors: i32) -> Result<Vec<u8>, ShardsError> {
    let mut keys = Vec::new();
    let [no_key, count_key, tensors_key] = super::SPLIT_KEYS;
    whole.scalar(&mut keys, no_key, Scalar::U16(no))?;
    whole.scalar(&mut keys, count_key, Scalar::U16(count))?;
    whole.scalar(&mut keys, tensors_key, Scalar::I32(tensors))?;
    Ok(keys)
}

/// What files would weigh.
struct Sizes {
    /// Bytes of the head without tensors: of the first file, and of any other.
    heads: [u64; 2],
    /// Bytes of all records before each tensor, and of all.
    records: Vec<u64>,
    /// Bytes of all data before each tensor, padding included, and of all.
    data: Vec<u64>,
    alignment: u64,
    bare: bool,
}

impl Sizes {
    fn of(whole: &Whole<'_>) -> Result<Self, ShardsError> {
        let keys = split_keys(whole, 0, 0, 0)?;
        let later: &[Span] = whole.alignment_kv.as_slice();
        let sums = |size: &dyn Fn(&super::Item<'_>) -> u64| {
            let sizes = whole.tensors.iter().map(size);
            let sums = sizes.scan(0_u64, |sum, size| {
                *sum = sum.saturating_add(size);
                Some(*sum)
            });
            std::iter::once(0).chain(sums).collect::<Vec<_>>()
        };
        Ok(Self {
            heads: [whole.head_len(&whole.kvs, &keys), whole.head_len(later, &keys)],
            records: sums(&|tensor| tensor.record.len),
            data: sums(&|tensor| layout::align_up(tensor.data.len, whole.alignment).unwrap_or(u64::MAX)),
            alignment: whole.alignment,
            bare: whole.bare,
        })
    }

    fn tensors(&self) -> usize {
        self.data.len().saturating_sub(1)
    }

    /// Bytes of the file that holds these tensors.
    fn size(&self, first: bool, run: Range<usize>) -> u64 {
        let between = |sums: &[u64]| {
            let at = |at: usize| sums.get(at).copied().unwrap_or(u64::MAX);
            at(run.end).saturating_sub(at(run.start))
        };
        let [first_head, later_head] = self.heads;
        let head = if first { first_head } else { later_head }.saturating_add(between(&self.records));
        if self.bare {
            return head;
        }
        layout::align_up(head, self.alignment).unwrap_or(u64::MAX).saturating_add(between(&self.data))
    }

    fn by_tensors(&self, n: u64, metadata_first: bool) -> Vec<Range<usize>> {
        let (all, n) = (self.tensors(), usize::try_from(n).unwrap_or(usize::MAX).max(1));
        let mut runs = Vec::new();
        if metadata_first || all == 0 {
            runs.push(0..0);
        }
        let mut at = 0;
        while at < all {
            let end = at.saturating_add(n).min(all);
            runs.push(at..end);
            at = end;
        }
        runs
    }

    /// The end of the longest run from `at` whose file is not larger than `max`.
    fn reach(&self, first: bool, at: usize, max: u64) -> usize {
        let (mut low, mut high) = (at, self.tensors());
        while low < high {
            // Rounded up, so that the gap closes.
            let middle = high.saturating_sub(high.saturating_sub(low) / 2);
            if self.size(first, at..middle) <= max {
                low = middle;
            } else {
                high = middle.saturating_sub(1);
            }
        }
        low
    }

    fn by_size(
        &self,
        whole: &Whole<'_>,
        max: u64,
        allow_larger: bool,
        metadata_first: bool,
    ) -> Result<Vec<Range<usize>>, ShardsError> {
        let all = self.tensors();
        let single = |at: usize| self.size(false, at..at.saturating_add(1));
        if !allow_larger {
            let mut refusals = Vec::new();
            let bytes = self.size(true, 0..0);
            if bytes > max {
                refusals.push(Refusal::MetadataTooLarge { bytes, limit: max });
            }
            let mut large = (0..all).filter(|at| single(*at) > max);
            if let Some(at) = large.next() {
                refusals.push(Refusal::TensorTooLarge {
                    name: whole.tensors.get(at).map(|tensor| tensor.name.to_vec()).unwrap_or_default(),
                    bytes: single(at),
                    limit: max,
                    more: large.count() as u64,
                });
            }
            if !refusals.is_empty() {
                return Err(ShardsError::Refused(refusals));
            }
        }
        // A first tensor that does not fit beside the metadata leaves them alone.
        let mut at = if metadata_first { 0 } else { self.reach(true, 0, max) };
        let mut runs = Vec::new();
        runs.push(0..at);
        while at < all {
            let end = self.reach(false, at, max).max(at.saturating_add(1));
            runs.push(at..end);
            at = end;
        }
        Ok(runs)
    }

    /// So many runs whose largest file is as small as can be, and the others as near to each other as that permits.
    fn evenly(&self, n: u64, metadata_first: bool) -> Result<Vec<Range<usize>>, ShardsError> {
        let all = self.tensors();
        let holders = n.saturating_sub(u64::from(metadata_first));
        if n > MAX_SHARDS {
            return Err(Refusal::TooManyShards { shards: n }.into());
        }
        let count = usize::try_from(holders).unwrap_or(usize::MAX);
        if all == 0 && n == 1 {
            return Ok(self.by_tensors(1, false));
        }
        if count > all || count == 0 {
            return Err(Refusal::TooFewTensors { tensors: all as u64, shards: holders.max(1) }.into());
        }
        // With the metadata in a file of their own no other is the first.
        let first = !metadata_first;
        let max = self.smallest_limit(first, count);
        let mut need = vec![0_usize; all.saturating_add(1)];
        for at in (0..all).rev() {
            let rest = need.get(self.reach(false, at, max)).copied().unwrap_or(0);
            if let Some(slot) = need.get_mut(at) {
                *slot = rest.saturating_add(1);
            }
        }
        let mut runs = Vec::new();
        if metadata_first {
            runs.push(0..0);
        }
        let mut at = 0;
        for left in (1..=count).rev() {
            let later = left.saturating_sub(1);
            let first = first && at == 0;
            let size = |end: usize| self.size(first, at..end);
            let target = size(all) / (left as u64).max(1);
            let last = all.saturating_sub(later);
            let mut end = at.saturating_add(1);
            while end < last {
                let longer = end.saturating_add(1);
                let rest_fits = need.get(end).is_some_and(|need| *need <= later);
                let nearer = size(longer).abs_diff(target) <= size(end).abs_diff(target);
                if size(longer) > max || (rest_fits && !nearer) {
                    break;
                }
                end = longer;
            }
            let end = if later == 0 { all } else { end };
            runs.push(at..end);
            at = end;
        }
        Ok(runs)
    }

    /// The smallest limit within which so many files hold all tensors, each at least one.
    fn smallest_limit(&self, first: bool, count: usize) -> u64 {
        let all = self.tensors();
        let singles = (1..all).map(|at| self.size(false, at..at.saturating_add(1)));
        let mut low = singles.fold(self.size(first, 0..1), u64::max);
        let mut high = self.size(first, 0..all);
        while low < high {
            let middle = low.saturating_add(high.saturating_sub(low) / 2);
            let (mut at, mut files) = (self.reach(first, 0, middle), 1_usize);
            while at < all && files <= count {
                at = self.reach(false, at, middle);
                files = files.saturating_add(1);
            }
            if files <= count {
                high = middle;
            } else {
                low = middle.saturating_add(1);
            }
        }
        low
    }
}
