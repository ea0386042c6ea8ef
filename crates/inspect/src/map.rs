//! What takes how much of a file: its bytes from first to last, each with one owner.
//!
//! Regions lie side by side and cover the file; areas are their sums. Where tensors overlap, the bytes belong to the one
//! that begins first. Both stay few, whatever the file.

use std::collections::BTreeMap;

use ggufkit_format::spec::TensorType;
use ggufkit_format::{Payload, Span, layout};
use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};

use crate::model::{Model, Part};
use crate::tensors::Table;
use crate::text::Text;

/// Regions of one file that are told apart; what lies behind them shares one.
const MAX_REGIONS: usize = 1024;

/// Tensor types that have an area of their own; the smallest of more share one.
const MAX_TYPES: usize = 24;

/// Arrays of the metadata that have an area of their own: the biggest.
const MAX_ARRAYS: usize = 8;

/// Bytes of an array from which on it may have an area of its own.
const BIG_ARRAY: u64 = 1024;

/// What bytes hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content<'a> {
    /// Bytes before the magic, where the GGUF is part of another file.
    Before,
    /// The header.
    Header,
    /// Key-values.
    Metadata,
    /// A big array of the metadata, with its key.
    Array(Text<'a>),
    /// The tensor table.
    TensorTable,
    /// Padding to the alignment.
    Padding,
    /// Data of tensors of this type.
    Tensors(TensorType),
    /// Various: in a region whatever its file holds from there on, in an area tensors of types that are not told apart.
    Mixed,
    /// Bytes between tensors that are more than padding.
    Gap,
    /// Bytes behind the last tensor and its padding.
    Trailing,
    /// Bytes behind the place where the head could not be read further.
    Unread,
}

impl Content<'_> {
    /// A short stable word.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::Header => "header",
            Self::Metadata => "metadata",
            Self::Array(_) => "array",
            Self::TensorTable => "tensor-table",
            Self::Padding => "padding",
            Self::Tensors(_) => "tensors",
            Self::Mixed => "mixed",
            Self::Gap => "gap",
            Self::Trailing => "trailing",
            Self::Unread => "unread",
        }
    }
}

/// A run of bytes with one sort of content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Region<'a> {
    /// The file, by its position in the model.
    pub part: usize,
    /// The bytes.
    pub span: Span,
    /// What they hold.
    pub content: Content<'a>,
    /// Padding between the tensors of the run, which belongs to the span.
    pub padding: u64,
    /// Number of tensors whose data begins in it.
    pub tensors: u64,
}

/// The bytes of one sort of content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Area<'a> {
    /// What they hold.
    pub content: Content<'a>,
    /// How many there are.
    pub bytes: u64,
}

impl Serialize for Area<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("content", self.content.word())?;
        match &self.content {
            Content::Array(key) => map.serialize_entry("key", key)?,
            Content::Tensors(ty) => map.serialize_entry("type", &ty.to_string())?,
            _ => {}
        }
        map.serialize_entry("bytes", &self.bytes)?;
        map.end()
    }
}

/// The map of a model's files.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Map<'a> {
    /// All bytes, file by file from the first to the last.
    pub regions: Vec<Region<'a>>,
    /// Their sums, in the order of a file: what comes before tensors, types by bytes, what comes behind.
    pub areas: Vec<Area<'a>>,
}

impl Map<'_> {
    /// Bytes of all files together.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.areas.iter().map(|area| area.bytes).fold(0, u64::saturating_add)
    }
}

/// Draws the map of a model. A file whose size is not known is taken to end with its last tensor.
#[must_use]
pub fn map<'a>(model: &Model<'a>) -> Map<'a> {
    let table = Table::new(model);
    let arrays = big_arrays(model);
    let mut sums = Sums::default();
    let mut regions = Vec::new();
    for (at, part) in model.parts().enumerate() {
        let end = end_of(&part, &table, at);
        let mut sweep = Sweep { part: at, at: 0, end, regions: Vec::new(), sums: &mut sums };
        sweep.head(&part, &arrays);
        sweep.data(&part, &table);
        regions.append(&mut sweep.regions);
    }
    Map { regions, areas: sums.finish() }
}

