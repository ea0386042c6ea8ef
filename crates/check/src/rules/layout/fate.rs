//! Where the tensors of a file lie: in it, in a part that is not there, or nowhere.
//!
//! Each tensor has exactly one fate, so that a cut download, a damaged offset and a damaged size are told apart and only
//! one rule speaks about each.

use ggufkit_format::extents::{Extent, Reaching, is_packed, reaches};
use ggufkit_format::layout::{self, PLAUSIBLE_SIZE};
use ggufkit_format::start::{Lengths, doubt};
use ggufkit_format::{Span, View};

use crate::facts::Facts;
use crate::finding::{Change, Finding, Safety};
use crate::subject::File;

/// What becomes of a tensor's data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    /// It is all there, or the file's length is not known.
    Inside,
    /// It begins in the file; where it ends is not known.
    Open,
    /// The file ends before it, as a download does that stopped.
    Cut,
    /// It cannot be there: its offset leads to where no file goes on.
    Nowhere,
    /// It is larger than any file, and the sizes of the file's tensors overflow 64 bits.
    Overflow,
}

impl Fate {
    /// Whether the offset can be believed.
    pub(in crate::rules) fn is_sane(self) -> bool {
        matches!(self, Self::Inside | Self::Open | Self::Cut)
    }
}

/// A file whose head was read to its end, with its tensors in the order of their offsets.
pub(in crate::rules) struct Laid<'a, 'f> {
    /// Number of the file.
    pub(in crate::rules) at: usize,
    pub(in crate::rules) file: &'a File<'a>,
    pub(in crate::rules) view: View<'a>,
    pub(in crate::rules) size: Option<u64>,
    pub(in crate::rules) alignment: u64,
    pub(in crate::rules) data_start: u64,
    pub(in crate::rules) extents: &'f [Extent],
    /// What becomes of each of `extents`.
    pub(in crate::rules) fates: &'f [Fate],
    /// The position in the table of the tensor at which the sum of the padded sizes leaves 64 bits.
    pub(in crate::rules) overflow: Option<usize>,
}

/// The files whose layout can be judged; not those that follow another one.
pub(in crate::rules) fn laid<'f, 'a>(
    facts: &'f Facts<'a>,
) -> impl Iterator<Item = Laid<'a, 'f>> + use<'f, 'a> {
    facts.views().filter_map(|(at, file, view)| {
        let Fates { fates, overflow } = facts.fates(at)?;
        let (alignment, data_start) = (view.index().alignment(), view.index().data_start()?);
        let extents = facts.extents(at);
        Some(Laid {
            at,
            file,
            view,
            size: file.size,
            alignment,
            data_start,
            extents,
            fates,
            overflow: *overflow,
        })
    })
}

/// What becomes of the tensors of a file.
pub(crate) struct Fates {
    /// In the order of their offsets.
    fates: Vec<Fate>,
    /// The position in the table of the tensor at which the sum of the padded sizes leaves 64 bits.
    overflow: Option<usize>,
}

impl Fates {
    /// `None` where the layout cannot be judged.
    pub(crate) fn of(file: &File<'_>, extents: &[Extent]) -> Option<Self> {
        let view = file.view?;
        let index = view.index();
        if !index.is_complete() || file.diagnosis.dialect.is_some() {
            return None;
        }
        let (alignment, data_start) = (index.alignment(), index.data_start()?);
        let overflow = overflow(&view, alignment, data_start);
        let base = index.header().base;
        let fates = fates(extents, alignment, data_start, base, file.size, overflow.is_some());
        Some(Self { fates, overflow })
    }
}

impl<'a, 'f> Laid<'a, 'f> {
    /// The tensors whose offset can be believed and whose size is known, by their offsets.
    pub(in crate::rules) fn sane(&self) -> impl Iterator<Item = &'f Extent> + use<'_, 'a, 'f> {
        self.extents.iter().zip(self.fates).filter(|(_, fate)| fate.is_sane()).map(|(extent, _)| extent)
    }

    /// Pairs of tensors that claim the same bytes: whose they were, and who lies over it.
    pub(in crate::rules) fn overlaps(
        &self,
    ) -> impl Iterator<Item = (&'f Extent, &'f Extent)> + use<'_, 'a, 'f> {
        reaches(self.sane()).filter_map(|reach| Some((reach.overlaps()?, reach.extent)))
    }

    /// Whether the offset is no multiple of the alignment.
    pub(in crate::rules) fn is_misaligned(&self, extent: &Extent) -> bool {
        extent.offset.checked_rem(self.alignment).is_some_and(|over| over != 0)
    }

    /// From the end of the last tensor to where the padding behind it ends, or would end; `None` without tensors, and where
    /// a size is not known.
    pub(in crate::rules) fn last_padding(&self) -> Option<Span> {
        let ends: Option<Vec<u64>> = self.extents.iter().map(Extent::end).collect();
        let end = self.data_start.checked_add(ends?.into_iter().max()?)?;
        let base = self.view.index().header().base;
        let padded = layout::align_up(end.checked_sub(base)?, self.alignment)?.checked_add(base)?;
        Some(Span::between(end, padded))
    }

    /// The first of these alignments to which all tensors are packed, without a gap and without an overlap.
    pub(in crate::rules) fn packed_to(&self, mut alignments: impl Iterator<Item = u64>) -> Option<u64> {
        alignments.find(|other| is_packed(self.sane(), *other))
    }

    /// Why the data cannot be laid out anew without a guess, as what goes on while it is so; a repair refuses the file then.
    pub(in crate::rules) fn unsettled(&self) -> Option<&'static str> {
        if self.file.diagnosis.joined.is_some() {
            return Some("another file follows in this one");
        }
        if self.overflow.is_some() || self.fates.iter().any(|fate| !matches!(fate, Fate::Inside | Fate::Open))
        {
            return Some("not all of the tensors' data lies in the file");
        }
        if reaches(self.sane()).any(|reach| reach.overlaps().is_some()) {
            return Some("tensors overlap");
        }
        self.start_is_open().then_some("the alignment leaves open where the data begins")
    }

    /// Whether it is open where the data begins: then nobody can tell what is padding, or move what is not.
    pub(in crate::rules) fn start_is_open(&self) -> bool {
        let Some(source) = self.size else { return false };
        let data = self.extents.iter().map(Extent::end).try_fold(0, |most: u64, end| Some(most.max(end?)));
        let data = data.unwrap_or_else(|| source.saturating_sub(self.data_start));
        doubt(&self.view, self.extents, Lengths { data, source }, true).is_some()
    }
}

