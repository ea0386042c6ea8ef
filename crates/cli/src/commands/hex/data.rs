//! A tensor's data, block by block.

use std::io::{self, Write as _};

use ggufkit::format::spec::{Lang, TensorTypeInfo};
use ggufkit::format::{Endian, ReadAt, Scalar, Tensor, View};
use ggufkit::inspect::blocks::{self, Numbers, PartReading, Place, Sym, readings, to_little_endian};
use ggufkit::inspect::json::{JsonScalar, JsonText};
use ggufkit::inspect::units;
use ggufkit::io::FileSource;
use serde::ser::{Serialize, SerializeMap as _, Serializer};

use super::page::{Bytes, Page};
use super::palette::{FAINT, of_role};
use crate::commands::explain::wrap::Run;
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
    parts: Vec<PartReading>,
}

/// Why there is nothing to show.
pub(super) enum Trouble {
    /// There is no such block.
    Place(blocks::PlaceError),
    /// The system refused, or the output did.
    Io(io::Error),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl<'a> Data<'a> {
    fn info(&self) -> Option<&'static TensorTypeInfo> {
        self.tensor.tensor_type.info()
    }

    /// The blocks that are shown when none were named: the first one, or of a type without blocks the first elements.
    pub(super) fn first(&self) -> Range {
        if self.info().is_some_and(TensorTypeInfo::is_plain) { (0, 16) } else { (0, 1) }
    }

    fn block(&self, number: u64) -> Result<Block, Trouble> {
        let index = self.view.index();
        let place = blocks::place(index, self.tensor, number).map_err(Trouble::Place)?;
        let mut bytes = vec![0; usize::try_from(place.size).unwrap_or(0)];
        let mut there = 0;
        while there < bytes.len() {
            let at = place.offset.saturating_add(there as u64);
            match self.source.read_at(bytes.get_mut(there..).unwrap_or_default(), at)? {
                0 => break,
                n => there += n,
            }
        }
        bytes.truncate(there);
        let mut ordered = bytes.clone();
        if index.header().endian == Endian::Big {
            to_little_endian(self.tensor.tensor_type, Endian::Big, &mut ordered);
        }
        let parts = self.info().map(|info| readings(info, &ordered)).unwrap_or_default();
        Ok(Block { place, bytes, parts })
    }

    /// The blocks of a range that the tensor has. A range that begins past its end is an error.
    fn range(&self, range: Range) -> Result<std::ops::Range<u64>, Trouble> {
        let count = blocks::block_count(self.view.index(), self.tensor).map_err(Trouble::Place)?;
        if range.0 >= count {
            return Err(Trouble::Place(blocks::PlaceError::OutOfRange { block: range.0, count }));
        }
        Ok(range.0..range.1.min(count))
    }

