//! Which bytes of the data section are which tensor's, in the order in which they lie there.
//!
//! The one place that sorts tensors by their data and tells how far the data before each of them reaches: gaps, overlaps
//! and the end of the data follow from it. What is to be thought of them is said by those who ask.

use alloc::vec::Vec;

use crate::index::Index;
use crate::layout::{self, SizeError};

/// The data of a tensor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Position in the tensor table, from 0.
    pub tensor: usize,
    /// Offset from the start of the data section, as the file gives it.
    pub offset: u64,
    /// Bytes by type and shape, or why that cannot be told.
    pub size: Result<u64, SizeError>,
}

impl Extent {
    /// Bytes, where type and shape give them.
    #[must_use]
    pub fn len(&self) -> Option<u64> {
        self.size.ok()
    }

    /// Whether it is known to have no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.size == Ok(0)
    }

    /// The offset behind the last byte; `None` where the size is not known or the sum does not fit in 64 bits.
    #[must_use]
    pub fn end(&self) -> Option<u64> {
        self.offset.checked_add(self.len()?)
    }
}

/// The data of all tensors of an index, by their offsets.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Extents(Vec<Extent>);

impl Extents {
    /// The extents of an index's tensors. Those without bytes may share their offset with the next one, and come before it;
    /// other equal offsets stand in the order of the table.
    #[must_use]
    pub fn of(index: &Index) -> Self {
        let extent = |(tensor, record): (usize, &crate::Tensor)| Extent {
            tensor,
            offset: record.offset,
            size: layout::tensor_bytes(record.tensor_type, index.dims(record)),
        };
        let mut all: Vec<Extent> = index.tensors().iter().enumerate().map(extent).collect();
        let key = |extent: &Extent| (extent.offset, !extent.is_empty(), extent.tensor);
        if !all.is_sorted_by_key(key) {
            all.sort_unstable_by_key(key);
        }
        Self(all)
    }

    /// The extents, in their order.
    #[must_use]
    pub fn as_slice(&self) -> &[Extent] {
        &self.0
    }

    /// The next greater offset at which a tensor begins: data of unknown size reaches no farther.
    #[must_use]
    pub fn next_offset(&self, offset: u64) -> Option<u64> {
        let next = self.0.partition_point(|extent| extent.offset <= offset);
        self.0.get(next).map(|extent| extent.offset)
    }

    /// The offset behind all data whose size is known; 0 where there is none.
    #[must_use]
    pub fn known_end(&self) -> u64 {
        self.0.iter().filter_map(Extent::end).max().unwrap_or(0)
    }

    /// How far the data before each tensor reaches.
    pub fn reaches(&self) -> impl Iterator<Item = Reach<'_>> {
        reaches(&self.0)
    }
}

/// A tensor's data, and how far that of the tensors before it reaches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reach<'a> {
    /// The data.
    pub extent: &'a Extent,
    /// Of the data before it whose size is known, the one that ends last.
    pub farthest: Option<&'a Extent>,
    /// Whether all between that and this tensor's offset is known to be nobody's: a size that is not known ends the
    /// knowledge until the next tensor begins.
    pub known: bool,
}

impl<'a> Reach<'a> {
    /// The offset behind the data before; 0 before the first. `None` where that is not known.
    #[must_use]
    pub fn reached(&self) -> Option<u64> {
        self.known.then(|| self.farthest.and_then(Extent::end).unwrap_or(0))
    }

    /// The offsets of bytes before this tensor that are more than padding: where it could begin, and where it does.
    #[must_use]
    pub fn gap(&self, alignment: u64) -> Option<(u64, u64)> {
        let from = layout::align_up(self.reached()?, alignment)?;
        (from < self.extent.offset).then_some((from, self.extent.offset))
    }

    /// The data before that reaches over this tensor's first byte, where it has one.
    #[must_use]
    pub fn overlaps(&self) -> Option<&'a Extent> {
        let covers = |before: &&Extent| before.end().is_some_and(|end| end > self.extent.offset);
        self.farthest.filter(covers).filter(|_| !self.extent.is_empty())
    }
}

/// How far data reaches, while extents are gone over in their order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reaching<'a> {
    farthest: Option<&'a Extent>,
    unknown: bool,
}

impl<'a> Reaching<'a> {
    /// How far the data reaches that was passed before this.
    #[must_use]
    pub fn before(&self, extent: &'a Extent) -> Reach<'a> {
        Reach { extent, farthest: self.farthest, known: !self.unknown }
    }

    /// Goes past a tensor's data.
    pub fn pass(&mut self, extent: &'a Extent) {
        self.unknown = extent.end().is_none();
        if extent.end() > self.farthest.and_then(Extent::end) {
            self.farthest = Some(extent);
        }
    }

    /// The data that ends last and the offset behind it; `None` where there is none, and where the size of the one that
    /// was passed last is not known.
    #[must_use]
    pub fn end(&self) -> Option<(&'a Extent, u64)> {
        let last = self.farthest.filter(|_| !self.unknown)?;
        Some((last, last.end()?))
    }
}

/// How far the data before each of some extents, in their order, reaches.
pub fn reaches<'a>(extents: impl IntoIterator<Item = &'a Extent>) -> impl Iterator<Item = Reach<'a>> {
    let mut reaching = Reaching::default();
    extents.into_iter().map(move |extent| {
        let reach = reaching.before(extent);
        reaching.pass(extent);
        reach
    })
}

/// Whether extents, in their order, are packed to an alignment: without a gap and without an overlap.
pub fn is_packed<'a>(extents: impl IntoIterator<Item = &'a Extent>, alignment: u64) -> bool {
    let mut next = Some(0);
    extents.into_iter().all(|extent| {
        let fits = next == Some(extent.offset);
        next = extent.end().and_then(|end| layout::align_up(end, alignment));
        fits
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::TensorType;

    fn extents(of: &[(u64, Option<u64>)]) -> Vec<Extent> {
        let size = |len: Option<u64>| len.ok_or(SizeError::UnknownType(TensorType(999)));
        of.iter()
            .enumerate()
            .map(|(tensor, &(offset, len))| Extent { tensor, offset, size: size(len) })
            .collect()
    }

    #[test]
    fn gaps_and_overlaps_follow_from_how_far_the_data_before_reaches() {
        let all = extents(&[(0, Some(20)), (32, Some(100)), (64, Some(8)), (256, Some(0)), (300, Some(4))]);
        let gaps: Vec<_> = reaches(&all).map(|reach| reach.gap(32)).collect();
        assert_eq!(gaps, [None, None, None, Some((160, 256)), Some((256, 300))]);
        let overlaps: Vec<_> =
            reaches(&all).map(|reach| reach.overlaps().map(|other| other.tensor)).collect();
        assert_eq!(overlaps, [None, None, Some(1), None, None]);
    }

    #[test]
    fn an_unknown_size_ends_the_knowledge_and_what_was_known_before_is_kept() {
        let all = extents(&[(0, Some(100)), (10, None), (50, Some(10)), (128, Some(8))]);
        let reached: Vec<_> = reaches(&all).map(|reach| reach.reached()).collect();
        assert_eq!(reached, [Some(0), Some(100), None, Some(100)]);
        assert_eq!(
            reaches(&all).nth(2).and_then(|reach| reach.overlaps()).map(|other| other.tensor),
            Some(0)
        );
        let all = Extents(all);
        assert_eq!((all.known_end(), all.next_offset(10), all.next_offset(128)), (136, Some(50), None));
    }
}