/// The end of a file, or of what is known to be there.
fn end_of(part: &Part<'_>, table: &Table<'_>, at: usize) -> u64 {
    part.size.unwrap_or_else(|| {
        let rows = table.iter_part(at).filter_map(|row| row.span());
        rows.map(Span::end).fold(part.view.index().head_end(), u64::max)
    })
}

/// The biggest arrays of the metadata, by their place.
fn big_arrays(model: &Model<'_>) -> Vec<Span> {
    let mut arrays: Vec<Span> = Vec::new();
    for (_, _, kv) in model.kvs() {
        if matches!(kv.payload, Payload::Array(_)) && kv.value_span.len >= BIG_ARRAY {
            let at = arrays.partition_point(|span| span.len >= kv.value_span.len);
            if at < MAX_ARRAYS {
                arrays.insert(at, kv.value_span);
                arrays.truncate(MAX_ARRAYS);
            }
        }
    }
    arrays
}

/// A walk over one file from its first byte to its last.
struct Sweep<'a, 's> {
    part: usize,
    at: u64,
    end: u64,
    regions: Vec<Region<'a>>,
    sums: &'s mut Sums<'a>,
}

impl<'a> Sweep<'a, '_> {
    /// Gives the bytes up to `to` an owner; a run of the same content grows.
    fn up_to(&mut self, to: u64, content: Content<'a>) {
        let to = to.min(self.end);
        if to <= self.at {
            return;
        }
        let span = Span::between(self.at, to);
        self.at = to;
        self.sums.add(content, span.len);
        let full = self.regions.len() >= MAX_REGIONS;
        match self.regions.last_mut() {
            Some(last) if last.content == content => last.span.len += span.len,
            // Behind so many regions contents are no longer told apart, but summed up all the same.
            Some(last) if full => {
                last.span.len += span.len;
                last.content = Content::Mixed;
            }
            _ => self.regions.push(Region { part: self.part, span, content, padding: 0, tensors: 0 }),
        }
    }

    fn head(&mut self, part: &Part<'a>, arrays: &[Span]) {
        let index = part.view.index();
        self.up_to(index.header().base, Content::Before);
        self.up_to(index.header().span.end(), Content::Header);
        for kv in index.kvs() {
            if arrays.contains(&kv.value_span) && matches!(kv.payload, Payload::Array(_)) {
                self.up_to(kv.value_span.start, Content::Metadata);
                self.up_to(kv.value_span.end(), Content::Array(Text(part.view.key(kv))));
            }
        }
        let table = index.tensors().first().map_or(index.head_end(), |tensor| tensor.span.start);
        self.up_to(table, Content::Metadata);
        self.up_to(index.head_end(), Content::TensorTable);
    }

    fn data(&mut self, part: &Part<'a>, table: &Table<'a>) {
        let index = part.view.index();
        let Some(start) = index.data_start() else {
            self.up_to(self.end, Content::Unread);
            return;
        };
        let base = index.header().base;
        let padding = |end: u64| layout::padding(end.saturating_sub(base), index.alignment());
        self.up_to(start, Content::Padding);
        let mut placed: Vec<(u64, u64, TensorType)> = table
            .iter_part(self.part)
            .filter_map(|row| Some((row.data?, row.data?.saturating_add(row.size?), row.tensor_type())))
            .filter(|(start, end, _)| start < end)
            .collect();
        if !placed.is_sorted() {
            placed.sort_unstable();
        }
        for (start, end, ty) in placed {
            self.between(start, padding(self.at));
            self.up_to(end, Content::Tensors(ty));
            if let Some(last) = self.regions.last_mut() {
                last.tensors += 1;
            }
        }
        let last = padding(self.at);
        self.between(self.at.saturating_add(last), last);
        self.up_to(self.end, Content::Trailing);
    }

    /// The bytes before the next tensor: padding that ends a run of tensors belongs to it, more than that is a gap.
    fn between(&mut self, to: u64, padding: u64) {
        let to = to.min(self.end);
        let padding = to.saturating_sub(self.at).min(padding);
        match self.regions.last_mut() {
            Some(last) if matches!(last.content, Content::Tensors(_)) => {
                last.span.len += padding;
                last.padding += padding;
                self.at += padding;
                self.sums.add(Content::Padding, padding);
            }
            _ => self.up_to(self.at.saturating_add(padding), Content::Padding),
        }
        self.up_to(to, Content::Gap);
    }
}

