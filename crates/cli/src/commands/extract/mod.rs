//! `gguf extract`: tensor data out of a file, reading no more than it.

mod job;
mod names;

use std::fs;
use std::io::{self, Write as _};
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use ggufkit::format::glob::Glob;
use ggufkit::inspect::json::JsonText;
use ggufkit::inspect::tensors::{Sizing, rows};
use ggufkit::inspect::units;
use ggufkit::io::npy::NpyError;
use ggufkit::io::{ShardProblem, TensorReader, expand, map_many};
use serde_json::json;

use self::job::{Job, Trouble};
use self::names::Names;
use crate::args::{InputArgs, ReadArgs, layers, number};
use crate::failure::Failure;
use crate::json::Files;
use crate::out::{self, Ink, Out, pad, pad_left};
use crate::{FAILED, NO, OK, frame};

/// Columns that a name or a shape may take before it moves what stands behind it.
const WIDE: usize = 64;

/// Write tensor data to files: raw bytes as they stand in the file, or .npy for plain types
///
/// Only the bytes of the chosen tensors (and rows) are read. Each tensor becomes a file of its own; a file appears under
/// its name only when it is complete.
///
/// A file is named after its tensor, whichever others are chosen. Letters, digits and `.`, `_`, `-` stand for themselves,
/// anything else is % and two hexadecimal digits, as is the first letter of a name that Windows keeps for a device
/// (CON, NUL, COM1). Where two tensors of the model would come to one name, also on a system that does not tell case
/// apart, those after the first get ~2, ~3, in the order of the model, as far as its files are there. Standard output takes
/// bytes only where it is no terminal.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  gguf extract model.gguf 'blk.0.*' -o layer0\n  gguf extract model.gguf '*norm*' -o norms --npy\n  \
    gguf extract model.gguf token_embd.weight --rows 0:10 -o rows\n  gguf extract model.gguf output_norm.weight -o - | xxd | head\n  \
    gguf extract model.gguf 'blk.*.attn_*' --dry-run"
)]
pub(crate) struct Args {
    /// The file, or any member of a shard set
    #[arg(value_name = "FILE")]
    file: std::ffi::OsString,
    /// Names or patterns of tensors (`*`, `?`, `[a-z]`); all tensors when neither these nor --layer are given
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
    /// The folder to write to, or `-` to write one tensor's bytes to standard output
    #[arg(long, short, value_name = "DIR", required_unless_present = "dry_run")]
    output: Option<PathBuf>,
    /// Only tensors of these layers, both ends included: 3, 0..3 (0 to 3), 30.. ; may be given again
    #[arg(long = "layer", value_name = "A..B", value_parser = layers)]
    layers: Vec<RangeInclusive<u64>>,
    /// Only these rows of each tensor, counted from 0, the end not included: 7, 10:20 (10 to 19), 10: or :20
    #[arg(long, value_name = "FROM:TO", value_parser = slice)]
    rows: Option<(u64, u64)>,
    /// Write .npy files; types of blocks have no such form and are refused
    #[arg(long)]
    npy: bool,
    /// Overwrite files that exist
    #[arg(long)]
    force: bool,
    /// Say what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Tensors that are read at the same time
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    read: ReadArgs,
}

