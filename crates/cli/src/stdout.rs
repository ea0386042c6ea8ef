//! Where standard output leads: never into a file that is read.
//!
//! A report that is appended to the model it is about is lost, and so is the model. Whoever opens a file to read it asks
//! here first, so that no command has to think of it: from the first file that standard output leads into nothing is
//! printed, and nothing more is read.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ggufkit::io::FileId;

use crate::out;

/// The input that standard output leads into.
static INTO: OnceLock<PathBuf> = OnceLock::new();

/// The file that standard output was sent to.
fn file() -> Option<&'static FileId> {
    static FILE: OnceLock<Option<FileId>> = OnceLock::new();
    FILE.get_or_init(|| FileId::of_stdout().ok().flatten()).as_ref()
}

/// The input that standard output leads into, once one was found: nothing is printed then.
pub(crate) fn leads_into() -> Option<&'static Path> {
    INTO.get().map(PathBuf::as_path)
}

/// Whether standard output leads into the file at `path`, or, for `-`, into what standard input comes from.
pub(crate) fn leads_to(path: &Path) -> bool {
    let Some(output) = file() else { return false };
    let input = if path.as_os_str() == "-" { FileId::of_stdin() } else { FileId::at(path) };
    matches!(input, Ok(Some(id)) if id == *output)
}

/// Refuses to read a file that standard output leads into, and every file once there was one.
///
/// # Errors
/// That it does.
pub(crate) fn spare(path: &Path) -> io::Result<()> {
    if leads_into().is_none() && leads_to(path) {
        // Whoever came first: one is enough to know.
        let _ = INTO.set(path.to_owned());
    }
    match leads_into() {
        Some(into) => Err(io::Error::new(io::ErrorKind::ResourceBusy, why(into, path))),
        None => Ok(()),
    }
}

/// Why nothing is done, for the file itself and for others.
pub(crate) fn why(into: &Path, path: &Path) -> String {
    let this = if into == path { "this file".to_owned() } else { out::path(into) };
    format!("standard output would be written into {this}, which is to be read; nothing was written")
}