/// The bytes of each content.
#[derive(Default)]
struct Sums<'a> {
    types: BTreeMap<TensorType, u64>,
    /// Few: contents that are not types, and the arrays that were chosen.
    others: Vec<Area<'a>>,
}

impl<'a> Sums<'a> {
    fn add(&mut self, content: Content<'a>, bytes: u64) {
        let sum = match content {
            Content::Tensors(ty) => self.types.entry(ty).or_default(),
            _ => match self.others.iter().position(|area| area.content == content) {
                Some(at) => &mut self.others[at].bytes,
                None => {
                    self.others.push(Area { content, bytes });
                    return;
                }
            },
        };
        *sum = sum.saturating_add(bytes);
    }

    fn finish(self) -> Vec<Area<'a>> {
        let (mut areas, behind): (Vec<_>, Vec<_>) =
            self.others.into_iter().filter(|area| area.bytes > 0).partition(|area| {
                !matches!(area.content, Content::Padding | Content::Gap | Content::Trailing | Content::Unread)
            });
        let mut types: Vec<(TensorType, u64)> = self.types.into_iter().collect();
        types.sort_by_key(|(_, bytes)| core::cmp::Reverse(*bytes));
        let told = |(ty, bytes): &(TensorType, u64)| Area { content: Content::Tensors(*ty), bytes: *bytes };
        areas.extend(types.iter().take(MAX_TYPES).map(told));
        let more = types.iter().skip(MAX_TYPES).map(|(_, bytes)| *bytes).fold(0, u64::saturating_add);
        if more > 0 {
            areas.push(Area { content: Content::Mixed, bytes: more });
        }
        areas.extend(behind);
        areas
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ggufkit_format::{ByteStr, Options, View, parse};
    use ggufkit_testkit::{Builder, Tensor as Made};

    type Lengths = Vec<(String, u64)>;