    /// Prints the blocks of a range.
    pub(super) fn print(&self, out: &mut Out, range: Range) -> Result<(), Trouble> {
        let range = self.range(range)?;
        let count = blocks::block_count(self.view.index(), self.tensor).map_err(Trouble::Place)?;
        let Some(info) = self.info() else { return Ok(()) };
        let index = self.view.index();
        let dims: Vec<String> = index.dims(self.tensor).iter().map(u64::to_string).collect();
        let name = out::fit(self.view.name(self.tensor).0, 80);
        let title = out.paint(Ink::Head, format!("tensors[{}] {name}", self.index));
        writeln!(out, "\n{title}  {} [{}]", info.name, dims.join(", "))?;
        let what = self.geometry(info, count);
        let what = out.paint(Ink::Faint, what);
        writeln!(out, "{what}")?;
        let last = index.data_span(self.tensor).map_or(0, |span| span.end());
        let page = Page::new(out, last);
        page.ruler(out)?;
        for number in range {
            let block = self.block(number)?;
            if !info.is_plain() {
                self.title(out, &block.place, count)?;
            }
            self.parts(out, &page, info, &block)?;
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

    fn parts(&self, out: &mut Out, page: &Page, info: &TensorTypeInfo, block: &Block) -> io::Result<()> {
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
            let span = ggufkit::format::Span::new(start, there.len() as u64);
            let label = if info.is_plain() {
                format!("[{}][{}]  ", block.place.row, block.place.first)
            } else {
                format!("{}  ", part.name)
            };
            let mut words = vec![Run::new(style, label), Run::new(FAINT, unit(read))];
            for (i, numbers) in read.numbers.iter().enumerate() {
                self.numbers(&mut words, numbers, style, i > 0);
            }
            if !info.is_plain() {
                words.push(Run::plain("\n"));
                words.push(Run::new(FAINT, part.bits.get(self.lang)));
            }
            page.bytes(out, &Bytes { span, shown, style }, &words)?;
        }
        Ok(())
    }

    fn numbers(&self, words: &mut Vec<Run>, numbers: &Numbers, style: anstyle::Style, new_line: bool) {
        let most = if self.full { numbers.values.len() } else { 16 };
        let mut values: Vec<String> = numbers.values.iter().take(most).map(|v| text(*v)).collect();
        if numbers.values.len() > most {
            values.push(match self.lang {
                Lang::En => format!("… {} in all", numbers.values.len()),
                Lang::Zh => format!("… 共 {} 个", numbers.values.len()),
            });
        }
        if new_line {
            words.push(Run::plain("\n"));
        }
        match numbers.sym {
            Sym::Number(_) => words.push(Run::new(FAINT, " = ")),
            sym => words.push(Run::new(FAINT, format!(" {} = ", sym.name()))),
        }
        words.push(Run::new(style, values.join(" ")));
    }
}

/// What a member is made of: `f16`, `12 × u8`.
fn unit(read: &PartReading) -> String {
    let part = &read.part;
    let (name, n) = (super::unit_name(part.unit), part.bytes / part.unit.width());
    if n == 1 { name.to_owned() } else { format!("{n} × {name}") }
}

/// A number in the shortest digits that give it back.
fn text(value: Scalar) -> String {
    match (value.as_integer(), value) {
        (Some(n), _) => n.to_string(),
        (None, Scalar::F16(bits)) => ggufkit::format::f16_to_f32(bits).to_string(),
        (None, Scalar::F32(v)) => short(v.to_string(), || format!("{v:e}")),
        (None, Scalar::F64(v)) => short(v.to_string(), || format!("{v:e}")),
        (None, _) => String::new(),
    }
}

/// The number, with an exponent where it is shorter so.
fn short(plain: String, exponent: impl FnOnce() -> String) -> String {
    if plain.len() > 12 {
        let other = exponent();
        if other.len() < plain.len() { other } else { plain }
    } else {
        plain
    }
}

/// The blocks as JSON.
pub(super) fn json(data: &Data<'_>, range: Range) -> Result<serde_json::Value, Trouble> {
    let mut all = Vec::new();
    for number in data.range(range)? {
        let block = data.block(number)?;
        all.push(serde_json::json!({
            "block": block.place.block,
            "row": block.place.row,
            "first_element": block.place.first,
            "elements": block.place.elements,
            "offset": block.place.offset,
            "size": block.place.size,
            "read": block.bytes.len(),
            "parts": block.parts.iter().map(|p| JsonPart { read: p, at: block.place.offset, lang: data.lang }).collect::<Vec<_>>(),
        }));
    }
    let index = data.view.index();
    Ok(serde_json::json!({
        "index": data.index,
        "name": JsonText(data.view.name(data.tensor)),
        "type": data.tensor.tensor_type.name(),
        "shape": index.dims(data.tensor),
        "formula": data.info().map(|info| info.formula),
        "blocks": all,
    }))
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
        map.serialize_entry("unit", super::unit_name(part.unit))?;
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
