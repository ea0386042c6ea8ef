//! `gguf apply`: a document of changes.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read as _};
use std::path::PathBuf;

use ggufkit::edit::patch::PatchDocument;

use super::edit::{EditArgs, Job};
use crate::failure::Failure;
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
        let read = || -> io::Result<Vec<u8>> {
            let mut bytes = Vec::new();
            match self.patch.as_os_str() == "-" {
                true => io::stdin().lock().take(LONGEST).read_to_end(&mut bytes)?,
                false => fs::File::open(&self.patch)?.take(LONGEST).read_to_end(&mut bytes)?,
            };
            Ok(bytes)
        };
        let named = out::path(&self.patch);
        let parsed = read()
            .map_err(|error| Failure::usage("no-patch", format!("{named} cannot be read: {error}")))
            .and_then(|bytes| {
                serde_json::from_slice(&bytes)
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
