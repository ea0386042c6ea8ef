//! `gguf compare`: how far the values of two models are apart.

mod json;
mod measure;
mod rename;
mod source;
mod table;

use std::ffi::OsString;
use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use ggufkit::format::ByteStr;
use ggufkit::io::expand;

use self::measure::{Answer, Compared, How};
use self::rename::Rename;
use self::source::Opened;
use super::tensors::SelectArgs;
use crate::args::{HowArgs, InputArgs, ReadArgs};
use crate::failure::Failure;
use crate::out::{self, Out};
use crate::{FAILED, NO, OK, frame, json as documents};

/// How far the weights of two models are apart: error, cosine and signal to noise of every tensor
///
/// Tensors are matched by name, and their values compared one by one, whatever their types. A is what B is measured by: B may be
/// a quantization of it, or of something else. The relative error is the root mean square of the distances over that of
/// A's values; two unrelated tensors come to 100 % and more, a Q8_0 of the same weights to some 0.5 %, a Q4_K to some 7 %.
///
/// With --source A is what a model was converted from: a safetensors file, or a folder of them, with the names of Hugging Face. What
/// conversion does beside rounding is taken into account, and it is said whether B comes from it.
#[derive(clap::Args, Debug)]
#[command(
    override_usage = "gguf compare [OPTIONS] A B\n       gguf compare [OPTIONS] B --source PATH",
    after_help = "Examples:\n  gguf compare model-f16.gguf model-q4.gguf\n  gguf compare a.gguf b.gguf --name '*attn_v*' --worst\n  \
    gguf compare a.gguf b.gguf --max-error 0.1 -q        # exit status 1 where a tensor is further off\n  \
    gguf compare a.gguf b.gguf --rename 'model.*=*'      # names of B as those of A\n  \
    gguf compare model-q4.gguf --source Llama-3.2-1B/     # is it made of these safetensors files?\n  \
    gguf compare a.gguf b.gguf --json | jq '.tensors[] | [.name, .relative]'\n\n\
    Exit status: 0 compared, 1 something could not be matched or is further off than --max-error, 2 a file or some data could \
    not be read, or usage."
)]
pub(crate) struct Args {
    /// What is measured by: a file, or any member of a shard set; with --source it is B, what is measured
    #[arg(value_name = "A")]
    a: OsString,
    /// What is measured
    #[arg(value_name = "B", required_unless_present = "source", conflicts_with = "source")]
    b: Option<OsString>,
    /// Measure by these safetensors: a file, or a folder with model.safetensors.index.json or *.safetensors
    #[arg(long, value_name = "PATH", conflicts_with = "rename")]
    source: Option<PathBuf>,
    #[command(flatten)]
    select: SelectArgs,
    /// Read names of B that match FROM as TO, `*` standing for the same text in both; may be given again
    #[arg(long, value_name = "FROM=TO", value_parser = Rename::parse)]
    rename: Vec<Rename>,
    /// Order of the table
    #[arg(long, value_enum, value_name = "ORDER", default_value_t = Sort::Error)]
    sort: Sort,
    /// Show only so many rows
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Show the worst blocks of each tensor, too
    #[arg(long)]
    worst: bool,
    /// The largest relative error that is right: 0.05 is 5 %; pairs of which one is not finite are never right
    #[arg(long, value_name = "ERROR", value_parser = error)]
    max_error: Option<f64>,
    /// Compare these files alone, and not the shard sets that they are members of
    #[arg(long, help_heading = "Input")]
    alone: bool,
    /// Threads that read and decode (default: as many as there are processors)
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Print nothing: the exit status tells
    #[arg(long, short, conflicts_with = "json")]
    quiet: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    read: ReadArgs,
}

/// What the table is sorted by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Sort {
    /// The largest relative error first
    Error,
    /// As in the table of A
    Index,
}

fn error(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value >= 0.0 => Ok(value),
        _ => Err("a number that is not negative is needed, as in 0.05".to_owned()),
    }
}

