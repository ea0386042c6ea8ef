//! The dump for a person: columns, as wide as the terminal.

use std::io::{self, Write as _};
use std::ops::ControlFlow;

use ggufkit::format::{Escaped, shorten};
use ggufkit::inspect::dump::{FileDump, HeaderEntry, KvEntry, TensorEntry};
use ggufkit::inspect::tensors::Sizing;
use ggufkit::inspect::{type_label, units};

use super::fold::Fold;
use super::text::{self, Limits};
use crate::out::{Ink, Out, columns, pad, pad_left};

/// Columns of the keys at most; a longer key pushes its value to the right or to the next line.
const KEY: usize = 40;
/// Columns of the shapes at most.
const SHAPE: usize = 24;
/// Dimensions that are shown; ggml has at most 4.
const DIMS: usize = 8;
/// Characters of a key or name that are shown; longer ones are cut with a mark.
const LONGEST_NAME: usize = 1000;

/// Writes one file's table.
///
/// # Errors
/// The output's.
pub(super) fn file(out: &mut Out, label: &str, dump: &FileDump<'_>, limits: Limits) -> io::Result<()> {
    out.heading(label)?;
    if let Some(header) = dump.header() {
        self::header(out, dump, &header)?;
    }
    if dump.select().metadata {
        metadata(out, dump, limits)?;
    }
    if dump.select().tensors {
        tensors(out, dump)?;
    }
    anomalies(out, dump)
}

fn header(out: &mut Out, dump: &FileDump<'_>, header: &HeaderEntry) -> io::Result<()> {
    let mut line = |word: &str, text: String| {
        let word = out.paint(Ink::Faint, pad(word, 10));
        writeln!(out, "  {word} {text}")
    };
    let dialect = match header.dialect.as_str() {
        "standard" => String::new(),
        other => format!(", mis-written layout {other}"),
    };
    line("format", format!("GGUF version {}, {}-endian{dialect}", header.version, header.endian))?;
    match dump.size {
        Some(size) if size >= 1024 => {
            line("size", format!("{} bytes ({})", units::count(size), units::bytes(size)))?;
        }
        Some(size) => line("size", format!("{size} bytes"))?,
        None => line("size", "not known".to_owned())?,
    }
    line("head", format!("{:#x}..{:#x}", header.base, header.head_end))?;
    let source = match header.alignment_source {
        "default" => "the default",
        "key" => "general.alignment",
        "unusable-key" => "the default, for general.alignment cannot be used",
        _ => "the header",
    };
    let data = match header.data_start {
        Some(start) => format!("from {start:#x}"),
        None => "not reached".to_owned(),
    };
    line("data", format!("{data}, aligned to {} ({source})", header.alignment))?;
    let read = dump.view().map_or((0, 0), |view| (view.index().kvs().len(), view.index().tensors().len()));
    let of = |read: usize, declared: u64| match read as u64 == declared {
        true => units::count(declared),
        false => format!("{} read of {} declared", units::count(read as u64), units::count(declared)),
    };
    line("key-values", of(read.0, header.kv_count))?;
    line("tensors", of(read.1, header.tensor_count))
}

/// Widths of the columns before the key or name.
#[derive(Clone, Copy, Default)]
struct Widths {
    offset: usize,
    size: usize,
    ty: usize,
    shape: usize,
    name: usize,
}

/// The namespace of a key: its first segment, where it has more than one.
fn namespace<'k>(entry: &KvEntry<'k>) -> &'k [u8] {
    let key = entry.key.as_bytes();
    key.iter().position(|&b| b == b'.').and_then(|dot| key.get(..dot)).unwrap_or_default()
}

