//! Bytes of a file, and what they are.

use std::io;

use ggufkit_format::spec::{Lang, PartRole};
use ggufkit_format::{Detail, Field, KvPart, Path, Span, TensorPart, View, shorten};
use ggufkit_inspect::blocks::{self, Sym, readings, to_little_endian};
use ggufkit_inspect::hex::{Kind, Notes};
use ggufkit_inspect::regions::{RegionKind, regions};
use ggufkit_inspect::tensors::Table;
use ggufkit_inspect::{Model, units};
use serde::Serialize;

use super::query::Query;
use super::refusal::Refusal;
use super::session::{File, Session};
use super::shape::base64;
use super::zh::Said;
use super::{Answer, MAX_BYTES, json};

/// Fields of one answer; what lies behind is told as a whole.
const MAX_FIELDS: usize = 6000;
/// Characters of a name.
const NAME: usize = 120;

#[derive(Serialize)]
struct Bytes {
    file: usize,
    start: u64,
    end: u64,
    data: String,
    fields: Vec<Told>,
    /// Not all fields are told: there are too many.
    more: bool,
}

/// A field of the head, a member of a block, or a stretch that is neither.
#[derive(Serialize)]
struct Told {
    path: String,
    start: u64,
    end: u64,
    kind: String,
    #[serde(rename = "type", skip_serializing_if = "String::is_empty")]
    ty: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    value: String,
    /// The key or tensor that it belongs to.
    #[serde(skip_serializing_if = "String::is_empty")]
    name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    meaning: String,
}

impl Told {
    fn plain(path: &str, span: Span, kind: &str) -> Self {
        Self {
            path: path.to_owned(),
            start: span.start,
            end: span.end(),
            kind: kind.to_owned(),
            ty: String::new(),
            value: String::new(),
            name: String::new(),
            meaning: String::new(),
        }
    }
}

pub(super) fn bytes(session: &Session, query: &Query<'_>) -> Answer {
    let (number, file) = session.file(query)?;
    let start: u64 = query.number("start")?;
    let length = query.count("length", MAX_BYTES, ("bytes", "字节"))?;
    let lang = query.lang()?;
    let end = start.saturating_add(length).min(file.length());
    if start > file.length() {
        return Err(Refusal::not_found(("the file ends before this position", "文件在此位置之前就结束了")));
    }
    let span = Span::between(start, end);
    let data = file.read(span);
    // Of a file that was written to, its end included, that is the answer and not what came of it.
    file.unchanged()?;
    let data = data?;
    let span = Span::new(start, data.len() as u64);
    let mut fields = Vec::new();
    if !span.is_empty() {
        of_head(file, span, lang, &mut fields);
        of_rest(file, span, lang, &mut fields)?;
    }
    let more = fields.len() > MAX_FIELDS;
    fields.truncate(MAX_FIELDS);
    json(&Bytes { file: number, start, end: span.end(), data: base64(&data), fields, more })
}

/// The fields of the head that meet a span.
fn of_head(file: &File, span: Span, lang: Lang, out: &mut Vec<Told>) {
    let Some(view) = file.view() else { return };
    let data = view.index().data_start().unwrap_or(view.index().head_end());
    if span.start >= data || span.end() <= view.index().header().base {
        return;
    }
    let mut notes = Notes::new(view, lang);
    let fields = view.fields_from(Detail::All, span.start).skip_while(|field| field.span.end() <= span.start);
    for field in fields.take_while(|field| field.span.start < span.end()) {
        // What could not be parsed is a region of its own, which goes on to the end of the file.
        if matches!(field.path, Path::Unparsed) || field.span.is_empty() {
            continue;
        }
        if out.len() > MAX_FIELDS {
            return;
        }
        let note = notes.note(&field);
        out.push(Told {
            path: field.path.to_string(),
            start: field.span.start,
            end: field.span.end(),
            kind: word(Kind::of(&field)),
            ty: note.ty,
            value: note.value,
            name: owner(&view, &field),
            meaning: note.meaning,
        });
    }
}

/// A kind as documents write it.
pub(super) fn word(kind: Kind) -> String {
    serde_json::to_value(kind).ok().and_then(|kind| kind.as_str().map(str::to_owned)).unwrap_or_default()
}

/// The key or tensor that a field belongs to.
pub(super) fn owner(view: &View<'_>, field: &Field<'_>) -> String {
    let index = view.index();
    let name = match &field.path {
        Path::Kv { part: KvPart::KeyLength, .. } | Path::Tensor { part: TensorPart::NameLength, .. } => None,
        Path::Kv { index: at, .. } => {
            usize::try_from(*at).ok().and_then(|at| index.kvs().get(at)).map(|kv| view.key(kv))
        }
        Path::Tensor { index: at, .. } => {
            usize::try_from(*at).ok().and_then(|at| index.tensors().get(at)).map(|tensor| view.name(tensor))
        }
        _ => None,
    };
    name.map(|name| shorten(name.0, NAME)).unwrap_or_default()
}

