//! A tensor's data, block by block.

use std::io::{self, Write as _};

use ggufkit::format::spec::{Lang, TensorTypeInfo};
use ggufkit::format::{ReadAt, Scalar, Span, Tensor, View};
use ggufkit::inspect::blocks::{self, Numbers, PartReading, Place, Sym, readings, to_little_endian};
use ggufkit::inspect::json::{JsonScalar, JsonText};
use ggufkit::inspect::units;
use ggufkit::io::FileSource;
use serde::ser::{Error as _, Serialize, SerializeMap as _, SerializeSeq as _, Serializer};

use super::fields::print_line;
use super::page::{Bytes, Page};
use super::palette::{FAINT, of_role};
use crate::commands::explain::wrap::{Run, fill};
use crate::out::{self, Ink, Out};

/// A run of blocks: the first and the one after the last.
pub(super) type Range = (u64, u64);

/// A tensor whose data is looked at.
pub(super) struct Data<'a> {
    pub(super) view: View<'a>,
    pub(super) tensor: &'a Tensor,
    pub(super) index: usize,
    pub(super) source: &'a FileSource,
    pub(super) lang: Lang,
    pub(super) full: bool,
}

/// A block as it was read.
struct Block {
    place: Place,
    /// The bytes as they stand in the file; fewer than the block has where the file ends.
    bytes: Vec<u8>,
    /// The same in little-endian order.
    ordered: Vec<u8>,
    parts: Vec<PartReading>,
}

/// Why there is nothing to show.
pub(super) enum Trouble {
    /// There is no such block.
    Place(blocks::PlaceError),
    /// The file cannot be read.
    Read(io::Error),
    /// The output's.
    Out(io::Error),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Out(error)
    }
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Place(error) => error.fmt(f),
            Self::Read(error) | Self::Out(error) => error.fmt(f),
        }
    }
}

/// Reads up to `len` bytes from a position; fewer where the file ends.
fn read(source: &FileSource, at: u64, len: usize) -> Result<Vec<u8>, Trouble> {
    let mut bytes = vec![0; len];
    let mut there = 0;
    while there < bytes.len() {
        let from = at.saturating_add(there as u64);
        match source.read_at(bytes.get_mut(there..).unwrap_or_default(), from).map_err(Trouble::Read)? {
            0 => break,
            n => there += n,
        }
    }
    bytes.truncate(there);
    Ok(bytes)
}

/// Most bytes outside of tensors that are shown, unless all are asked for.
const BETWEEN: u64 = 256;

/// Prints bytes that belong to no field and no tensor of known size. Returns whether there are any.
pub(super) fn between(
    out: &mut Out,
    source: &FileSource,
    span: Span,
    full: bool,
    lang: Lang,
) -> Result<bool, Trouble> {
    let end = source.size().map_or(span.end(), |size| size.min(span.end()));
    let len = end.saturating_sub(span.start);
    let shown = if full { len } else { len.min(BETWEEN) };
    // Read in pieces, so that a range of the whole file takes no memory.
    let mut at = span.start;
    let (page, stop) = (Page::new(out, end), span.start.saturating_add(shown));
    let mut words = vec![Run::plain(match lang {
        Lang::En => "outside of every field and every tensor of known size",
        Lang::Zh => "不属于任何字段，也不属于任何大小已知的张量",
    })];
    page.ruler(out)?;
    while at < stop {
        let bytes = read(source, at, usize::try_from(stop.saturating_sub(at).min(4096)).unwrap_or(0))?;
        if bytes.is_empty() {
            break;
        }
        let next = at.saturating_add(bytes.len() as u64);
        // The last piece tells what is left.
        let folded = if next == stop { len.saturating_sub(shown) } else { 0 };
        let span = Span::new(at, (bytes.len() as u64).saturating_add(folded));
        page.bytes(out, &Bytes { span, shown: &bytes, style: FAINT }, std::mem::take(&mut words))?;
        at = next;
    }
    Ok(at > span.start)
}