    /// The contents of regions with their lengths, and of areas with their sums; `prefix` bytes lie before the magic.
    fn drawn(builder: &Builder, prefix: usize, cut: usize) -> (Lengths, Lengths) {
        let bytes = builder.clone().prefix(vec![9; prefix]).bytes();
        let bytes = &bytes[..bytes.len() - cut];
        let options = Options::new().with_base(prefix as u64);
        let index = parse(&bytes[prefix..], options).index.unwrap();
        let size = bytes.len() as u64;
        let view = View::new(&index, &bytes[prefix..]);
        let model = Model::single(Part { label: ByteStr(b""), file_name: None, size: Some(size), view });
        let map = map(&model);
        assert_eq!(map.size(), size);
        let mut at = 0;
        for region in &map.regions {
            assert_eq!(region.span.start, at, "{:?}", map.regions);
            at = region.span.end();
        }
        assert_eq!(at, size);
        let word = |content: Content<'_>| match content {
            Content::Tensors(ty) => ty.to_string(),
            Content::Array(key) => key.short(40),
            other => other.word().to_owned(),
        };
        let regions = map.regions.iter().map(|r| (word(r.content), r.span.len)).collect();
        let areas = map.areas.iter().map(|a| (word(a.content), a.bytes)).collect();
        (regions, areas)
    }

    fn named(expected: &[(&str, u64)]) -> Lengths {
        expected.iter().map(|(word, bytes)| ((*word).to_owned(), *bytes)).collect()
    }

    #[test]
    fn padding_between_tensors_of_a_type_belongs_to_their_run() {
        // A record: 8 + 1 + 4 + 8 + 4 + 8 = 33 bytes; the head has 24 + 3 * 33 = 123 and is padded to 128.
        let builder = Builder::new()
            .tensor(Made::f32("a", &[3]))
            .tensor(Made::f32("b", &[9]))
            .tensor(Made::new("c", 8, &[32]));
        let (regions, areas) = drawn(&builder, 0, 0);
        let head = [("header", 24), ("tensor-table", 99), ("padding", 5)];
        assert_eq!(regions, named(&[&head[..], &[("F32", 32 + 64), ("Q8_0", 64)]].concat()));
        let sums =
            [("header", 24), ("tensor-table", 99), ("F32", 48), ("Q8_0", 34), ("padding", 5 + 20 + 28 + 30)];
        assert_eq!(areas, named(&sums));
        // Behind other bytes the padding counts from the magic all the same.
        let (regions, _) = drawn(&builder, 7, 0);
        let all = [&[("before", 7)][..], &head, &[("F32", 96), ("Q8_0", 64)]].concat();
        assert_eq!(regions, named(&all));
        // A file that ends within a tensor.
        let (regions, _) = drawn(&builder, 0, 50);
        assert_eq!(regions.last(), Some(&("Q8_0".to_owned(), 14)));
    }

    #[test]
    fn bytes_have_one_owner_where_tensors_overlap_and_none_in_gaps() {
        // a at 0..64, b at 32..96, c at 160..192, and 10 bytes behind everything.
        let builder = Builder::new()
            .tensor(Made::f32("a", &[16]))
            .tensor(Made::new("b", 24, &[64]).offset(32))
            .tensor(Made::f32("c", &[8]).offset(160))
            .trailing(vec![1; 10]);
        let (regions, areas) = drawn(&builder, 0, 0);
        assert_eq!(
            regions[3..],
            named(&[("F32", 64), ("I8", 32), ("gap", 64), ("F32", 32), ("trailing", 10)])
        );
        assert_eq!(areas[2..4], named(&[("F32", 96), ("I8", 32)]));
    }

    #[test]
    fn big_arrays_are_told_apart_and_heads_that_end_early_are_not_read() {
        let builder = Builder::new().kv("small", vec![1_u8; 10]).kv("big", vec![1_u8; 2000]).kv("end", 1_u32);
        let (regions, _) = drawn(&builder, 0, 0);
        // 8 + 5 + 4 + 12 + 10 for "small", 8 + 3 + 4 before the value of "big", 8 + 3 + 4 + 4 for "end".
        let sizes = [("header", 24), ("metadata", 39 + 15), ("big", 2012), ("metadata", 19)];
        assert_eq!(regions[..4], named(&sizes));
        let (regions, _) = drawn(&builder.head_padding(false), 0, 2);
        assert_eq!(regions.last(), Some(&("unread".to_owned(), 17)));
    }

    #[test]
    fn regions_stay_few() {
        let ids = [0, 24];
        let tensors = (0..5000_usize).map(|n| Made::new(format!("t{n}"), ids[n % 2], &[8]));
        let (regions, areas) = drawn(&tensors.fold(Builder::new(), Builder::tensor), 0, 0);
        assert_eq!(regions.len(), MAX_REGIONS);
        assert_eq!(regions.last().map(|(word, _)| word.as_str()), Some("mixed"));
        let types: Vec<_> = areas.iter().filter(|(word, _)| word == "F32" || word == "I8").collect();
        assert_eq!(types, [&("F32".to_owned(), 2500 * 32), &("I8".to_owned(), 2500 * 8)]);
    }
}
