//! `gguf recover` and `gguf undo`: changes in place, taken back.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use ggufkit::io::inplace::{self, InPlaceError};
use serde_json::json;

use crate::failure::{Failed, Failure};
use crate::json::{self, Files};
use crate::out::{self, Ink, Out};
use crate::{FAILED, NO, OK};

/// Take back a change in place that was interrupted: the file is then what it was before it
///
/// Every command that reads such a file does the same first, where it may write to it.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Exit status: 0 taken back, or nothing was interrupted, 2 it could not be taken back."
)]
pub(crate) struct Recover {
    /// The files
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Take back the last change that was made in place
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Exit status: 0 taken back, 1 there is nothing to take back, or the file was changed since, 2 a file could \
    not be read or written."
)]
pub(crate) struct Undo {
    /// The files
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Recover {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        run(out, "recover", &self.files, self.json, |path| inplace::recover(path, &mut inplace::unwatched))
    }
}

impl Undo {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        run(out, "undo", &self.files, self.json, |path| {
            inplace::undo(path, &mut inplace::unwatched).map(|()| true)
        })
    }
}

fn run(
    out: &mut Out,
    command: &'static str,
    files: &[PathBuf],
    as_json: bool,
    back: impl Fn(&Path) -> Result<bool, InPlaceError>,
) -> io::Result<u8> {
    out.hold();
    let mut status = OK;
    let mut document = as_json.then(|| Files::begin(out, command, true)).transpose()?;
    for path in files {
        // A record stands beside the file itself, not beside a link to it.
        let real = std::fs::canonicalize(path).map_err(InPlaceError::at(path));
        let result = real.and_then(|real| back(&real));
        let errors: Vec<Failed> = match &result {
            Ok(_) => Vec::new(),
            Err(error) => vec![Failed { path: path.clone(), failure: failure(error) }],
        };
        status = status.max(match &result {
            Ok(_) => OK,
            Err(InPlaceError::NothingToUndo(_) | InPlaceError::Changed(_)) => NO,
            Err(_) => FAILED,
        });
        match &mut document {
            Some(document) => document.add(
                out,
                &json!({
                    "path": json::path(path),
                    "taken_back": matches!(result, Ok(true)),
                    "errors": errors.iter().map(Failed::json).collect::<Vec<_>>(),
                }),
            )?,
            None => match &result {
                Ok(true) => writeln!(out, "{}: the change was taken back", out::path(path))?,
                Ok(false) => writeln!(out, "{}: no change was interrupted", out::path(path))?,
                Err(error) => out.message(Ink::Bad, "error", &error.to_string())?,
            },
        }
    }
    if let Some(document) = document {
        document.end(out)?;
    }
    Ok(status)
}

/// Why a change was not taken back.
pub(crate) fn failure(error: &InPlaceError) -> Failure {
    let code = match error {
        InPlaceError::Busy(_) => "busy",
        InPlaceError::Pending(_) | InPlaceError::Interrupted { .. } => "interrupted",
        InPlaceError::Changed(_) => "changed",
        InPlaceError::NothingToUndo(_) => "nothing-to-undo",
        InPlaceError::Damaged(_) => "damaged-record",
        InPlaceError::Io { source, .. } => {
            return Failure::Io(io::Error::new(source.kind(), error.to_string()));
        }
        _ => return Failure::Io(io::Error::other(error.to_string())),
    };
    Failure::usage(code, error.to_string())
}
