//! `gguf compare`: how far the values of two models are apart.

mod json;
mod measure;
mod rename;
mod source;
mod table;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use ggufkit::format::ByteStr;
use ggufkit::io::expand;
use serde_json::Value;

use self::measure::{Answer, Compared, How};
use self::rename::Rename;
use self::source::Opened;
use super::tensors::{SelectArgs, is_pattern};
use crate::args::{HowArgs, InputArgs, ReadArgs, ThreadArgs};
use crate::failure::Failure;
use crate::frame::Document;
use crate::out::{self, Ink, Out};
use crate::{FAILED, NO, OK, frame};

/// How far the weights of two models are apart: error, cosine and signal to noise of every tensor
///
/// Tensors are matched by name, and their values compared one by one, whatever their types. A is what B is measured by: B may be
/// a quantization of it, or of something else. The relative error is the root mean square of the distances over that of
/// A's values; two unrelated tensors come to 100 % and more, a Q8_0 of the same weights to some 0.5 %, a Q4_K to some 7 %.
///
/// With --source A is what a model was converted from: a safetensors file, or a folder of them, with the names of Hugging Face, or
/// with those of GGUF, as `gguf extract` writes them. What conversion does beside rounding is taken into account, and it is said whether B comes from it.
#[derive(clap::Args, Debug)]
#[command(
    override_usage = "gguf compare [OPTIONS] A B [PATTERN...]\n       gguf compare [OPTIONS] B [PATTERN...] --source PATH",
    after_help = "Examples:\n  gguf compare model-f16.gguf model-q4.gguf\n  gguf compare a.gguf b.gguf '*attn_v*' --worst\n  \
    gguf compare a.gguf b.gguf --max-error 0.1 -q         # exit status 1 where a tensor is further off\n  \
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
    #[arg(value_name = "B", required_unless_present = "source")]
    b: Option<OsString>,
    /// Only tensors whose names match one of these (`*`, `?`, `[a-z]`)
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
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
    #[command(flatten)]
    threads: ThreadArgs,
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

/// A side of the comparison, as documents have it.
struct File {
    path: Vec<u8>,
    problems: Vec<Value>,
    errors: Vec<Value>,
}

impl File {
    fn named(path: &[u8]) -> Self {
        Self { path: path.to_vec(), problems: Vec::new(), errors: Vec::new() }
    }

    fn of(document: &Document<'_>) -> Self {
        Self {
            path: document.path.0.to_vec(),
            problems: document.problems_json(),
            errors: document.errors_json(),
        }
    }
}

/// What came of both sides, beside the answer.
struct Sides {
    files: [File; 2],
    answer: Answer,
    /// Whether both could be read.
    good: bool,
}

impl Args {
    pub(crate) fn run(mut self, out: &mut Out) -> io::Result<u8> {
        // The exit status is a verdict, whoever reads the report.
        out.hold();
        let prepared = self.take_patterns().and_then(|()| self.inputs());
        let inputs = match prepared {
            Ok(inputs) => inputs,
            Err(failure) => {
                frame::refuse(out, "compare", self.json, &failure)?;
                return Ok(FAILED);
            }
        };
        let Sides { mut files, mut answer, good } = match (inputs.as_slice(), &self.source) {
            ([input], Some(path)) => self.by_source(out, input, path)?,
            ([a, b], _) => self.models(out, a, b)?,
            _ => return Ok(FAILED),
        };
        if self.sort == Sort::Error {
            // Of equal ones the order of the table stays; what has no relative error is told first.
            answer.tensors.sort_by(|one, two| {
                let key = |of: &Compared| of.difference.relative().unwrap_or(f64::INFINITY);
                key(two).total_cmp(&key(one))
            });
        }
        if let Some(max) = self.max_error {
            answer.tensors.iter_mut().for_each(|one| one.over = Some(one.is_over(max)));
        }
        if self.json {
            let [first, second] = &mut files;
            for failed in &answer.failures {
                // What is not about the second is about the first, or, where that is a folder, about a file in it.
                let of = if failed.name().0 == second.path { &mut *second } else { &mut *first };
                of.errors.push(failed.json());
            }
            json::print(out, &files, &answer, self.top, self.max_error)?;
        } else {
            if !self.quiet {
                table::print(out, &answer, self.top, self.worst, self.max_error)?;
                answer.notes.iter().try_for_each(|note| out.message(Ink::Warn, "note", note))?;
            }
            frame::report(out, &answer.failures)?;
        }
        let unmatched = !answer.only.iter().all(Vec::is_empty) || !answer.reshaped.is_empty();
        if !good || !answer.failures.is_empty() {
            return Ok(FAILED);
        }
        if answer.tensors.is_empty() && !unmatched {
            return if self.json || self.quiet { Ok(NO) } else { self.select.nothing(out) };
        }
        let over = |compared: &Compared| compared.over == Some(true);
        Ok(if unmatched || answer.tensors.iter().any(over) { NO } else { OK })
    }