fn metadata(out: &mut Out, dump: &FileDump<'_>, limits: Limits) -> io::Result<()> {
    let mut wide =
        Widths { offset: "offset".len(), size: "bytes".len(), ty: "type".len(), ..Widths::default() };
    let mut count = 0_u64;
    for entry in dump.metadata() {
        count += 1;
        wide.offset = wide.offset.max(format!("{:#x}", entry.kv.span.start).len());
        wide.size = wide.size.max(units::count(entry.kv.span.len).len());
        wide.ty = wide.ty.max(type_label(entry.kv).len());
        wide.name = wide.name.max(columns(&name(entry.key.as_bytes()))).min(KEY);
    }
    // In a narrow terminal short values stay beside their keys at the price of a straight edge.
    let left = out.width().saturating_sub(2 + wide.offset + wide.size + wide.ty + 6);
    wide.name = wide.name.min((left / 2).max(16));
    writeln!(out)?;
    section(out, "Metadata", count, dump.view().map_or(0, |view| view.index().kvs().len() as u64))?;
    if count == 0 {
        return Ok(());
    }
    let titles = [
        pad_left("offset", wide.offset),
        pad_left("bytes", wide.size),
        pad("type", wide.ty),
        pad("key", wide.name),
        "value".to_owned(),
    ];
    self::titles(out, &titles.join("  "))?;
    let mut last = None;
    for entry in dump.metadata() {
        let space = namespace(&entry);
        if last.replace(space).is_none_or(|last| last != space) && !space.is_empty() {
            group(out, &shorten(space, 60))?;
        }
        key_value(out, &entry, wide, limits)?;
    }
    Ok(())
}

/// The number of what a section shows, and of what there is when that is more.
fn section(out: &mut Out, title: &str, shown: u64, all: u64) -> io::Result<()> {
    let title = out.paint(Ink::Head, title);
    let count = match shown == all {
        true => format!("({})", units::count(all)),
        false => format!("({} of {})", units::count(shown), units::count(all)),
    };
    let count = out.paint(Ink::Faint, count);
    writeln!(out, "{title} {count}")
}

/// The titles of the columns, where a line can hold them.
fn titles(out: &mut Out, titles: &str) -> io::Result<()> {
    if columns(titles) + 2 > out.width() {
        return Ok(());
    }
    let titles = out.paint(Ink::Faint, titles.trim_end());
    writeln!(out, "  {titles}")
}

fn group(out: &mut Out, name: &str) -> io::Result<()> {
    let name = out.paint(Ink::Head, name);
    writeln!(out, " {name}")
}