/// A slice of rows: `7`, `2:5`, `2:`, `:5`.
fn slice(text: &str) -> Result<(u64, u64), String> {
    let (from, to) = match text.split_once(':') {
        Some((from, to)) => (
            if from.is_empty() { 0 } else { number(from)? },
            if to.is_empty() { u64::MAX } else { number(to)? },
        ),
        None => {
            let one = number(text)?;
            (one, one.saturating_add(1))
        }
    };
    if from >= to { Err("the slice is empty".to_owned()) } else { Ok((from, to)) }
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        let globs = match self.patterns.iter().map(|p| Glob::new(p)).collect::<Result<Vec<_>, _>>() {
            Ok(globs) => globs,
            Err(error) => {
                let failure = Failure::usage("bad-pattern", error.to_string());
                frame::refuse(out, "extract", self.json, &failure)?;
                return Ok(FAILED);
            }
        };
        let inputs = InputArgs { files: vec![self.file.clone()], how: crate::args::HowArgs::default() };
        if let Some(failure) = self.refusal(&inputs, out.is_terminal()) {
            // Where standard output was given to the bytes, it gets nothing else.
            frame::refuse(out, "extract", self.json && !self.to_stdout(), &failure)?;
            return Ok(FAILED);
        }
        let mut files = if self.json { Some(Files::begin(out, "extract", true)?) } else { None };
        let mut status = OK;
        let good = frame::each(out, &inputs, &self.read, self.json, |out, document| {
            // One reader a part, so that what it works out about the table is worked out once.
            let readers: Vec<_> = document
                .parts
                .iter()
                .filter_map(|part| Some(TensorReader::new(part.source.as_ref()?, part.view()?)))
                .collect();
            let sources: Vec<_> = document.parts.iter().filter_map(|part| part.source.as_ref()).collect();
            let mut jobs = Vec::new();
            let mut names = Names::default();
            for row in document.model.as_ref().map(rows).unwrap_or_default() {
                let name = row.name.as_bytes();
                // Of every tensor, so that what else is chosen does not change the name of its file.
                let file = names.file(name, if self.npy { "npy" } else { "bin" });
                let chosen = globs.is_empty() || globs.iter().any(|glob| glob.matches(name));
                let in_layers = self.layers.is_empty()
                    || row.layer.is_some_and(|n| self.layers.iter().any(|range| range.contains(&n)));
                if let (true, true, Some(reader)) = (chosen, in_layers, readers.get(row.part_index)) {
                    jobs.push(Job { row, reader, sources: &sources, rows: self.rows, file });
                }
            }
            let results = self.carry_out(out, &jobs)?;
            let failed = results.iter().filter(|result| result.is_err()).count();
            // What was asked for may be in a shard that is not there.
            if failed > 0 || document.problems.iter().any(ShardProblem::is_fatal) {
                status = FAILED;
            } else if jobs.is_empty() {
                status = NO;
            }
            if let Some(files) = &mut files {
                let tensors: Vec<_> =
                    jobs.iter().zip(&results).map(|(job, result)| job.json(result)).collect();
                return files.add(
                    out,
                    &json!({
                        "path": JsonText(document.path), "tensors": tensors,
                        "problems": document.problems_json(), "errors": document.errors_json(),
                    }),
                );
            }
            frame::report_problems(out, document)?;
            if document.model.is_none() { Ok(()) } else { self.say(out, &jobs, &results) }
        })?;
        if let Some(files) = files {
            files.end(out)?;
        }
        Ok(if good { status } else { FAILED })
    }

    /// Why the call as a whole makes no sense.
    fn refusal(&self, inputs: &InputArgs, terminal: bool) -> Option<Failure> {
        if self.file == "-" {
            let text = "tensor data cannot be read from standard input: name a file";
            return Some(Failure::usage("standard-input", text));
        }
        if self.json && self.to_stdout() {
            let text = "standard output takes the tensor's bytes or JSON, not both";
            return Some(Failure::usage("two-outputs", text));
        }
        if self.to_stdout() && terminal {
            let text = "a tensor's bytes could act on this terminal: redirect the output to a file or a pipe";
            return Some(Failure::usage("terminal", text));
        }
        // What cannot be expanded is reported where it is read.
        let found = expand(&inputs.files, &inputs.how.expand()).map_or(0, |found| found.len());
        (found > 1).then(|| {
            let given = out::plain(self.file.as_encoded_bytes());
            let text = format!(
                "{given}: {found} models, whose tensors would overwrite each other's files: name one of them"
            );
            Failure::usage("several-models", text)
        })
    }

    /// Whether the bytes themselves go to standard output.
    fn to_stdout(&self) -> bool {
        !self.dry_run && self.output.as_deref() == Some(Path::new("-"))
    }

    /// Writes the jobs' files; one result each, in their order.
    fn carry_out(&self, out: &mut Out, jobs: &[Job<'_>]) -> io::Result<Vec<Result<u64, String>>> {
        let sizes: Vec<_> = jobs.iter().map(|job| job.bytes().map_err(|error| error.to_string())).collect();
        let all = |message: String| Ok(vec![Err(message); jobs.len()]);
        // Tensors may claim the same bytes over and over: a small file would fill a disk.
        let total = sizes.iter().flatten().fold(0_u64, |sum, size| sum.saturating_add(*size));
        let there = jobs.first().map_or(0, Job::bytes_there);
        if total > there {
            return all(format!(
                "the chosen tensors take {total} bytes and their files have {there}: they overlap; choose fewer"
            ));
        }
        if self.dry_run || jobs.is_empty() {
            return Ok(sizes);
        }
        let Some(folder) = &self.output else { return Ok(sizes) };
        if self.to_stdout() {
            return match jobs {
                [job] => match job.copy(self.npy, out) {
                    // A reader that has enough ends the command as it ends every other.
                    Err(Trouble::Output(error) | Trouble::Npy(NpyError::Write(error))) => Err(error),
                    result => Ok(vec![result.map_err(|error| error.to_string())]),
                },
                _ => all(format!("standard output takes one tensor, and {} were chosen", jobs.len())),
            };
        }
        if let Err(error) = fs::create_dir_all(folder) {
            return all(format!("{}: {error}", out::path(folder)));
        }
        let threads = self.threads.or_else(|| std::thread::available_parallelism().ok());
        let threads = threads.unwrap_or(NonZeroUsize::MIN);
        Ok(map_many(jobs.len(), threads, &|at| match jobs.get(at) {
            Some(job) => job.write(folder, self.npy, self.force).map_err(|error| error.to_string()),
            None => Err("not written".to_owned()),
        }))
    }

    fn say(&self, out: &mut Out, jobs: &[Job<'_>], results: &[Result<u64, String>]) -> io::Result<()> {
        if jobs.is_empty() {
            return out.message(Ink::Warn, "note", "no tensor was chosen: `gguf tensors` lists their names");
        }
        let to_stdout = self.to_stdout();
        let (mut total, mut said) = (0_u64, None);
        let mut wide = [0; 4];
        for (job, result) in jobs.iter().zip(results) {
            let cells = result.as_ref().map_or_else(|_| Default::default(), |bytes| cells(job, *bytes));
            for (wide, cell) in wide.iter_mut().zip(&cells) {
                *wide = (*wide).max(out::columns(cell).min(WIDE));
            }
        }
        for (job, result) in jobs.iter().zip(results) {
            match result {
                Ok(bytes) if !to_stdout => {
                    total = total.saturating_add(*bytes);
                    let file = self.output.as_deref().unwrap_or(Path::new("")).join(&job.file);
                    let ([name, kind, shape, size], [a, b, c, d]) = (cells(job, *bytes), wide);
                    let name = out.paint(Ink::Key, pad(&name, a));
                    let kind = out.paint(Ink::Type, pad(&kind, b));
                    let shape = out.paint(Ink::Text, pad(&shape, c));
                    let size = out.paint(Ink::Number, pad_left(&size, d));
                    let note = if job.row.sizing == Sizing::Inferred {
                        " (size inferred from the next tensor's offset)"
                    } else {
                        ""
                    };
                    writeln!(out, "{name}  {kind}  {shape}  {size}  {}{note}", out::path(&file))?;
                }
                Ok(_) => {}
                // The messages name their tensor or file; one that is about the whole call is said once.
                Err(message) if said.as_ref() != Some(message) => {
                    out.message(Ink::Bad, "error", message)?;
                    said = Some(message.clone());
                }
                Err(_) => {}
            }
        }
        if !to_stdout {
            let verb = if self.dry_run { "would be written" } else { "written" };
            let done = results.iter().filter(|r| r.is_ok()).count();
            writeln!(out, "{done} of {} tensors {verb}, {}", jobs.len(), units::bytes(total))?;
        }
        Ok(())
    }
}

/// What is said about a tensor: its name, type and shape, and the bytes of its file.
fn cells(job: &Job<'_>, bytes: u64) -> [String; 4] {
    let row = &job.row;
    let name = out::plain(row.name.as_bytes()).to_string();
    [name, row.tensor_type().to_string(), format!("{:?}", row.dims), units::bytes(bytes)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_read_as_typed() {
        assert_eq!(slice("7"), Ok((7, 8)));
        assert_eq!(slice("2:5"), Ok((2, 5)));
        assert_eq!(slice("2:"), Ok((2, u64::MAX)));
        assert_eq!(slice(":5"), Ok((0, 5)));
        assert!(slice("5:5").is_err());
        assert!(slice("x").is_err());
    }
}