impl<'a> Data<'a> {
    fn info(&self) -> Option<&'static TensorTypeInfo> {
        self.tensor.tensor_type.info()
    }

    /// The blocks that are shown when none were named: the first one, or of a type without blocks the first elements;
    /// all where nothing is to be folded.
    pub(super) fn first(&self) -> Range {
        match self.info() {
            _ if self.full => (0, u64::MAX),
            Some(info) if info.is_plain() => (0, 16),
            _ => (0, 1),
        }
    }

    fn block(&self, number: u64) -> Result<Block, Trouble> {
        let index = self.view.index();
        let place = blocks::place(index, self.tensor, number).map_err(Trouble::Place)?;
        let bytes = read(self.source, place.offset, usize::try_from(place.size).unwrap_or(0))?;
        let mut ordered = bytes.clone();
        to_little_endian(self.tensor.tensor_type, index.header().endian, &mut ordered);
        let parts = self.info().map(|info| readings(info, &ordered)).unwrap_or_default();
        Ok(Block { place, bytes, ordered, parts })
    }

    /// The blocks of a range that the tensor has. A range that begins past its end is an error.
    pub(super) fn range(&self, range: Range) -> Result<std::ops::Range<u64>, Trouble> {
        let count = blocks::block_count(self.view.index(), self.tensor).map_err(Trouble::Place)?;
        if range.0 >= count {
            return Err(Trouble::Place(blocks::PlaceError::OutOfRange { block: range.0, count }));
        }
        Ok(range.0..range.1.min(count))
    }

    /// Prints the blocks of a range. `apart` tells whether lines stand above.
    pub(super) fn print(&self, out: &mut Out, range: Range, apart: bool) -> Result<(), Trouble> {
        let range = self.range(range)?;
        let count = blocks::block_count(self.view.index(), self.tensor).map_err(Trouble::Place)?;
        let Some(info) = self.info() else { return Ok(()) };
        let index = self.view.index();
        let dims: Vec<String> = index.dims(self.tensor).iter().map(u64::to_string).collect();
        let name = out::fit(self.view.name(self.tensor).0, 80);
        let title = out.paint(Ink::Head, format!("tensors[{}] {name}", self.index));
        if apart {
            writeln!(out)?;
        }
        writeln!(out, "{title}  {} [{}]", info.name, dims.join(", "))?;
        let what = self.geometry(info, count);
        let what = out.paint(Ink::Faint, what);
        writeln!(out, "{what}")?;
        let last = index.data_span(self.tensor).map_or(0, |span| span.end());
        let page = Page::new(out, last);
        page.ruler(out)?;
        let first = range.start;
        for number in range {
            let block = self.block(number)?;
            if !info.is_plain() {
                self.title(out, &block.place, count)?;
            }
            self.parts(out, &page, info, &block, number == first)?;
            self.weights(out, info, &block)?;
            if (block.bytes.len() as u64) < block.place.size {
                let there = units::count(block.bytes.len() as u64);
                let text = match self.lang {
                    Lang::En => {
                        format!("the file ends here: {there} of {} bytes are there", block.place.size)
                    }
                    Lang::Zh => format!("文件到此为止：{} 字节中只有 {there} 字节", block.place.size),
                };
                let text = out.paint(Ink::Bad, text);
                writeln!(out, "{text}")?;
                break;
            }
        }
        Ok(())
    }

    fn geometry(&self, info: &TensorTypeInfo, count: u64) -> String {
        let bytes = units::count(count.saturating_mul(info.block_bytes.into()));
        let (n, elems, size) = (units::count(count), info.block_elems, info.block_bytes);
        match (self.lang, info.is_plain()) {
            (Lang::En, true) => format!("{n} elements of {size} bytes: {bytes} bytes"),
            (Lang::En, false) => {
                format!("{n} blocks of {size} bytes for {elems} elements: {bytes} bytes; {}", info.formula)
            }
            (Lang::Zh, true) => format!("{n} 个元素，各 {size} 字节：共 {bytes} 字节"),
            (Lang::Zh, false) => {
                format!("{n} 个块，每块 {size} 字节存 {elems} 个元素：共 {bytes} 字节；{}", info.formula)
            }
        }
    }

    fn title(&self, out: &mut Out, place: &Place, count: u64) -> io::Result<()> {
        let (first, last) = (place.first, place.first.saturating_add(place.elements).saturating_sub(1));
        let (block, row, span) = (place.block, place.row, place.span());
        let text = match self.lang {
            Lang::En => format!("block {block} of {count}"),
            Lang::Zh => format!("第 {block} 块（共 {count} 块）"),
        };
        let more = match self.lang {
            Lang::En => format!("row {row}, elements {first} to {last}; {span}"),
            Lang::Zh => format!("第 {row} 行，第 {first} 至 {last} 个元素；{span}"),
        };
        let (text, more) = (out.paint(Ink::Head, text), out.paint(Ink::Faint, more));
        writeln!(out, "\n{text}  {more}")
    }

    /// The members of a block. What their bits mean is said once, with the first block.
    fn parts(
        &self,
        out: &mut Out,
        page: &Page,
        info: &TensorTypeInfo,
        block: &Block,
        explain: bool,
    ) -> io::Result<()> {
        for read in &block.parts {
            let part = &read.part;
            let (from, to) = (part.offset as usize, (part.offset + part.bytes) as usize);
            let there = block.bytes.get(from..to.min(block.bytes.len())).unwrap_or_default();
            if there.is_empty() {
                continue;
            }
            let shown = if self.full || there.len() <= 64 { there } else { there.get(..48).unwrap_or(there) };
            let style = of_role(part.role);
            let start = block.place.offset.saturating_add(from as u64);
            let span = Span::new(start, there.len() as u64);
            let label = if info.is_plain() {
                format!("[{}][{}]  ", block.place.row, block.place.first)
            } else {
                format!("{}  ", part.name)
            };
            let mut words = vec![Run::new(style, label), Run::new(FAINT, unit(read))];
            for numbers in &read.numbers {
                self.numbers(&mut words, numbers, style);
            }
            if explain && !info.is_plain() {
                words.push(Run::plain("\n"));
                words.push(Run::new(FAINT, part.bits.get(self.lang)));
            }
            page.bytes(out, &Bytes { span, shown, style }, words)?;
        }
        Ok(())
    }

    fn numbers(&self, words: &mut Vec<Run>, numbers: &Numbers, style: anstyle::Style) {
        let most = if self.full { numbers.values.len() } else { 16 };
        let values = numbers.values.iter().take(most).map(|v| units::scalar_text(*v)).collect();
        match numbers.sym {
            Sym::Number(_) => words.push(Run::new(FAINT, " = ")),
            sym => words.push(Run::new(FAINT, format!("\n{} = ", sym.name()))),
        }
        words.push(Run::new(style, self.listed(values, numbers.values.len())));
    }

    /// Values in a row, and how many there are where some are left out.
    fn listed(&self, mut values: Vec<String>, all: usize) -> String {
        if values.len() < all {
            values.push(match self.lang {
                Lang::En => format!("… {all} in all"),
                Lang::Zh => format!("… 共 {all} 个"),
            });
        }
        values.join(" ")
    }

    /// What the block's elements come to, where that needs no codebook.
    fn weights(&self, out: &mut Out, info: &TensorTypeInfo, block: &Block) -> io::Result<()> {
        if info.is_plain() || (block.bytes.len() as u64) < block.place.size {
            return Ok(());
        }
        let most = if self.full { info.block_elems } else { info.block_elems.min(8) };
        let values: Option<Vec<String>> = (0..most)
            .map(|e| {
                blocks::work(info, &block.ordered, e)?
                    .value
                    .map(|w| units::scalar_text(Scalar::F32(rounded(w))))
            })
            .collect();
        let Some(values) = values else { return Ok(()) };
        let words = [Run::new(FAINT, "w = "), Run::plain(self.listed(values, info.block_elems as usize))];
        fill(&words, out.width()).iter().try_for_each(|line| print_line(out, line))
    }
}

