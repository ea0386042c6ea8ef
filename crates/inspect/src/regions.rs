//! Every stretch of a file with its owner: each key-value, each record of the tensor table, each tensor, and what lies between.
//!
//! Where [`map`](mod@crate::map) sums up sorts of content for one screen, this names single things, for a map that can be
//! gone into. Regions lie side by side from the first byte of a file to its last. Where tensors overlap, the bytes belong to
//! the one that begins first.

use ggufkit_format::spec::Text;
use ggufkit_format::{Span, layout};
use serde::Serialize;

use crate::model::Part;
use crate::tensors::Table;

/// What a region holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RegionKind {
    /// Bytes before the magic.
    Before,
    /// The header.
    Header,
    /// A key-value.
    Metadata,
    /// A record of the tensor table.
    TensorInfo,
    /// Padding to the alignment.
    Padding,
    /// The data of a tensor.
    Tensor,
    /// Bytes between tensors that are more than padding.
    Gap,
    /// Bytes behind the last tensor and its padding.
    Trailing,
    /// Bytes behind the place where the head could not be read further.
    Unread,
}

impl RegionKind {
    /// Every kind, in the order in which a file has them.
    pub const ALL: [Self; 9] = [
        Self::Before,
        Self::Header,
        Self::Metadata,
        Self::TensorInfo,
        Self::Padding,
        Self::Tensor,
        Self::Gap,
        Self::Trailing,
        Self::Unread,
    ];

    /// What it is called, wherever it is shown.
    #[must_use]
    pub const fn words(self) -> Text {
        match self {
            Self::Before => Text::new("bytes before the header", "文件头之前的字节"),
            Self::Header => Text::new("header", "文件头"),
            Self::Metadata => Text::new("metadata", "元数据"),
            Self::TensorInfo => Text::new("tensor table", "张量表"),
            Self::Padding => Text::new("padding", "对齐填充"),
            Self::Tensor => Text::new("tensor data", "张量数据"),
            Self::Gap => Text::new("gap", "空隙"),
            Self::Trailing => Text::new("bytes behind the data", "数据之后的字节"),
            Self::Unread => Text::new("not readable", "无法读取"),
        }
    }
}

/// A stretch of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Region {
    /// What it holds.
    pub kind: RegionKind,
    /// The bytes. Never empty.
    pub span: Span,
    /// Of key-values, records and tensors: the position in the file, from 0; of several that share a region the first.
    pub index: Option<usize>,
    /// How many more share it.
    pub more: u64,
}

/// The regions of a file, at most about `most` of them; what is too many shares some. `file` is the file's place in the model of
/// `table`. A file whose size is not known is taken to end with its last tensor.
#[must_use]
pub fn regions(part: &Part<'_>, table: &Table<'_>, file: usize, most: usize) -> Vec<Region> {
    let index = part.view.index();
    let end = part.size.unwrap_or_else(|| {
        let ends = table.iter_part(file).filter_map(|row| row.span()).map(Span::end);
        ends.fold(index.head_end(), u64::max)
    });
    let mut sweep = Sweep { at: 0, end, out: Vec::new() };
    sweep.up_to(index.header().base, RegionKind::Before);
    sweep.up_to(index.header().span.end(), RegionKind::Header);
    let share = (most / 3).max(1);
    sweep.records(index.kvs().iter().map(|kv| kv.span), RegionKind::Metadata, share);
    sweep.records(index.tensors().iter().map(|tensor| tensor.span), RegionKind::TensorInfo, share);
    let Some(start) = index.data_start() else {
        sweep.up_to(end, RegionKind::Unread);
        return sweep.out;
    };
    sweep.up_to(start, RegionKind::Padding);
    let mut placed: Vec<(u64, u64, usize)> = table
        .iter_part(file)
        .filter_map(|row| Some((row.data?, row.data?.saturating_add(row.size?), row.index)))
        .filter(|(start, end, _)| start < end)
        .collect();
    if !placed.is_sorted() {
        placed.sort_unstable();
    }
    let padding = |at: u64| layout::padding(at.saturating_sub(index.header().base), index.alignment());
    for group in placed.chunks(placed.len().div_ceil(share).max(1)) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        sweep.between(first.0, padding(sweep.at));
        // Of those that share a region the one that reaches farthest ends it.
        let to = group.iter().map(|one| one.1).fold(last.1, u64::max);
        sweep.owned(to, RegionKind::Tensor, first.2, group.len());
    }
    let last = padding(sweep.at);
    sweep.between(sweep.at.saturating_add(last), last);
    sweep.up_to(end, RegionKind::Trailing);
    sweep.out
}