/// Offers a new layout of the data of a file, where it can be told how the old one is meant; says why not elsewhere.
pub(in crate::rules) fn offer(
    finding: Finding,
    unsettled: Option<&str>,
    help: Option<&str>,
    title: &str,
    change: Change,
) -> Finding {
    match unsettled {
        Some(why) => finding.help(format!("`gguf repair` does not lay the data out anew while {why}")),
        None => match help {
            Some(help) => finding.help(help),
            None => finding,
        }
        .fix(Safety::Safe, title, change),
    }
}

/// Why the data of a file cannot be laid out anew; see [`Laid::unsettled`].
pub(in crate::rules) fn unsettled(facts: &Facts<'_>, at: usize) -> Option<&'static str> {
    laid(facts).find(|laid| laid.at == at)?.unsettled()
}

fn overflow(view: &View<'_>, alignment: u64, data_start: u64) -> Option<usize> {
    let index = view.index();
    let mut sum = data_start;
    index.tensors().iter().position(|tensor| {
        let Ok(len) = layout::tensor_bytes(tensor.tensor_type, index.dims(tensor)) else { return false };
        match layout::align_up(len, alignment).and_then(|padded| sum.checked_add(padded)) {
            Some(next) => {
                sum = next;
                false
            }
            None => true,
        }
    })
}

fn fates(
    extents: &[Extent],
    alignment: u64,
    data_start: u64,
    base: u64,
    size: Option<u64>,
    overflows: bool,
) -> Vec<Fate> {
    // A hole larger than all the data is no gap that a writer left.
    let lens = extents.iter().filter_map(|extent| extent.len()).filter(|len| *len <= PLAUSIBLE_SIZE);
    let total = lens.fold(alignment, u64::saturating_add);
    // Where padding behind the last byte would end: tensors without bytes may lie there.
    let padded = |size: u64| layout::align_up(size.saturating_sub(base), alignment)?.checked_add(base);
    let mut reaching = Reaching::default();
    let mut astray = false;
    let fate = |extent| {
        let extent: &Extent = extent;
        let len = extent.len().unwrap_or(0);
        let huge = len > PLAUSIBLE_SIZE;
        let place = data_start.checked_add(extent.offset).and_then(|at| Some((at, at.checked_add(len)?)));
        let Some((start, end)) = place else {
            return if huge && overflows { Fate::Overflow } else { Fate::Nowhere };
        };
        let limit = match (size, extent.len()) {
            (None, _) => u64::MAX,
            (Some(size), Some(0)) => padded(size).unwrap_or(u64::MAX),
            (Some(size), _) => size,
        };
        let hole = reaching.before(extent).gap(alignment).map_or(0, |(from, to)| to.saturating_sub(from));
        let fate = if end <= limit {
            if extent.len().is_some() { Fate::Inside } else { Fate::Open }
        } else if huge {
            if overflows { Fate::Overflow } else { Fate::Nowhere }
        } else if astray || start > PLAUSIBLE_SIZE || hole > total {
            astray = true;
            Fate::Nowhere
        } else {
            Fate::Cut
        };
        if fate.is_sane() {
            reaching.pass(extent);
        }
        fate
    };
    extents.iter().map(fate).collect()
}

#[cfg(test)]
mod tests {
    use ggufkit_format::layout::SizeError;

    use super::*;

    fn extents(of: &[(u64, Option<u64>)]) -> Vec<Extent> {
        let size = |len: Option<u64>| len.ok_or(SizeError::Overflow);
        let extent = |(tensor, &(offset, len))| Extent { tensor, offset, size: size(len) };
        of.iter().enumerate().map(extent).collect()
    }

    fn of(tensors: &[(u64, Option<u64>)], size: u64) -> Vec<Fate> {
        fates(&extents(tensors), 32, 96, 0, Some(size), false)
    }

    #[test]
    fn each_tensor_has_one_fate() {
        use Fate::{Cut, Inside, Nowhere, Open};
        assert_eq!(of(&[(0, Some(32)), (32, Some(32))], 160), [Inside, Inside]);
        assert_eq!(of(&[(0, Some(32)), (32, Some(32))], 159), [Inside, Cut]);
        assert_eq!(of(&[(0, Some(32)), (32, Some(32))], 96), [Cut, Cut]);
        // Behind the padding of the last tensor, which need not be written.
        assert_eq!(of(&[(0, Some(20)), (32, Some(0))], 116), [Inside, Inside]);
        assert_eq!(of(&[(0, Some(32)), (1 << 40, Some(32))], 128), [Inside, Nowhere]);
        assert_eq!(of(&[(0, Some(32)), (u64::MAX - 31, Some(16))], 128), [Inside, Nowhere]);
        assert_eq!(of(&[(0, None), (64, Some(32))], 160), [Open, Cut]);
        assert_eq!(of(&[(0, Some(1 << 60))], 128), [Nowhere]);
    }
}
