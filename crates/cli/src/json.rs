//! The frame of every JSON document: `{"schema": 1, "command": "...", "files": [...]}`, written file by file so that
//! memory does not grow with their number.

use std::io::{self, Write as _};

use ggufkit::inspect::json::{SCHEMA, write};
use serde::Serialize;

use crate::out::Out;

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

    /// Ends the document.
    ///
    /// # Errors
    /// The output's.
    pub(crate) fn end(self, out: &mut Out) -> io::Result<()> {
        out.write_all(b"\n]}\n")
    }
}