/// What a member is made of: `f16`, `12 × u8`.
fn unit(read: &PartReading) -> String {
    let part = &read.part;
    let (name, n) = (part.unit.name(), part.bytes / part.unit.width());
    if n == 1 { name.to_owned() } else { format!("{n} × {name}") }
}

/// Four significant digits: a weight is no more exact than its code.
fn rounded(value: f32) -> f32 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

/// A tensor's blocks as JSON, read while they are written.
pub(super) struct Blocks<'a> {
    pub(super) data: Data<'a>,
    pub(super) range: std::ops::Range<u64>,
}

impl Serialize for Blocks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (data, index) = (&self.data, self.data.view.index());
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("index", &data.index)?;
        map.serialize_entry("name", &JsonText(data.view.name(data.tensor)))?;
        map.serialize_entry("type", &data.tensor.tensor_type.name())?;
        map.serialize_entry("shape", index.dims(data.tensor))?;
        map.serialize_entry("formula", &data.info().map(|info| info.formula))?;
        map.serialize_entry("blocks", &BlockList(self))?;
        map.end()
    }
}

struct BlockList<'b, 'a>(&'b Blocks<'a>);

impl Serialize for BlockList<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Blocks { data, range } = self.0;
        let mut seq = serializer.serialize_seq(None)?;
        for number in range.clone() {
            let block = data.block(number).map_err(|trouble| S::Error::custom(trouble.to_string()))?;
            let there = block.bytes.len() as u64;
            seq.serialize_element(&JsonBlock { block: &block, lang: data.lang })?;
            if there < block.place.size {
                break;
            }
        }
        seq.end()
    }
}

struct JsonBlock<'a> {
    block: &'a Block,
    lang: Lang,
}

impl Serialize for JsonBlock<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Block { place, bytes, parts, .. } = self.block;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("block", &place.block)?;
        map.serialize_entry("row", &place.row)?;
        map.serialize_entry("first_element", &place.first)?;
        map.serialize_entry("elements", &place.elements)?;
        map.serialize_entry("offset", &place.offset)?;
        map.serialize_entry("size", &place.size)?;
        // Less than the size where the file ends.
        map.serialize_entry("read", &bytes.len())?;
        let parts: Vec<JsonPart<'_>> =
            parts.iter().map(|read| JsonPart { read, at: place.offset, lang: self.lang }).collect();
        map.serialize_entry("parts", &parts)?;
        map.end()
    }
}

struct JsonPart<'a> {
    read: &'a PartReading,
    at: u64,
    lang: Lang,
}

impl Serialize for JsonPart<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let part = &self.read.part;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", part.name)?;
        map.serialize_entry("offset", &self.at.saturating_add(part.offset.into()))?;
        map.serialize_entry("size", &part.bytes)?;
        map.serialize_entry("unit", part.unit.name())?;
        map.serialize_entry("meaning", part.bits.get(self.lang))?;
        for numbers in &self.read.numbers {
            let values: Vec<JsonScalar> = numbers.values.iter().map(|v| JsonScalar(*v)).collect();
            match (numbers.sym, values.first()) {
                (Sym::Number(_), Some(one)) => map.serialize_entry("value", one)?,
                (sym, _) => map.serialize_entry(sym.name(), &values)?,
            }
        }
        map.end()
    }
}
