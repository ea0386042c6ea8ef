//! `gguf show`: what a file is, on one screen.

mod bar;
mod findings;
mod matrices;
mod rows;
mod screen;

use std::io::{self, Write as _};

use ggufkit::inspect::json::JsonText;
use ggufkit::inspect::summary::{Summary, summary};
use serde::Serialize;
use serde_json::Value;

use self::matrices::Matrices;
use crate::args::{InputArgs, ReadArgs};
use crate::frame::Document;
use crate::json::Files;
use crate::out::Out;
use crate::{FAILED, OK, frame};

/// Sum up a file on one screen: what it is, its size and quantization, its layout, what is odd about it
///
/// Everything is read from the head; weights are not touched (of an importance matrix its counts are). The bar shows the file from metadata to padding, to scale.
#[derive(clap::Args, Debug)]
#[command(after_help = "Exit status: 0 done, 2 a file could not be read.

Examples:
  gguf show model.gguf
  gguf show model-00001-of-00009.gguf             the whole split model
  gguf show --alone model-00002-of-00009.gguf     one shard of it
  gguf show models/*.gguf
  gguf show --json model.gguf | jq '.files[0].quantization.mix[] | {type, share}'
  curl -sL https://example.org/model.gguf | gguf show -")]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    read: ReadArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The JSON of one file, or of the shards of one model:
///
/// * `path`: as given; `{"bytes": base64}` where it is not UTF-8, as all paths;
/// * `errors`: why it, or a file of a split model, could not be read to the end of its head: of each file its `path` and
///   the `error`; empty where all were;
/// * the fields of [`Summary`], absent where not even the header could be read. Of a head that was read in part, which
///   `file.complete` tells, they hold what was read, and nothing follows from what they lack. `notices` also holds what
///   looking around the head found: `partial-file`, `joined-files`, `trailing-bytes`, `misread-layout`, and the `shard-*`
///   and `split-*` problems of a split model;
/// * `missing_bytes`: bytes that a broken-off download lacks, 0 where none are missing;
/// * `matrices`, of an importance matrix: how many there are counts for in `all`, and how many were `never_called`.
#[derive(Serialize)]
struct Json<'a> {
    path: JsonText<'a>,
    errors: Vec<Value>,
    #[serde(flatten)]
    summary: Option<&'a Summary<'a>>,
    missing_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    matrices: Option<Matrices>,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        let mut files = if self.json { Some(Files::begin(out, "show", true)?) } else { None };
        let mut first = true;
        let good = frame::each(out, &self.inputs, &self.read, self.json, |out, document| {
            let mut summary = document.model.as_ref().map(summary);
            let missing = findings::merge(document, summary.as_mut());
            let matrices = counted(document, summary.as_ref());
            if let Some(files) = &mut files {
                return files.add(out, &Json::of(document, summary.as_ref(), missing, matrices));
            }
            // A head of which nothing was read has nothing to show; the error says it all.
            let told = |s: &&Summary<'_>| s.file.complete || s.file.key_values > 0;
            if let Some(summary) = summary.as_ref().filter(told) {
                if !std::mem::take(&mut first) {
                    writeln!(out)?;
                }
                screen::print(out, document, summary, missing, matrices.as_ref())?;
            }
            Ok(())
        })?;
        if let Some(files) = files {
            files.end(out)?;
        }
        Ok(if good { OK } else { FAILED })
    }
}

impl<'a> Json<'a> {
    fn of(
        document: &'a Document<'_>,
        summary: Option<&'a Summary<'a>>,
        missing_bytes: u64,
        matrices: Option<Matrices>,
    ) -> Self {
        Self {
            path: JsonText(document.path),
            errors: document.errors_json(),
            summary,
            missing_bytes,
            matrices,
        }
    }
}

/// What the counts of an importance matrix tell.
fn counted(document: &Document<'_>, summary: Option<&Summary<'_>>) -> Option<Matrices> {
    summary.filter(|summary| summary.imatrix.is_some())?;
    let [part] = document.parts else { return None };
    Matrices::of(&part.view()?, part.source.as_ref()?)
}
