//! The dump as tables of GitHub's Markdown: header, metadata, tensors block by block, the mix of types.
//!
//! Whatever a file brings stays inside its cell and is text there: no markup, no link, no HTML, no line of its own.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::ops::ControlFlow;

use ggufkit::format::{Escaped, shorten};
use ggufkit::inspect::dump::{FileDump, TensorEntry};
use ggufkit::inspect::tensors::{Row, Sizing, Totals, mix};
use ggufkit::inspect::{type_label, units};

use super::text::{self, Limits};
use crate::out::{Ink, Out};

/// Characters of a key or name that are shown; longer ones are cut with a mark.
const LONGEST_NAME: usize = 1000;

/// Writes one file's tables.
///
/// # Errors
/// The output's.
pub(super) fn file(out: &mut Out, label: &str, dump: &FileDump<'_>, limits: Limits) -> io::Result<()> {
    writeln!(out, "# {}\n", literal(label))?;
    header(out, dump)?;
    if dump.select().metadata {
        metadata(out, dump, limits)?;
    }
    if dump.select().tensors {
        tensors(out, dump)?;
    }
    anomalies(out, dump)?;
    if let Some(error) = &dump.error {
        let message = error.get("message").and_then(serde_json::Value::as_str).unwrap_or_default();
        writeln!(out, "\n**The file could not be read to its end:** {}", literal(message))?;
    }
    Ok(())
}

fn header(out: &mut Out, dump: &FileDump<'_>) -> io::Result<()> {
    let Some(header) = dump.header() else { return Ok(()) };
    let size =
        dump.size.map_or_else(|| "not known".to_owned(), |size| format!("{} bytes", units::count(size)));
    let data = header.data_start.map_or_else(|| "not reached".to_owned(), |at| format!("`{at:#x}`"));
    let rows = [
        ("Format", format!("GGUF version {}, {}-endian", header.version, header.endian)),
        ("Layout", header.dialect.clone()),
        ("File size", size),
        ("Head", format!("`{:#x}` to `{:#x}`", header.base, header.head_end)),
        ("Data from", data),
        ("Alignment", format!("{} ({})", header.alignment, header.alignment_source)),
        ("Key-values", units::count(header.kv_count)),
        ("Tensors", units::count(header.tensor_count)),
    ];
    writeln!(out, "| Header | |\n|:--|:--|")?;
    for (name, value) in rows {
        writeln!(out, "| {name} | {value} |")?;
    }
    Ok(())
}