fn key_value(out: &mut Out, entry: &KvEntry<'_>, wide: Widths, limits: Limits) -> io::Result<()> {
    let width = out.width();
    let mut at = 2;
    for (ink, text, column) in [
        (Ink::Faint, pad_left(&format!("{:#x}", entry.kv.span.start), wide.offset), wide.offset),
        (Ink::Faint, pad_left(&units::count(entry.kv.span.len), wide.size), wide.size),
        (Ink::Type, pad(&type_label(entry.kv), wide.ty), wide.ty),
    ] {
        let lead = if at == 2 { "  " } else { "" };
        let text = out.paint(ink, text);
        write!(out, "{lead}{text}  ")?;
        at += column + 2;
    }
    let key = name(entry.key.as_bytes());
    let mut keys = Fold::new(at, width, at);
    keys.add(out, Ink::Key, &key)?;
    // On the key's line if all of it fits there, else below, with as much room as a line can give.
    let value_at = at + columns(&key).max(wide.name) + 2;
    let mut left = width.saturating_sub(value_at);
    let fits = text::entry(entry, limits, &mut |_, piece| match left.checked_sub(columns(piece)) {
        Some(rest) => {
            left = rest;
            ControlFlow::Continue(())
        }
        None => ControlFlow::Break(()),
    });
    let mut fold = if fits.is_continue() {
        let gap = value_at - at - columns(&key);
        write!(out, "{:gap$}", "")?;
        Fold::new(value_at, width, value_at)
    } else {
        let indent = if width.saturating_sub(at) >= 40 { at + 2 } else { 8 };
        write!(out, "\n{:indent$}", "")?;
        Fold::new(indent, width, indent)
    };
    let mut result = Ok(());
    let _ = text::entry(entry, limits, &mut |ink, piece| {
        result = fold.add(out, ink, piece);
        if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    result?;
    writeln!(out)
}

/// A key or name whole, or with a mark where it is beyond all reason; in quotes where its own blanks or quotes could
/// pass for another column.
fn name(bytes: &[u8]) -> String {
    let cut = bytes.len() > LONGEST_NAME && columns(&shorten(bytes, LONGEST_NAME + 1)) > LONGEST_NAME;
    let shown = if cut { shorten(bytes, LONGEST_NAME) } else { Escaped(bytes).to_string() };
    let quoted = bytes.is_empty() || shown.contains(|c: char| c == '"' || c.is_whitespace());
    let shown = if quoted { format!("\"{}\"", shown.replace('"', "\\\"")) } else { shown };
    if cut { format!("{shown} ({} bytes)", units::count(bytes.len() as u64)) } else { shown }
}

fn shape(dims: &[u64]) -> String {
    let mut shown: Vec<String> = dims.iter().take(DIMS).map(u64::to_string).collect();
    if dims.len() > DIMS {
        shown.push(format!("… {} more", dims.len() - DIMS));
    }
    format!("[{}]", shown.join(", "))
}

fn tensors(out: &mut Out, dump: &FileDump<'_>) -> io::Result<()> {
    let mut wide = Widths {
        offset: "data at".len(),
        size: "bytes".len(),
        ty: "type".len(),
        shape: "shape".len(),
        ..Widths::default()
    };
    let mut count = 0;
    for TensorEntry(row) in dump.tensors() {
        count += 1;
        wide.offset = wide.offset.max(position(row.data).len());
        wide.size = wide.size.max(columns(&size(row.size, row.sizing)));
        wide.ty = wide.ty.max(row.tensor_type().to_string().len());
        wide.shape = wide.shape.max(columns(&shape(row.dims))).min(SHAPE);
    }
    writeln!(out)?;
    let all = dump.view().map_or(0, |view| view.index().tensors().len() as u64);
    section(out, "Tensors", count, all)?;
    if count == 0 {
        return Ok(());
    }
    let titles = [
        pad_left("data at", wide.offset),
        pad_left("bytes", wide.size),
        pad("type", wide.ty),
        pad("shape", wide.shape),
        "name".to_owned(),
    ];
    self::titles(out, &titles.join("  "))?;
    let mut last = None;
    for TensorEntry(row) in dump.tensors() {
        if let Some(layer) = row.layer
            && last != Some(layer)
        {
            group(out, &format!("block {layer}"))?;
        } else if row.layer.is_none() && last.is_some() {
            group(out, "outside the blocks")?;
        }
        last = row.layer;
        let offset = out.paint(Ink::Faint, pad_left(&position(row.data), wide.offset));
        let bytes = out.paint(Ink::Number, pad_left(&size(row.size, row.sizing), wide.size));
        let ty = out.paint(Ink::Type, pad(&row.tensor_type().to_string(), wide.ty));
        write!(out, "  {offset}  {bytes}  {ty}  ")?;
        let mut at = 2 + wide.offset + wide.size + wide.ty + 6;
        let dims = pad(&shape(row.dims), wide.shape);
        if at + columns(&dims) > out.width() {
            write!(out, "\n{:8}", "")?;
            at = 8;
        }
        write!(out, "{}  ", out.paint(Ink::Number, &dims))?;
        at += columns(&dims) + 2;
        // A name stands beside its shape or, where that leaves it too little room, below.
        let text = name(row.name.as_bytes());
        let mut fold = if at + columns(&text) <= out.width() || out.width() >= at + 30 {
            Fold::new(at, out.width(), at)
        } else {
            write!(out, "\n{:8}", "")?;
            Fold::new(8, out.width(), 8)
        };
        fold.add(out, Ink::Key, &text)?;
        writeln!(out)?;
    }
    Ok(())
}

fn position(at: Option<u64>) -> String {
    at.map_or_else(|| "?".to_owned(), |at| format!("{at:#x}"))
}

/// A size as sure as it is: one that was inferred is an upper bound.
fn size(size: Option<u64>, sizing: Sizing) -> String {
    match (size, sizing) {
        (Some(size), Sizing::Exact) => units::count(size),
        (Some(size), _) => format!("≤{}", units::count(size)),
        (None, _) => "?".to_owned(),
    }
}

fn anomalies(out: &mut Out, dump: &FileDump<'_>) -> io::Result<()> {
    let count = dump.anomalies().count() as u64;
    if count == 0 {
        return Ok(());
    }
    writeln!(out)?;
    section(out, "Oddities", count, count + dump.anomalies_left_out())?;
    for anomaly in dump.anomalies() {
        let anomaly = anomaly.0;
        let at = out.paint(Ink::Faint, format!("{:#x}", anomaly.span.start));
        let path = out.paint(Ink::Key, &anomaly.path);
        let message = out.paint(Ink::Warn, &anomaly.kind);
        writeln!(out, "  {at}  {path}: {message}")?;
    }
    Ok(())
}