    /// Takes the patterns among the arguments over: behind a source there is one file.
    fn take_patterns(&mut self) -> Result<(), Failure> {
        let mut patterns = std::mem::take(&mut self.patterns);
        if self.source.is_some()
            && let Some(other) = self.b.take()
        {
            match other.to_str().filter(|text| is_pattern(text)) {
                Some(text) => patterns.insert(0, text.to_owned()),
                None => {
                    let text =
                        "a second file cannot be used with --source, which is what the first is measured by";
                    return Err(Failure::usage("two-sources", text));
                }
            }
        }
        patterns.iter().try_for_each(|pattern| self.select.add(pattern))
    }

    fn inputs(&self) -> Result<Vec<InputArgs>, Failure> {
        let how = HowArgs { alone: self.alone, ..HowArgs::default() };
        let input = |name: &OsString| InputArgs { files: vec![name.clone()], how: how.clone() };
        let inputs: Vec<InputArgs> =
            [Some(&self.a), self.b.as_ref()].into_iter().flatten().map(input).collect();
        for one in &inputs {
            // What cannot be expanded is reported where it is read.
            let found = expand(&one.files, &how.expand()).map_or(1, |found| found.len());
            let given = one.files.first().map(|name| out::plain(name.as_encoded_bytes()).to_string());
            if found != 1 {
                let text = format!("{}: {found} models, and one is compared", given.unwrap_or_default());
                return Err(Failure::usage("several-models", text));
            }
            if one.files.first().is_some_and(|name| name == "-") {
                let text = "data is not read as it passes by: name a file";
                return Err(Failure::usage("standard-input", text));
            }
        }
        Ok(inputs)
    }

    fn how(&self) -> How<'_> {
        How { select: &self.select, threads: self.threads.count(), worst: self.worst || self.json }
    }

    fn models(&self, out: &mut Out, input_a: &InputArgs, input_b: &InputArgs) -> io::Result<Sides> {
        let named = |input: &InputArgs| {
            File::named(input.files.first().map(|name| name.as_encoded_bytes()).unwrap_or_default())
        };
        let mut files = [named(input_a), named(input_b)];
        let (mut answer, mut good_b) = (Answer::default(), true);
        let read = self.read.anywhere(true);
        let good_a = frame::each(out, input_a, &read, true, |out, a| {
            good_b &= frame::each(out, input_b, &read, true, |out, b| {
                if !self.json {
                    frame::report_problems(out, a)?;
                    frame::report_problems(out, b)?;
                    // What is wrong with both is said once.
                    frame::report(out, a.failures.iter().chain(b.failures))?;
                }
                files = [File::of(a), File::of(b)];
                answer = self.how().models(a, b, &self.rename);
                Ok(())
            })?;
            Ok(())
        })?;
        Ok(Sides { files, answer, good: good_a && good_b })
    }

    fn by_source(&self, out: &mut Out, input: &InputArgs, path: &std::path::Path) -> io::Result<Sides> {
        let source = File::named(path.as_os_str().as_encoded_bytes());
        let mut files = [
            source,
            File::named(input.files.first().map(|name| name.as_encoded_bytes()).unwrap_or_default()),
        ];
        let mut answer = Answer::default();
        let opened = Opened::at(path);
        let good = frame::each(out, input, &self.read.anywhere(true), true, |out, document| {
            if !self.json {
                frame::report_problems(out, document)?;
                frame::report(out, document.failures)?;
            }
            files[1] = File::of(document);
            if let Ok(opened) = &opened {
                answer = self.how().source(opened, document);
            }
            Ok(())
        })?;
        if let Err(failed) = opened {
            answer.failures.push(failed);
        }
        Ok(Sides { files, answer, good })
    }
}

/// A name for people.
fn shown(name: &[u8]) -> String {
    ByteStr(name).display().to_string()
}
