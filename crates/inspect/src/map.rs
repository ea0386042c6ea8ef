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