/// A walk over a file from its first byte to its last.
struct Sweep {
    at: u64,
    end: u64,
    out: Vec<Region>,
}

impl Sweep {
    fn push(&mut self, to: u64, kind: RegionKind, index: Option<usize>, more: usize) {
        let to = to.min(self.end);
        if to > self.at {
            self.out.push(Region { kind, span: Span::between(self.at, to), index, more: more as u64 });
            self.at = to;
        }
    }

    fn up_to(&mut self, to: u64, kind: RegionKind) {
        self.push(to, kind, None, 0);
    }

    fn owned(&mut self, to: u64, kind: RegionKind, index: usize, count: usize) {
        self.push(to, kind, Some(index), count.saturating_sub(1));
    }

    /// Records that follow each other without a gap, in at most `most` regions.
    fn records(&mut self, spans: impl ExactSizeIterator<Item = Span>, kind: RegionKind, most: usize) {
        let (count, size) = (spans.len(), spans.len().div_ceil(most).max(1));
        for (at, span) in spans.enumerate() {
            let place = at % size;
            if place == size - 1 || at + 1 == count {
                self.owned(span.end(), kind, at - place, place + 1);
            }
        }
    }

    /// The bytes before the next tensor: padding, and what is more than that.
    fn between(&mut self, to: u64, padding: u64) {
        self.up_to(self.at.saturating_add(padding).min(to), RegionKind::Padding);
        self.up_to(to, RegionKind::Gap);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Model;
    use ggufkit_format::{ByteStr, Options, View, parse};
    use ggufkit_testkit::{Builder, Tensor as Made};

    /// Kind, length, index and sharers of the regions of a file whose last `cut` bytes are gone.
    fn drawn(builder: &Builder, cut: usize, most: usize) -> Vec<(RegionKind, u64, Option<usize>, u64)> {
        let bytes = builder.bytes();
        let bytes = &bytes[..bytes.len() - cut];
        let index = parse(bytes, Options::new()).index.unwrap();
        let size = bytes.len() as u64;
        let part =
            Part { label: ByteStr(b""), file_name: None, size: Some(size), view: View::new(&index, bytes) };
        let found = regions(&part, &Table::new(&Model::single(part)), 0, most);
        let mut at = 0;
        for region in &found {
            assert_eq!(region.span.start, at, "{found:?}");
            at = region.span.end();
        }
        assert_eq!(at, size);
        found.iter().map(|r| (r.kind, r.span.len, r.index, r.more)).collect()
    }

    #[test]
    fn every_record_and_every_tensor_has_a_region_of_its_own() {
        use RegionKind as K;
        // A key-value of a u8: 8 + 1 + 4 + 1; a record: 8 + 1 + 4 + 8 + 4 + 8; the head has 24 + 2 * 14 + 2 * 33 = 118.
        let builder = Builder::new()
            .kv("a", 1_u8)
            .kv("b", 2_u8)
            .tensor(Made::f32("x", &[3]))
            .tensor(Made::f32("y", &[9]).offset(96))
            .trailing(vec![7; 5]);
        let expected = [
            (K::Header, 24, None, 0),
            (K::Metadata, 14, Some(0), 0),
            (K::Metadata, 14, Some(1), 0),
            (K::TensorInfo, 33, Some(0), 0),
            (K::TensorInfo, 33, Some(1), 0),
            (K::Padding, 10, None, 0),
            (K::Tensor, 12, Some(0), 0),
            (K::Padding, 20, None, 0),
            (K::Gap, 64, None, 0),
            (K::Tensor, 36, Some(1), 0),
            (K::Padding, 28, None, 0),
            (K::Trailing, 5, None, 0),
        ];
        assert_eq!(drawn(&builder, 0, 100), expected);
        // A file that ends within the last tensor.
        assert_eq!(drawn(&builder, 5 + 28 + 30, 100).last(), Some(&(K::Tensor, 6, Some(1), 0)));
    }

    #[test]
    fn what_is_too_many_shares_regions() {
        let file = (0..100_usize).fold(Builder::new(), |file, n| {
            file.kv(format!("k{n}"), 1_u8).tensor(Made::f32(format!("t{n}"), &[8]))
        });
        let found = drawn(&file, 0, 30);
        let of = |kind| found.iter().filter(move |one| one.0 == kind);
        for kind in [RegionKind::Metadata, RegionKind::TensorInfo, RegionKind::Tensor] {
            assert_eq!(of(kind).count(), 10);
            assert_eq!(of(kind).map(|one| one.3 + 1).sum::<u64>(), 100);
            assert_eq!(of(kind).nth(1).and_then(|one| one.2), Some(10));
        }
    }
}
