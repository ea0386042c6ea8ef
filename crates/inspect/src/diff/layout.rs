//! Where the data lies, as far as that does not follow from the tensor table, and the bytes that are no tensor's.

use std::collections::BTreeMap;

use ggufkit_format::extents::Extents;
use ggufkit_format::{Span, layout};

use super::{Side, Tensors};
use crate::model::Part;

/// What stands before bytes that are no tensor's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Owner {
    /// The head of a file.
    Head(usize),
    /// A tensor, by its place among those of its side.
    Tensor(usize),
    /// The last byte of the head or of a tensor that reaches farthest in a file: what follows goes on to the file's end.
    End(usize),
}

/// Bytes that are no tensor's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gap {
    /// The file.
    pub file: usize,
    /// The bytes.
    pub span: Span,
    /// Whether they are as many as padding takes here.
    pub padding: bool,
}

/// Bytes that are no tensor's, and have to be looked at: they may differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GapChange {
    /// What stands before them, as a place of the first side.
    pub after: Owner,
    /// Those of the first.
    pub a: Gap,
    /// Those of the second.
    pub b: Gap,
    /// Whether they are known to differ.
    pub differs: bool,
    /// The first byte that differs, where there are as many.
    pub first: Option<u64>,
}

/// A tensor whose data lies elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OffsetChange {
    /// Its place among the first's tensors.
    pub a: usize,
    /// Its place among the second's.
    pub b: usize,
}

/// What differs in the layout.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Numbers of files, where they differ. Nothing else is compared then.
    pub files: Option<(usize, usize)>,
    /// Tensors that lie elsewhere in the data, or in another file of the set, though nothing in the table explains it.
    pub offsets: Vec<OffsetChange>,
    /// Bytes that are no tensor's, of which some may differ; see [`GapChange::differs`].
    pub gaps: Vec<GapChange>,
    /// File and position at which heads that say the same differ in their bytes.
    pub head: Option<(usize, u64)>,
}

impl Layout {
    pub(super) fn of(a: &Side<'_>, b: &Side<'_>, tensors: &Tensors) -> Self {
        let mut out = Self::default();
        if a.parts.len() != b.parts.len() {
            out.files = Some((a.parts.len(), b.parts.len()));
            return out;
        }
        let (plain_a, plain_b) = (in_order(a), in_order(b));
        for pair in &tensors.pairs {
            let (Some(one), Some(other)) = (a.tensors.get(pair.a), b.tensors.get(pair.b)) else { continue };
            let place = |plain: &[Vec<bool>], file: usize, index: usize| {
                plain.get(file).and_then(|file| file.get(index)).copied().unwrap_or(false)
            };
            let explained = place(&plain_a, one.file, one.index) && place(&plain_b, other.file, other.index);
            let elsewhere = one.record.offset != other.record.offset && !explained;
            if elsewhere || one.file != other.file {
                out.offsets.push(OffsetChange { a: pair.a, b: pair.b });
            }
        }
        let (gaps_a, gaps_b) = (gaps(a), gaps(b));
        let mut owners: Vec<(Owner, Owner)> = Vec::new();
        owners.extend((0..a.parts.len()).map(|file| (Owner::Head(file), Owner::Head(file))));
        owners.extend(tensors.pairs.iter().map(|pair| (Owner::Tensor(pair.a), Owner::Tensor(pair.b))));
        owners.extend((0..a.parts.len()).map(|file| (Owner::End(file), Owner::End(file))));
        for (after, other) in owners {
            let (one, other) = (gaps_a.get(&after), gaps_b.get(&other));
            if one.is_none() && other.is_none() {
                continue;
            }
            let none = |file| Gap { file, span: Span::new(0, 0), padding: true };
            let file = one.or(other).map_or(0, |gap| gap.file);
            let (a, b) =
                (one.copied().unwrap_or_else(|| none(file)), other.copied().unwrap_or_else(|| none(file)));
            let differs = a.span.len != b.span.len && !(a.padding && b.padding);
            out.gaps.push(GapChange { after, a, b, differs, first: None });
        }
        out
    }

    /// Number of differences that are known.
    #[must_use]
    pub fn count(&self) -> u64 {
        let gaps = self.gaps.iter().filter(|gap| gap.differs).count();
        let single = usize::from(self.files.is_some()) + usize::from(self.head.is_some());
        (self.offsets.len() + gaps + single) as u64
    }
}

/// For every file, for every tensor of its table: whether it lies at the sum of the padded sizes before it.
fn in_order(side: &Side<'_>) -> Vec<Vec<bool>> {
    let file = |part: &Part<'_>| {
        let index = part.view.index();
        let mut next = Some(0_u64);
        let tensors = index.tensors().iter();
        tensors
            .map(|tensor| {
                let plain = next == Some(tensor.offset);
                let size = layout::tensor_bytes(tensor.tensor_type, index.dims(tensor)).ok();
                next = next
                    .zip(size)
                    .and_then(|(at, size)| layout::align_up(at.checked_add(size)?, index.alignment()));
                plain
            })
            .collect()
    };
    side.parts.iter().map(file).collect()
}

/// The bytes of all files that are no tensor's, by what stands before them. Padding of no bytes, where none is needed, is
/// left out.
fn gaps(side: &Side<'_>) -> BTreeMap<Owner, Gap> {
    let mut out = BTreeMap::new();
    // Tensors that are passed over have no place: what stands behind them is passed over too.
    let mut places: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (place, tensor) in side.tensors.iter().enumerate() {
        places.insert((tensor.file, tensor.index), place);
    }
    for (file, part) in side.parts.iter().enumerate() {
        let index = part.view.index();
        let (Some(size), Some(data)) = (part.size, index.data_start()) else { continue };
        let base = index.header().base;
        let extents = Extents::of(index);
        let mut reached = index.head_end().min(size);
        let mut owner = Some(Owner::Head(file));
        let mut put = |owner: Option<Owner>, from: u64, to: u64| {
            let needed = layout::padding(from.saturating_sub(base), index.alignment());
            let span = Span::between(from, to.max(from));
            let padding = span.len == needed;
            if let Some(owner) = owner
                && (span.len > 0 || !padding)
            {
                out.insert(owner, Gap { file, span, padding });
            }
        };
        for extent in extents.as_slice() {
            let start = data.saturating_add(extent.offset).min(size);
            if start >= reached {
                put(owner, reached, start);
            }
            // A size that is not known goes on to what follows.
            let end = match (extent.end(), extents.next_offset(extent.offset)) {
                (Some(end), _) | (None, Some(end)) => data.saturating_add(end).min(size),
                (None, None) => size,
            };
            if end > reached || start > reached {
                owner = places.get(&(file, extent.tensor)).map(|place| Owner::Tensor(*place));
                reached = end.max(start);
            }
        }
        put(Some(Owner::End(file)), reached, size);
    }
    out
}
