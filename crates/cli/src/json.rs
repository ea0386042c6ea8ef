//! The frame of every JSON document: `{"schema": 1, "command": "...", "files": [...]}`, written file by file so that
//! memory does not grow with their number.

use std::io::{self, Write as _};
use std::path::Path;

use ggufkit::format::ByteStr;
use ggufkit::inspect::json::{JsonText, SCHEMA, write};
use serde::Serialize;

use crate::failure::{Failed, Failure};
use crate::out::Out;

/// A path byte for byte, as documents hold it: the system's own bytes, which need not be text.
pub(crate) fn bytes_of(path: &Path) -> ByteStr<'_> {
    ByteStr(path.as_os_str().as_encoded_bytes())
}

/// A path in a document: a string, `{"bytes": base64}` where it is not UTF-8. Never the form for people's eyes, by which
/// no file could be opened again.
pub(crate) fn path(path: &Path) -> JsonText<'_> {
    JsonText(bytes_of(path))
}

/// Writes the whole document of a call that came to no file: what is wrong with it stands in `errors` beside `files`.
///
/// # Errors
/// The output's.
pub(crate) fn refusal(out: &mut Out, command: &str, failure: &Failure) -> io::Result<()> {
    Files::begin(out, command, true)?;
    out.write_all(b"],\"errors\":[\n")?;
    write(&mut *out, &serde_json::json!({ "path": null, "error": failure.json() }), true)?;
    out.write_all(b"\n]}\n")
}

/// A document being written.
pub(crate) struct Files {
    pretty: bool,
    first: bool,
}

impl Files {
    /// Begins the document of a command.
    ///
    /// # Errors
    /// The output's.
    pub(crate) fn begin(out: &mut Out, command: &str, pretty: bool) -> io::Result<Self> {
        write!(out, "{{\"schema\":{SCHEMA},\"command\":\"{command}\",\"files\":[")?;
        Ok(Self { pretty, first: true })
    }

    /// Adds one file's object.
    ///
    /// # Errors
    /// The output's.
    pub(crate) fn add<T: Serialize + ?Sized>(&mut self, out: &mut Out, value: &T) -> io::Result<()> {
        out.write_all(if self.first { b"\n" } else { b",\n" })?;
        self.first = false;
        write(&mut *out, value, self.pretty)
    }

    /// Ends the document; what kept the call from its end, though the files were read, stands in `errors` beside them.
    ///
    /// # Errors
    /// The output's.
    pub(crate) fn end_with(self, out: &mut Out, failed: Option<&Failed>) -> io::Result<()> {
        let Some(failed) = failed else { return self.end(out) };
        out.write_all(b"\n],\"errors\":[\n")?;
        write(&mut *out, &failed.json(), true)?;
        out.write_all(b"\n]}\n")
    }

    /// Ends the document.
    ///
    /// # Errors
    /// The output's.
    pub(crate) fn end(self, out: &mut Out) -> io::Result<()> {
        out.write_all(b"\n]}\n")
    }
}
