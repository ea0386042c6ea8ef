//! `gguf apply`: a document of changes.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use ggufkit::edit::patch::PatchDocument;

use super::edit::{EditArgs, Job};
use crate::failure::Failure;
use crate::input::{self, read_limited};
use crate::out::{self, Out};
use crate::{FAILED, frame};

/// Make the changes that a JSON document lists, all of them or none
///
/// The document is a list of operations, or an object that has one: {"op": "set", "key": "general.name", "value": "x"}, with "type" and
/// "element" where needed; unset, clear (unset of what there is), rename, move; list and unlist (a text into and out of a list);
/// rename-tensor, drop-tensor, move-tensor; upgrade; and test, which stops everything where a key has another value. `gguf diff A B --patch` writes such a document; "exact": true
/// in it is --exact.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  gguf apply model.gguf changes.json --dry-run\n  gguf apply model.gguf - < changes.json\n\n\
    Exit status: 0 done, 1 refused, 2 a file could not be read or written, or usage."
)]
pub(crate) struct Args {
    /// The file
    #[arg(value_name = "FILE")]
    file: OsString,
    /// The document (`-`: standard input)
    #[arg(value_name = "PATCH")]
    patch: PathBuf,
    #[command(flatten)]
    how: EditArgs,
}

/// Longest document.
const LONGEST: u64 = 256 << 20;

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        let named = out::path(&self.patch);
        let parsed = read_limited(&self.patch, LONGEST)
            .map_err(|error| Failure::usage("no-patch", format!("{named} cannot be read: {error}")))
            .and_then(|bytes| {
                input::json(&bytes)
                    .map_err(|error| Failure::usage("bad-patch", format!("{named} is no JSON: {error}")))
            })
            .and_then(|document: serde_json::Value| {
                PatchDocument::from_json(&document)
                    .map_err(|error| Failure::usage("bad-patch", format!("{named}: {error}")))
            });
        match parsed {
            Ok(PatchDocument { operations, exact }) => {
                let how = if exact { self.how.clone().exactly() } else { self.how };
                Job { command: "apply", files: &[self.file], operations: &operations, how: &how }.run(out)
            }
            Err(failure) => {
                frame::refuse(out, "apply", self.how.json(), &failure)?;
                Ok(FAILED)
            }
        }
    }
}