impl Args {
    pub(crate) fn run(mut self, out: &mut Out) -> io::Result<u8> {
        // The exit status is a verdict, whoever reads the report.
        out.hold();
        let how = HowArgs { alone: self.alone, ..HowArgs::default() };
        let input = |name: &OsString| InputArgs { files: vec![name.clone()], how: how.clone() };
        let inputs: Vec<InputArgs> =
            [Some(&self.a), self.b.as_ref()].into_iter().flatten().map(input).collect();
        for one in &inputs {
            // What cannot be expanded is reported where it is read.
            let found = expand(&one.files, &how.expand()).map_or(1, |found| found.len());
            let given = one.files.first().map(|name| out::plain(name.as_encoded_bytes()).to_string());
            let failure = if found != 1 {
                let text = format!("{}: {found} models, and one is compared", given.unwrap_or_default());
                Failure::usage("several-models", text)
            } else if one.files.first().is_some_and(|name| name == "-") {
                Failure::usage("standard-input", "data is not read as it passes by: name a file")
            } else {
                continue;
            };
            frame::refuse(out, "compare", self.json, &failure)?;
            return Ok(FAILED);
        }
        let renames = std::mem::take(&mut self.rename);
        let threads = self.threads.or_else(|| std::thread::available_parallelism().ok());
        let how = How { select: &self.select, threads: threads.unwrap_or(NonZeroUsize::MIN) };
        let mut answer = None;
        let mut good = true;
        let mut paths = [Vec::new(), Vec::new()];
        let mut errors = Vec::new();
        let json = self.json;
        match (inputs.as_slice(), &self.source) {
            ([input], Some(path)) => {
                let opened = Opened::at(path);
                good &= frame::each(out, input, &self.read, json, |out, document| {
                    if !json {
                        frame::report_problems(out, document)?;
                    }
                    errors.extend(document.errors_json());
                    paths = [documents::bytes_of(path).0.to_vec(), document.path.0.to_vec()];
                    answer = opened.as_ref().ok().map(|opened| how.source(opened, document));
                    Ok(())
                })?;
                if let Err(failed) = opened {
                    answer = Some(Answer { failures: vec![failed], ..Answer::default() });
                }
            }
            ([input_a, input_b], _) => {
                let mut good_b = true;
                good &= frame::each(out, input_a, &self.read, json, |out, a| {
                    good_b &= frame::each(out, input_b, &self.read, json, |out, b| {
                        if !json {
                            frame::report_problems(out, a)?;
                            frame::report_problems(out, b)?;
                        }
                        errors.extend(a.errors_json().into_iter().chain(b.errors_json()));
                        paths = [a.path.0.to_vec(), b.path.0.to_vec()];
                        answer = Some(how.models(a, b, &renames));
                        Ok(())
                    })?;
                    Ok(())
                })?;
                good &= good_b;
            }
            _ => {}
        }
        let mut answer = answer.unwrap_or_default();
        if self.sort == Sort::Error {
            // Of equal ones the order of the table stays; what has no relative error is told first.
            answer.tensors.sort_by(|one, two| {
                let key = |of: &Compared| of.difference.relative().unwrap_or(f64::INFINITY);
                key(two).total_cmp(&key(one))
            });
        }
        if json {
            json::print(out, &paths, &answer, errors)?;
        } else {
            if !self.quiet {
                table::print(out, &answer, self.top, self.worst)?;
            }
            frame::report(out, &answer.failures)?;
        }
        let over = |compared: &Compared| match (self.max_error, compared.difference.relative()) {
            // What is left out of the measures cannot be within any bound.
            (Some(max), Some(error)) => error > max || compared.difference.not_finite > 0,
            (Some(_), None) => true,
            (None, _) => false,
        };
        let unmatched = !answer.only.iter().all(Vec::is_empty) || !answer.reshaped.is_empty();
        Ok(if !good || !answer.failures.is_empty() {
            FAILED
        } else if unmatched || answer.tensors.is_empty() || answer.tensors.iter().any(over) {
            NO
        } else {
            OK
        })
    }
}

/// A name for people.
fn shown(name: &[u8]) -> String {
    ByteStr(name).display().to_string()
}