fn metadata(out: &mut Out, dump: &FileDump<'_>, limits: Limits) -> io::Result<()> {
    writeln!(out, "\n## Metadata\n")?;
    let mut first = true;
    for entry in dump.metadata() {
        if std::mem::take(&mut first) {
            writeln!(out, "| # | Key | Type | Offset | Bytes | Value |\n|--:|:--|:--|--:|--:|:--|")?;
        }
        let kv = entry.kv;
        write!(
            out,
            "| {} | {} | {} | `{:#x}` | {} | ",
            entry.index,
            code(&name(entry.key.as_bytes())),
            literal(&type_label(kv)),
            kv.span.start,
            units::count(kv.span.len),
        )?;
        // Code for what the file says; plain for our marks, so that no text can pass for one. A long text comes in several
        // pieces and must be one stretch of code.
        let mut stretch = (false, String::new());
        let mut result = Ok(());
        let _ = text::entry(&entry, limits, &mut |ink, piece| {
            let files = matches!(ink, Ink::Text | Ink::Number);
            if files != stretch.0 {
                result = write!(out, "{}", cell(&stretch));
                stretch = (files, String::new());
            }
            stretch.1.push_str(piece);
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        result?;
        write!(out, "{}", cell(&stretch))?;
        writeln!(out, " |")?;
    }
    if first {
        writeln!(out, "None.")?;
    }
    Ok(())
}

fn tensors(out: &mut Out, dump: &FileDump<'_>) -> io::Result<()> {
    writeln!(out, "\n## Tensors")?;
    let mut here: Option<(Option<u64>, Totals)> = None;
    for TensorEntry(row) in dump.tensors() {
        match &mut here {
            Some((layer, totals)) if *layer == row.layer => totals.add(&row),
            before => {
                if let Some((_, totals)) = before {
                    group_end(out, totals)?;
                }
                let mut totals = Totals::default();
                totals.add(&row);
                *before = Some((row.layer, totals));
                match row.layer {
                    Some(layer) => writeln!(out, "\n### Block {layer}\n")?,
                    None => writeln!(out, "\n### Outside the blocks\n")?,
                }
                writeln!(out, "| # | Name | Type | Shape | Elements | Data at | Bytes | Bits per weight |")?;
                writeln!(out, "|--:|:--|:--|:--|--:|--:|--:|--:|")?;
            }
        }
        tensor(out, &row)?;
    }
    let Some((_, totals)) = here else {
        return writeln!(out, "\nNone.");
    };
    group_end(out, &totals)?;
    writeln!(out, "\n## Mix of types\n")?;
    writeln!(out, "| Type | Tensors | Elements | Bytes | Bits per weight |\n|:--|--:|--:|--:|--:|")?;
    let mut all = Totals::default();
    for share in mix(dump.tensors().map(|TensorEntry(row)| row)) {
        all.join(&share.totals);
        let ty = literal(&share.tensor_type.to_string());
        let [tensors, elements, bytes, bits] = cells(&share.totals);
        writeln!(out, "| {ty} | {tensors} | {elements} | {bytes} | {bits} |")?;
    }
    let [tensors, elements, bytes, bits] = cells(&all);
    writeln!(out, "| **All** | **{tensors}** | **{elements}** | **{bytes}** | **{bits}** |")
}

fn group_end(out: &mut Out, totals: &Totals) -> io::Result<()> {
    let [tensors, elements, bytes, bits] = cells(totals);
    let s = if totals.tensors == 1 { "" } else { "s" };
    writeln!(out, "\n{tensors} tensor{s}, {elements} elements, {bytes} bytes, {bits} bits per weight.")
}

/// Tensors, elements, bytes, bits per weight.
fn cells(totals: &Totals) -> [String; 4] {
    let bytes = match totals.sizing {
        Sizing::Exact => units::count(totals.bytes),
        Sizing::Inferred => format!("at most {}", units::count(totals.bytes)),
        Sizing::Unknown => "?".to_owned(),
    };
    [units::count(totals.tensors), units::count(totals.elements), bytes, bits(totals.bits_per_weight())]
}

fn tensor(out: &mut Out, row: &Row<'_>) -> io::Result<()> {
    let mut shape = String::new();
    for dim in row.dims {
        let _ = write!(shape, "{}{dim}", if shape.is_empty() { "" } else { " × " });
    }
    let size = match (row.size, row.sizing) {
        (Some(size), Sizing::Exact) => units::count(size),
        (Some(size), _) => format!("at most {}", units::count(size)),
        (None, _) => "?".to_owned(),
    };
    writeln!(
        out,
        "| {} | {} | {} | {} | {} | {} | {size} | {} |",
        row.index,
        code(&name(row.name.as_bytes())),
        literal(&row.tensor_type().to_string()),
        if shape.is_empty() { "scalar" } else { &shape },
        row.elements.map_or_else(|| "?".to_owned(), units::count),
        row.data.map_or_else(|| "?".to_owned(), |at| format!("`{at:#x}`")),
        bits(row.bits_per_weight()),
    )
}

fn bits(per_weight: Option<f64>) -> String {
    per_weight.map_or_else(|| "?".to_owned(), |bits| format!("{bits:.2}"))
}

fn anomalies(out: &mut Out, dump: &FileDump<'_>) -> io::Result<()> {
    let mut first = true;
    for anomaly in dump.anomalies() {
        if std::mem::take(&mut first) {
            writeln!(out, "\n## Oddities\n\n| Offset | Field | What |\n|--:|:--|:--|")?;
        }
        let anomaly = anomaly.0;
        let (path, what) = (anomaly.path.to_string(), anomaly.kind.to_string());
        writeln!(out, "| `{:#x}` | {} | {} |", anomaly.span.start, code(&path), literal(&what))?;
    }
    match dump.anomalies_left_out() {
        0 => Ok(()),
        more => writeln!(out, "\n{} more are not listed.", units::count(more)),
    }
}

/// A key or name, escaped; with a mark where it is beyond all reason.
fn name(bytes: &[u8]) -> String {
    let whole = shorten(bytes, LONGEST_NAME);
    if whole.ends_with('…') && bytes.len() > LONGEST_NAME {
        format!("{whole} ({} bytes)", units::count(bytes.len() as u64))
    } else {
        Escaped(bytes).to_string()
    }
}

/// A stretch of a cell: what the file says, or our own words.
fn cell((files, text): &(bool, String)) -> String {
    if *files { code(text) } else { literal(text) }
}

/// Escaped text as code, or as text where code cannot hold it in a table.
fn code(text: &str) -> String {
    let breaks = |c: char| matches!(c, '`' | '|' | '<' | '>' | '&');
    let bare = text.trim() == text && !text.is_empty();
    if bare && !text.contains(breaks) { format!("`{text}`") } else { literal(text) }
}

/// Escaped text with everything disarmed that Markdown, its tables or HTML would take for markup.
fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            // An entity and not a backslash: simple readers of tables know none.
            '|' => out.push_str("&#124;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '`' => out.push_str("&#96;"),
            // What makes links out of bare addresses.
            ':' => out.push_str("&#58;"),
            '@' => out.push_str("&#64;"),
            '\\' | '*' | '_' | '[' | ']' | '~' | '#' | '!' | '$' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out.replace("www.", "www&#46;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_the_file_is_no_markup() {
        for (text, expected) in [
            ("general.name", "`general.name`"),
            (r"a\nb", r"`a\nb`"),
            ("https://example.com", "`https://example.com`"),
            ("a|b", "a&#124;b"),
            ("`x`", "&#96;x&#96;"),
            ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;"),
            ("&lt;", "&amp;lt;"),
            (" *b* ", r" \*b\* "),
            ("|[x](https://e)", r"&#124;\[x\](https&#58;//e)"),
            ("", ""),
        ] {
            assert_eq!(code(text), expected);
        }
    }
}
