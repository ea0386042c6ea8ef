//! The dump as one table of RFC 4180: a line for each fact, told apart by the column `kind`.
//!
//! A spreadsheet takes a cell that begins with `=`, `+`, `-` or `@` for a formula and runs it. Text that a file brings
//! gets a `'` before such a beginning, which spreadsheets take for "this is text"; numbers are left as they are. Control
//! characters are escaped, so a record is always one line. Text is whole; arrays are JSON.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use ggufkit::format::{Escaped, Value};
use ggufkit::inspect::dump::{FileDump, HeaderEntry, KvEntry, TensorEntry};
use ggufkit::inspect::json::{JsonValue, write};
use ggufkit::inspect::tensors::Sizing;
use ggufkit::inspect::units;
use serde_json::Value as Json;

use crate::out::Out;

/// The columns.
const COLUMNS: [&str; 16] = [
    "file",
    "kind",
    "index",
    "name",
    "type",
    "element_type",
    "length",
    "shown",
    "offset",
    "size",
    "shape",
    "elements",
    "data_offset",
    "data_size",
    "size_known",
    "value",
];

/// Writes the line of titles.
///
/// # Errors
/// The output's.
pub(super) fn begin(out: &mut Out) -> io::Result<()> {
    write!(out, "{}\r\n", COLUMNS.join(","))
}

/// Writes one file's lines.
///
/// # Errors
/// The output's.
pub(super) fn file(out: &mut Out, dump: &FileDump<'_>) -> io::Result<()> {
    let file = guarded(&Escaped(dump.path.as_bytes()).to_string());
    if let Some(header) = dump.header() {
        self::header(out, &file, dump.size, &header)?;
    }
    for entry in dump.metadata() {
        key_value(out, &file, &entry)?;
    }
    for entry in dump.tensors() {
        tensor(out, &file, &entry)?;
    }
    for anomaly in dump.anomalies() {
        let anomaly = anomaly.0;
        let mut line = Line::new(&file, "anomaly");
        line.set("name", &anomaly.path.to_string());
        line.set("type", anomaly.kind.code());
        line.set("offset", &anomaly.span.start.to_string());
        line.set("size", &anomaly.span.len.to_string());
        line.set("value", &guarded(&anomaly.kind.to_string()));
        line.end(out)?;
    }
    if let Some(error) = &dump.error {
        let text = |name| error.get(name).and_then(Json::as_str).map(guarded).unwrap_or_default();
        let mut line = Line::new(&file, "error");
        line.set("name", &text("path"));
        line.set("type", &text("code"));
        line.set("offset", &error.get("offset").map(Json::to_string).unwrap_or_default());
        line.set("value", &text("message"));
        line.end(out)?;
    }
    Ok(())
}

fn header(out: &mut Out, file: &str, size: Option<u64>, header: &HeaderEntry) -> io::Result<()> {
    let number = |n: u64| n.to_string();
    for (name, value) in [
        ("size", size.map(number)),
        ("version", Some(header.version.to_string())),
        ("endian", Some(header.endian.to_owned())),
        ("dialect", Some(header.dialect.clone())),
        ("tensor_count", Some(number(header.tensor_count))),
        ("kv_count", Some(number(header.kv_count))),
        ("alignment", Some(number(header.alignment))),
        ("alignment_source", Some(header.alignment_source.to_owned())),
        ("base", Some(number(header.base))),
        ("head_end", Some(number(header.head_end))),
        ("data_start", header.data_start.map(number)),
    ] {
        let mut line = Line::new(file, "header");
        line.set("name", name);
        line.set("value", &value.unwrap_or_default());
        line.end(out)?;
    }
    Ok(())
}

fn key_value(out: &mut Out, file: &str, entry: &KvEntry<'_>) -> io::Result<()> {
    let mut line = Line::new(file, "kv");
    line.set("index", &entry.index.to_string());
    line.set("name", &guarded(&Escaped(entry.key.as_bytes()).to_string()));
    line.set("type", &entry.kv.value_type.to_string());
    line.set("offset", &entry.kv.span.start.to_string());
    line.set("size", &entry.kv.span.len.to_string());
    match entry.value {
        Value::Scalar(one) => line.set("value", &units::scalar_text(one)),
        Value::String(text) => line.set("value", &guarded(&Escaped(text.as_bytes()).to_string())),
        Value::Array(array) => {
            line.set("element_type", &array.element_type().to_string());
            line.set("length", &array.len().to_string());
            line.set("shown", &entry.shown().unwrap_or(0).to_string());
            line.until(out, "value")?;
            // Element by element into the output: a cell may hold a whole vocabulary.
            out.write_all(b"\"")?;
            let value = JsonValue { value: entry.value, max: entry.max };
            write(Doubled(&mut *out), &value, false)?;
            return out.write_all(b"\"\r\n");
        }
    }
    line.end(out)
}