/// What meets a span outside of the head.
fn of_rest(file: &File, span: Span, lang: Lang, out: &mut Vec<Told>) -> Result<(), Refusal> {
    let Some(mut part) = file.part() else {
        out.push(Told::plain("unparsed", Span::new(0, file.length()), "unparsed"));
        return Ok(());
    };
    part.size = Some(file.length());
    let view = part.view;
    let head = view.index().data_start().unwrap_or(view.index().head_end());
    let all = regions(&part, &Table::new(&Model::single(part)), 0, usize::MAX);
    let meets = |other: Span| other.start < span.end() && span.start < other.end();
    for region in all.into_iter().filter(|region| meets(region.span)) {
        let (path, kind) = match region.kind {
            RegionKind::Before => ("before", "before"),
            RegionKind::Padding if region.span.start >= head => ("padding", "padding"),
            RegionKind::Gap => ("gap", "gap"),
            RegionKind::Trailing => ("trailing", "trailing"),
            RegionKind::Unread => ("unparsed", "unparsed"),
            RegionKind::Tensor => {
                if let Some(index) = region.index {
                    of_tensor(file, &view, index, region.span, span, lang, out)?;
                }
                continue;
            }
            _ => continue,
        };
        out.push(Told::plain(path, region.span, kind));
    }
    out.sort_by_key(|told| told.start);
    Ok(())
}

/// The members of the blocks of a tensor that meet a span, or its elements where they stand alone.
fn of_tensor(
    file: &File,
    view: &View<'_>,
    index: usize,
    own: Span,
    span: Span,
    lang: Lang,
    out: &mut Vec<Told>,
) -> Result<(), Refusal> {
    let Some(tensor) = view.index().tensors().get(index) else { return Ok(()) };
    let name = shorten(view.name(tensor).0, NAME);
    let whole = |out: &mut Vec<Told>| {
        let mut told = Told::plain(&format!("tensors[{index}].data"), own, "data");
        told.name.clone_from(&name);
        told.ty = tensor.tensor_type.to_string();
        out.push(told);
    };
    let info = tensor.tensor_type.info().filter(|info| info.block_bytes > 0);
    let (Some(info), Some(start)) = (info, view.index().data_position(tensor)) else {
        whole(out);
        return Ok(());
    };
    let size = u64::from(info.block_bytes);
    let (from, to) = (span.start.max(own.start), span.end().min(own.end()));
    let (first, last) = (from.saturating_sub(start) / size, to.saturating_sub(start).div_ceil(size));
    let blocks = last.saturating_sub(first);
    let each = info.parts.len().max(1) as u64;
    if blocks.saturating_mul(each) > (MAX_FIELDS / 2) as u64 {
        whole(out);
        return Ok(());
    }
    let at = |block: u64| start.saturating_add(block.saturating_mul(size));
    let bytes = file.read(Span::between(at(first), at(last)))?;
    for (block, raw) in (first..last).zip(bytes.chunks(info.block_bytes as usize)) {
        let mut ordered = raw.to_vec();
        to_little_endian(tensor.tensor_type, view.index().header().endian, &mut ordered);
        for read in readings(info, &ordered) {
            let part = read.part;
            let whole = Span::new(at(block).saturating_add(part.offset.into()), part.bytes.into());
            // A tensor may end within a block, and another may begin over its last one.
            let place = Span::between(whole.start, whole.end().min(own.end()));
            if place.is_empty() || place.end() <= span.start || place.start >= span.end() {
                continue;
            }
            let path = match info.is_plain() {
                true => format!("tensors[{index}].data[{block}]"),
                false => format!("tensors[{index}].data.block[{block}].{}", part.name),
            };
            let mut told = Told::plain(&path, place, role(part.role));
            let count = part.bytes / part.unit.width().max(1);
            told.ty = match count {
                1 => part.unit.name().to_owned(),
                n => format!("{n} x {}", part.unit.name()),
            };
            if let Some(number) = read.numbers.iter().find(|one| matches!(one.sym, Sym::Number(_))) {
                told.value =
                    number.values.first().map(|value| units::scalar_text(*value)).unwrap_or_default();
            }
            if !info.is_plain() {
                told.meaning = part.bits.get(lang).to_owned();
            }
            told.name.clone_from(&name);
            out.push(told);
        }
    }
    Ok(())
}

/// What a member of a block is for, in one word.
pub(super) const fn role(role: PartRole) -> &'static str {
    match role {
        PartRole::Value => "value",
        PartRole::Scale => "scale",
        PartRole::Min => "min",
        PartRole::Scales => "scales",
        PartRole::Quants => "quants",
        PartRole::HighBits => "high-bits",
        PartRole::Signs => "signs",
        PartRole::Sums => "sums",
    }
}

/// Bytes of a block, in little-endian order, and as they stand in the file.
pub(super) fn block(
    file: &File,
    view: &View<'_>,
    tensor: &ggufkit_format::Tensor,
    number: u64,
) -> Result<(blocks::Place, Vec<u8>, Vec<u8>), Refusal> {
    let place = blocks::place(view.index(), tensor, number).map_err(|error| match error {
        blocks::PlaceError::OutOfRange { .. } => Refusal::not_found(Said::of(&error.to_string())),
        _ => Refusal::unsupported(Said::of(&error.to_string())),
    })?;
    let len = usize::try_from(place.size)
        .map_err(|_| Refusal::malformed(("the block is larger than memory", "块比内存还大")))?;
    let mut raw = vec![0; len];
    let read = Session::read_exact(file, &mut raw, place.offset);
    file.unchanged()?;
    read.map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => {
            Refusal::malformed(("the file ends before this block does", "文件在此块结束之前就结束了"))
        }
        _ => Refusal::io(&error),
    })?;
    let mut ordered = raw.clone();
    to_little_endian(tensor.tensor_type, view.index().header().endian, &mut ordered);
    Ok((place, raw, ordered))
}
