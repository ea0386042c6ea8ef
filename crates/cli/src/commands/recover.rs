//! `gguf recover`: a change in place that was interrupted, taken back.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use ggufkit::io::inplace::{self, Discarded, InPlaceError};
use ggufkit::io::{Expand, Input};
use serde_json::json;

use crate::args::HowArgs;
use crate::failure::{Failed, Failure};
use crate::json::{self, Files};
use crate::out::{self, Out};
use crate::{FAILED, OK, frame};

/// Take back a change in place that was interrupted: the file is then what it was before it
///
/// Every command that reads such a file does the same first, where it may write to it. Nothing is written unless the record
/// beside the file is whole and is of this very file as it stands; a record of another file, which had the name before, is set
/// aside (as `.NAME.ggufkit-aside`).
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  gguf recover model.gguf\n  gguf recover model.gguf --discard\n\n\
    Exit status: 0 taken back, or nothing was interrupted, 2 it could not be taken back.")]
pub(crate) struct Args {
    /// The files, or folders of them
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Take the file as it stands, half changed or not, and set the record aside: where it is damaged, or where the file was
    /// replaced meanwhile
    #[arg(long)]
    discard: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What became of a file.
enum Done {
    /// Nothing was interrupted.
    Nothing,
    /// It is what it was.
    TakenBack,
    /// It is as it stood, and this is what the record is called now.
    Aside(PathBuf),
    /// It is as it stood, and had no record of its own.
    Unmarked,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        out.hold();
        let files = match self.files() {
            Ok(files) => files,
            Err(failed) => {
                frame::refuse(out, "recover", self.json, &failed.failure)?;
                return Ok(FAILED);
            }
        };
        let inputs: Vec<_> = files.iter().cloned().map(Input::File).collect();
        if frame::is_written_to(out, &inputs)? {
            return Ok(FAILED);
        }
        let mut status = OK;
        let mut document = self.json.then(|| Files::begin(out, "recover", true)).transpose()?;
        for path in &files {
            let result = self.one(path);
            let errors: Vec<Failed> = result
                .as_ref()
                .err()
                .map(|error| Failed { path: path.clone(), failure: failure(error) })
                .into_iter()
                .collect();
            status = status.max(if result.is_err() { FAILED } else { OK });
            let label = out::path(path);
            match (&mut document, &result) {
                (Some(document), result) => {
                    let aside = match result {
                        Ok(Done::Aside(aside)) => Some(json::path(aside)),
                        _ => None,
                    };
                    let one = json!({
                        "path": json::path(path),
                        "taken_back": matches!(result, Ok(Done::TakenBack)),
                        "set_aside": aside,
                        "errors": errors.iter().map(Failed::json).collect::<Vec<_>>(),
                    });
                    document.add(out, &one)?;
                }
                (None, Ok(Done::TakenBack)) => writeln!(out, "{label}: the change was taken back")?,
                (None, Ok(Done::Nothing)) => writeln!(out, "{label}: no change was interrupted")?,
                (None, Ok(Done::Unmarked)) => {
                    writeln!(out, "{label}: stays as it is, and counts as whole; no record was its own")?;
                }
                (None, Ok(Done::Aside(aside))) => {
                    writeln!(
                        out,
                        "{label}: stays as it is; the record is set aside as {}",
                        out::path(aside)
                    )?;
                }
                (None, Err(_)) => frame::report(out, &errors)?,
            }
        }
        if let Some(document) = document {
            document.end(out)?;
        }
        Ok(status)
    }

    /// The files that are named, and of each folder those whose change was interrupted, or itself where none was.
    fn files(&self) -> Result<Vec<PathBuf>, Failed> {
        let mut all = Vec::new();
        for path in &self.files {
            if !path.is_dir() {
                all.push(path.clone());
                continue;
            }
            let mut how = Expand::default();
            how.alone = true;
            let words = [path.clone().into_os_string()];
            let found = frame::expand(&words, &how);
            let found = found.map_err(|error| frame::no_input(error, &words, &HowArgs::default()))?;
            let begun = all.len();
            all.extend(found.inputs.into_iter().filter_map(|input| match input {
                Input::File(file) if inplace::is_pending(&file).unwrap_or(true) => Some(file),
                _ => None,
            }));
            if all.len() == begun {
                all.push(path.clone());
            }
        }
        Ok(all)
    }

    fn one(&self, path: &Path) -> Result<Done, InPlaceError> {
        let discard = || {
            Ok(match inplace::discard(path, &mut inplace::unwatched)? {
                Discarded::Aside(aside) => Done::Aside(aside),
                Discarded::Mark => Done::Unmarked,
                _ => Done::Nothing,
            })
        };
        if self.discard {
            return discard();
        }
        match inplace::recover(path, &mut inplace::unwatched) {
            Ok(true) => Ok(Done::TakenBack),
            Ok(false) => Ok(Done::Nothing),
            // The file that it is of is not here.
            Err(InPlaceError::OtherFile { alike: false, .. }) => discard(),
            Err(error) => Err(error),
        }
    }
}

/// Why a change was not taken back.
pub(super) fn failure(error: &InPlaceError) -> Failure {
    let code = match error {
        InPlaceError::Busy(_) => "busy",
        InPlaceError::Pending(_) | InPlaceError::Interrupted { .. } => "interrupted",
        InPlaceError::Changed(_) | InPlaceError::ChangedSince(_) => "changed",
        InPlaceError::NothingToUndo(_) => "nothing-to-undo",
        InPlaceError::Partial { .. } => "incomplete-change",
        InPlaceError::Damaged(_) => "damaged-record",
        InPlaceError::Foreign(_) => "foreign-record",
        InPlaceError::OtherFile { .. } => "other-file",
        InPlaceError::Unfit { .. } => "changed-since",
        InPlaceError::Elsewhere { .. } => "no-record",
        InPlaceError::Linked { .. } | InPlaceError::Unmarkable { .. } => "hard-links",
        InPlaceError::Io { source, .. } => {
            return Failure::Io(io::Error::new(source.kind(), error.to_string()));
        }
        _ => return Failure::Io(io::Error::other(error.to_string())),
    };
    let help = match error {
        InPlaceError::Linked { .. } => Some("--all-names takes it back under all of them"),
        InPlaceError::ChangedSince(_) => {
            Some("the file stays as it is; `gguf undo --forget FILE` deletes what is kept of the old one")
        }
        InPlaceError::Partial { .. } => {
            Some("put the other files back, or take it back in one file by `gguf undo --alone FILE`")
        }
        InPlaceError::Pending(_) | InPlaceError::Interrupted { .. } => {
            Some("`gguf recover FILE` takes it back")
        }
        other => frame::advice(other),
    };
    Failure::Usage { code, message: error.to_string(), help: help.map(str::to_owned) }
}