fn tensor(out: &mut Out, file: &str, TensorEntry(row): &TensorEntry<'_>) -> io::Result<()> {
    let number = |n: Option<u64>| n.map(|n| n.to_string()).unwrap_or_default();
    let mut line = Line::new(file, "tensor");
    line.set("index", &row.index.to_string());
    line.set("name", &guarded(&Escaped(row.name.as_bytes()).to_string()));
    line.set("type", &row.tensor_type().to_string());
    line.set("offset", &row.tensor.span.start.to_string());
    line.set("size", &row.tensor.span.len.to_string());
    let mut shape = String::new();
    for dim in row.dims {
        let _ = write!(shape, "{}{dim}", if shape.is_empty() { "" } else { "x" });
    }
    line.set("shape", &shape);
    line.set("elements", &number(row.elements));
    line.set("data_offset", &number(row.data));
    line.set("data_size", &number(row.size));
    line.set(
        "size_known",
        match row.sizing {
            Sizing::Exact => "exact",
            Sizing::Inferred => "inferred",
            Sizing::Unknown => "unknown",
        },
    );
    line.end(out)
}

/// A line with its cells by column.
struct Line {
    cells: [String; COLUMNS.len()],
}

impl Line {
    fn new(file: &str, kind: &str) -> Self {
        let mut line = Self { cells: Default::default() };
        line.set("file", file);
        line.set("kind", kind);
        line
    }

    fn set(&mut self, column: &str, text: &str) {
        if let Some(at) = COLUMNS.iter().position(|name| *name == column)
            && let Some(cell) = self.cells.get_mut(at)
        {
            quoted(text).clone_into(cell);
        }
    }

    /// Writes the cells before a column, each with its comma.
    fn until(&self, out: &mut Out, column: &str) -> io::Result<()> {
        for (cell, _) in self.cells.iter().zip(COLUMNS).take_while(|(_, name)| *name != column) {
            write!(out, "{cell},")?;
        }
        Ok(())
    }

    fn end(self, out: &mut Out) -> io::Result<()> {
        write!(out, "{}\r\n", self.cells.join(","))
    }
}

/// A cell that a spreadsheet does not run.
fn guarded(text: &str) -> String {
    let runs = |c: char| matches!(c, '=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠' | '\'');
    // What is after blanks may be run too.
    match text.trim_start().starts_with(runs) {
        true => format!("'{text}"),
        false => text.to_owned(),
    }
}

/// A cell as RFC 4180 writes it.
fn quoted(text: &str) -> String {
    let plain = |c: char| !matches!(c, '"' | ',' | '\r' | '\n' | ';' | '\t' | ' ' | '\'');
    match text.chars().all(plain) {
        true => text.to_owned(),
        false => format!("\"{}\"", text.replace('"', "\"\"")),
    }
}

/// Writes every quote twice.
struct Doubled<W>(W);

impl<W: io::Write> io::Write for Doubled<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut parts = bytes.split(|&b| b == b'"');
        if let Some(first) = parts.next() {
            self.0.write_all(first)?;
        }
        for part in parts {
            self.0.write_all(b"\"\"")?;
            self.0.write_all(part)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_not_run_and_keep_their_bounds() {
        for (text, cell) in [
            ("plain", "plain"),
            ("=1+1", "\"'=1+1\""),
            ("@SUM(A1)", "\"'@SUM(A1)\""),
            (" =1", "\"' =1\""),
            ("a=b", "a=b"),
            ("-5 degrees", "\"'-5 degrees\""),
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            // So that a leading ' is always ours.
            ("'quoted", "\"''quoted\""),
        ] {
            assert_eq!(quoted(&guarded(text)), cell);
        }
    }

    #[test]
    fn quotes_are_doubled_wherever_a_write_ends() {
        let mut out = Vec::new();
        let mut doubled = Doubled(&mut out);
        for part in ["a\"", "\"b", "", "c\"\"d"] {
            doubled.write_all(part.as_bytes()).unwrap();
        }
        assert_eq!(out, b"a\"\"\"\"bc\"\"\"\"d");
    }
}
