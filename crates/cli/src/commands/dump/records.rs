//! The dump as one JSON object a line.

use std::io::{self, Write as _};

use ggufkit::format::ByteStr;
use ggufkit::inspect::dump::FileDump;
use ggufkit::inspect::json::{JsonText, SCHEMA, write};
use serde::Serialize;
use serde_json::json;

use crate::out::Out;

#[derive(Serialize)]
struct Line<'a, T> {
    file: JsonText<'a>,
    kind: &'static str,
    #[serde(flatten)]
    entry: T,
}

#[derive(Serialize)]
struct Header<T> {
    schema: u32,
    size: Option<u64>,
    #[serde(flatten)]
    header: T,
}

/// Writes one file's lines.
///
/// # Errors
/// The output's.
pub(super) fn file(out: &mut Out, dump: &FileDump<'_>) -> io::Result<()> {
    let path = dump.path;
    if let Some(header) = dump.header() {
        line(out, path, "header", Header { schema: SCHEMA, size: dump.size, header })?;
    }
    for entry in dump.metadata() {
        line(out, path, "kv", entry)?;
    }
    for entry in dump.tensors() {
        line(out, path, "tensor", entry)?;
    }
    for entry in dump.anomalies() {
        line(out, path, "anomaly", entry)?;
    }
    if dump.anomalies_left_out() > 0 {
        line(out, path, "anomalies-left-out", json!({ "count": dump.anomalies_left_out() }))?;
    }
    if let Some(error) = &dump.error {
        line(out, path, "error", json!({ "error": error }))?;
    }
    Ok(())
}

fn line(out: &mut Out, path: ByteStr<'_>, kind: &'static str, entry: impl Serialize) -> io::Result<()> {
    write(&mut *out, &Line { file: JsonText(path), kind, entry }, false)?;
    out.write_all(b"\n")
}
