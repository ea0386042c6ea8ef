//! Tensors with the same data under different names.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use ggufkit_format::{Span, View};
use ggufkit_io::{map_many, read_exact_at};

use super::TensorScan;
use crate::subject::Subject;

/// Tensors smaller than this are too often equal by chance: biases of zero, norms of one.
const LEAST: u64 = 4096;

/// Bytes compared at once, of each of the two.
const CHUNK: usize = 128 << 10;

/// A tensor whose data is that of an earlier one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pair {
    /// File and position in the tensor table of the earlier one.
    pub(crate) first: (usize, usize),
    /// File and position in the tensor table of the later one.
    pub(crate) again: (usize, usize),
}

/// What tensors of the same data have in common: type, shape, fingerprint.
type Likeness<'a> = (u32, &'a [u64], u64);

/// Tensors of the same type, shape and samples are compared byte by byte.
pub(super) fn find(subject: &Subject<'_>, files: &[Vec<TensorScan>], threads: NonZeroUsize) -> Vec<Pair> {
    let mut alike: BTreeMap<Likeness<'_>, Vec<(usize, usize)>> = BTreeMap::new();
    for (at, scans) in files.iter().enumerate() {
        let Some(view) = subject.files.get(at).and_then(|file| file.view) else { continue };
        let index = view.index();
        for (number, (scan, tensor)) in scans.iter().zip(index.tensors()).enumerate() {
            // A tensor of zeros is spoken of as that.
            let large = index.data_span(tensor).is_ok_and(|span| span.len >= LEAST);
            if scan.skipped.is_none() && !scan.zero && large {
                let key = (tensor.tensor_type.0, index.dims(tensor), scan.fingerprint);
                alike.entry(key).or_default().push((at, number));
            }
        }
    }
    // Each is compared with the first of its group: in a group that differs in spite of equal samples some pairs stay
    // unsaid, and no comparison is made twice.
    let candidates: Vec<Pair> = alike
        .into_values()
        .filter_map(|group| group.split_first().map(|(first, rest)| (*first, rest.to_vec())))
        .flat_map(|(first, rest)| rest.into_iter().map(move |again| Pair { first, again }))
        .collect();
    let same = map_many(candidates.len(), threads, &|at| {
        candidates.get(at).is_some_and(|pair| is_same(subject, *pair))
    });
    let mut pairs: Vec<Pair> =
        candidates.into_iter().zip(same).filter(|(_, same)| *same).map(|(pair, _)| pair).collect();
    pairs.sort_by_key(|pair| pair.again);
    pairs
}

fn span(view: &View<'_>, tensor: usize) -> Option<Span> {
    view.index().data_span(view.index().tensors().get(tensor)?).ok()
}

/// Whether two tensors hold the same bytes; what cannot be read is not the same.
fn is_same(subject: &Subject<'_>, pair: Pair) -> bool {
    let place = |(file, tensor): (usize, usize)| {
        let file = subject.files.get(file)?;
        Some((file.source?, span(&file.view?, tensor)?))
    };
    let (Some((source_a, a)), Some((source_b, b))) = (place(pair.first), place(pair.again)) else {
        return false;
    };
    let (mut left, mut right) = (vec![0; CHUNK], vec![0; CHUNK]);
    let mut done = 0;
    while done < a.len {
        let len = usize::try_from(a.len - done).unwrap_or(usize::MAX).min(CHUNK);
        let (Some(left), Some(right)) = (left.get_mut(..len), right.get_mut(..len)) else { return false };
        let read = read_exact_at(source_a, left, a.start.saturating_add(done))
            .and_then(|()| read_exact_at(source_b, right, b.start.saturating_add(done)));
        if read.is_err() || left != right {
            return false;
        }
        done += len as u64;
    }
    true
}
