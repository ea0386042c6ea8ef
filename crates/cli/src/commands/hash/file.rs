//! Digests of files as they are.

use std::io;

use ggufkit::digest::{Algorithm, Digest, hash_stream, manifest};
use ggufkit::format::ReadAt as _;
use ggufkit::io::Input;
use serde_json::json;

use super::write_line;
use crate::args::InputArgs;
use crate::commands::progress::Bar;
use crate::failure::{Failed, Failure};
use crate::json::{Files, path};
use crate::out::{self, Ink, Out};
use crate::{FAILED, OK, frame};

pub(super) fn run(out: &mut Out, inputs: &InputArgs, algorithms: &[Algorithm], json: bool) -> io::Result<u8> {
    let mut how = inputs.how.expand();
    how.alone = true;
    let expansion = match frame::expand(&inputs.files, &how) {
        Ok(expansion) => expansion,
        Err(error) => {
            let failed = frame::no_input(error, &inputs.files, &inputs.how);
            frame::refuse(out, "hash", json, &failed.failure)?;
            return Ok(FAILED);
        }
    };
    if !frame::prepare(out, &expansion.inputs)? {
        return Ok(FAILED);
    }
    for skipped in &expansion.skipped {
        out.message(Ink::Warn, "skipped", &skipped.to_string())?;
    }
    let mut files = if json { Some(Files::begin(out, "hash", true)?) } else { None };
    let mut status = OK;
    for input in &expansion.inputs {
        let given = match input {
            Input::Stdin => std::path::Path::new("-"),
            Input::File(path) => path,
            Input::Set(set) => set.given(),
        };
        let (digests, failed) = match of(given, algorithms) {
            Ok(digests) => (digests, None),
            Err(error) => {
                status = FAILED;
                (Vec::new(), Some(Failed { path: given.to_owned(), failure: Failure::Io(error) }))
            }
        };
        if let Some(files) = &mut files {
            let found: serde_json::Map<_, _> = algorithms
                .iter()
                .map(|algorithm| {
                    let digest = digests.iter().find(|digest| digest.algorithm() == *algorithm);
                    (algorithm.name().to_owned(), json!(digest.map(Digest::to_string)))
                })
                .collect();
            let errors: Vec<_> = failed.iter().map(Failed::json).collect();
            files.add(out, &json!({ "path": path(given), "file": found, "errors": errors }))?;
            continue;
        }
        for digest in &digests {
            let line =
                manifest::file_line(digest, given.as_os_str().as_encoded_bytes(), algorithms.len() > 1);
            write_line(out, &line)?;
        }
        frame::report(out, &failed)?;
    }
    if let Some(files) = files {
        files.end(out)?;
    }
    Ok(status)
}

/// The digests of a file, or of standard input for `-`.
///
/// # Errors
/// The system's.
pub(crate) fn of(given: &std::path::Path, algorithms: &[Algorithm]) -> io::Result<Vec<Digest>> {
    if given.as_os_str() == "-" {
        return hash_stream(&mut io::stdin().lock(), algorithms, &|_| {});
    }
    let source = frame::source(given)?;
    let bar = Bar::begin(&out::path(given), source.size().unwrap_or_default());
    let digests = hash_stream(&mut source.file(), algorithms, &|bytes| bar.more(bytes));
    bar.end();
    if source.is_changed()? {
        return Err(io::Error::new(io::ErrorKind::ResourceBusy, "was changed while it was read"));
    }
    digests
}
