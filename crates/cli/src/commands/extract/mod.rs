//! `gguf extract`: tensor data out of a file, reading no more than it.

mod job;
mod json;
mod names;

use std::fs;
use std::io::{self, Write as _};
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ggufkit::format::glob::Glob;
use ggufkit::inspect::tensors::{Sizing, Table};
use ggufkit::inspect::units;
use ggufkit::io::npy::NpyError;
use ggufkit::io::{FileSource, ShardProblem, TensorReader, expand, map_many};

use self::job::{Job, Task, Trouble, files_of};
use self::names::Names;
use crate::args::{InputArgs, ReadArgs, layers, number};
use crate::failure::Failure;
use crate::frame::Document;
use crate::json::Files;
use crate::out::{self, Ink, Out, pad, pad_left};
use crate::{FAILED, NO, OK, frame};

/// The bytes of a tensor that were written or would be, or why they were not.
type Verdict = Result<u64, Arc<str>>;

/// Columns that a name or a shape may take before it moves what stands behind it.
const WIDE: usize = 64;

/// Write tensor data to files: raw bytes as they stand in the file, or .npy for plain types
///
/// Only the bytes of the chosen tensors (and rows) are read. Each tensor becomes a file of its own; a file appears under
/// its name only when it is complete. The files of the model itself are never written to.
///
/// A file is named after its tensor, whichever others are chosen. Letters, digits and `.`, `_`, `-` stand for themselves,
/// anything else is % and two hexadecimal digits, as is the first letter of a name that Windows keeps for a device
/// (CON, NUL, COM1). Where two tensors of the model would come to one name, also on a system that does not tell case
/// apart, those after the first get ~2, ~3, in the order of the model, as far as its files are there. Standard output takes
/// bytes only where it is no terminal.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  gguf extract model.gguf 'blk.0.*' -o layer0\n  gguf extract model.gguf '*norm*' -o norms --npy\n  \
    gguf extract model.gguf token_embd.weight --rows 0:10 -o rows\n  gguf extract model.gguf output_norm.weight -o norm.npy\n  gguf extract model.gguf output_norm.weight -o - | xxd | head\n  \
    gguf extract model.gguf 'blk.*.attn_*' --dry-run"
)]
pub(crate) struct Args {
    /// The file, or any member of a shard set
    #[arg(value_name = "FILE")]
    file: std::ffi::OsString,
    /// Names or patterns of tensors (`*`, `?`, `[a-z]`); all tensors when neither these nor --layer are given
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
    /// The folder to write to; of one tensor a file, where it ends in .bin, .raw or .npy; or `-` to write one tensor's
    /// bytes to standard output
    #[arg(long, short, value_name = "OUT", required_unless_present = "dry_run")]
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
    /// Say what would be written and what would be refused, and write nothing
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
        // The files are what was asked for: they are written whether or not anybody listens.
        out.hold();
        // Where standard output was given to the bytes, it gets nothing else.
        let document = self.json && !self.to_stdout();
        let globs = match self.patterns.iter().map(|p| Glob::new(p)).collect::<Result<Vec<_>, _>>() {
            Ok(globs) => globs,
            Err(error) => {
                let failure = Failure::usage("bad-pattern", error.to_string());
                frame::refuse(out, "extract", document, &failure)?;
                return Ok(FAILED);
            }
        };
        let inputs = InputArgs { files: vec![self.file.clone()], how: crate::args::HowArgs::default() };
        if let Some(failure) = self.refusal(&inputs, out.is_terminal()) {
            frame::refuse(out, "extract", document, &failure)?;
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
            let mut jobs = self.jobs(document, &readers, &globs);
            let file = self.output.as_deref().filter(|_| self.names_file());
            if let (Some(file), [job]) = (file, jobs.as_mut_slice()) {
                job.file = file.file_name().map(PathBuf::from).unwrap_or_default();
            }
            let task = Task {
                rows: self.rows,
                npy: self.is_npy(),
                force: self.force,
                folder: self.folder(),
                model: files_of(Path::new(&self.file), document),
                document,
            };
            let there =
                document.parts.iter().fold(0, |n: u64, p| n.saturating_add(p.size.unwrap_or(u64::MAX)));
            let verdicts = self.carry_out(out, &task, &jobs, there)?;
            // What was asked for may be in a shard that is not there.
            if verdicts.iter().any(Result::is_err) || document.problems.iter().any(ShardProblem::is_fatal) {
                status = FAILED;
            } else if jobs.is_empty() {
                status = NO;
            }
            if let Some(files) = &mut files {
                return files.add(out, &json::File::of(document, self.rows, &jobs, &verdicts));
            }
            frame::report_problems(out, document)?;
            if document.model.is_none() { Ok(()) } else { self.say(out, &jobs, &verdicts) }
        })?;
        if let Some(files) = files {
            files.end(out)?;
        }
        Ok(if good { status } else { FAILED })
    }

    /// The tensors that were chosen.
    fn jobs<'a>(
        &self,
        document: &Document<'a>,
        readers: &'a [TensorReader<'a, FileSource>],
        globs: &[Glob],
    ) -> Vec<Job<'a>> {
        let (mut jobs, mut names) = (Vec::new(), Names::default());
        for row in document.model.as_ref().map(Table::new).iter().flat_map(Table::iter) {
            let name = row.name.as_bytes();
            // Of every tensor, so that what else is chosen does not change the name of its file.
            let file = names.file(name, if self.is_npy() { "npy" } else { "bin" });
            let chosen = globs.is_empty() || globs.iter().any(|glob| glob.matches(name));
            let in_layers = self.layers.is_empty()
                || row.layer.is_some_and(|n| self.layers.iter().any(|range| range.contains(&n)));
            if let (true, true, Some(reader)) = (chosen, in_layers, readers.get(row.part_index)) {
                jobs.push(Job { row, reader, file });
            }
        }
        jobs
    }

    /// Why the call as a whole makes no sense.
    fn refusal(&self, inputs: &InputArgs, terminal: bool) -> Option<Failure> {
        if self.file == "-" {
            let text = "tensor data cannot be read from standard input: name a file";
            return Some(Failure::usage("standard-input", text));
        }
        if self.json && self.names_stdout() {
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

    /// Whether `-o` names a file and no folder: by its ending, where no folder is there.
    fn names_file(&self) -> bool {
        let Some(output) = &self.output else { return false };
        let ends = |ending: &std::ffi::OsStr| {
            ["bin", "raw", "npy"].iter().any(|known| ending.eq_ignore_ascii_case(known))
        };
        let folder =
            output.as_os_str().as_encoded_bytes().last().is_some_and(|byte| matches!(byte, b'/' | b'\\'));
        !folder && output.extension().is_some_and(ends) && !output.is_dir()
    }

    /// Whether .npy files are written.
    fn is_npy(&self) -> bool {
        let named = || self.output.as_ref().and_then(|output| output.extension());
        self.npy || (self.names_file() && named().is_some_and(|ending| ending.eq_ignore_ascii_case("npy")))
    }

    /// The folder of the files; `None`: standard output.
    fn folder(&self) -> Option<&Path> {
        let output = self.output.as_deref().filter(|output| *output != Path::new("-"))?;
        if !self.names_file() {
            return Some(output);
        }
        let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
        Some(folder.unwrap_or(Path::new(".")))
    }

    /// Whether standard output was named for the bytes.
    fn names_stdout(&self) -> bool {
        self.output.as_deref() == Some(Path::new("-"))
    }

    /// Whether the bytes themselves go to standard output.
    fn to_stdout(&self) -> bool {
        !self.dry_run && self.names_stdout()
    }

    /// Writes the jobs' files, or tells what would become of them; one verdict each, in their order. `there` is what all
    /// files of the model hold.
    ///
    /// # Errors
    /// Only those of standard output where it takes the bytes.
    fn carry_out(
        &self,
        out: &mut Out,
        task: &Task<'_>,
        jobs: &[Job<'_>],
        there: u64,
    ) -> io::Result<Vec<Verdict>> {
        let told = |trouble: Trouble| Arc::from(trouble.to_string());
        let all = |message: String| Ok(vec![Err(Arc::from(message)); jobs.len()]);
        let mut verdicts: Vec<_> = jobs.iter().map(|job| job.bytes(task).map_err(told)).collect();
        // Tensors may claim the same bytes over and over: a small file would fill a disk.
        let total = verdicts.iter().flatten().fold(0_u64, |sum, size| sum.saturating_add(*size));
        if total > there {
            return all(format!(
                "the chosen tensors take {total} bytes and their files have {there}: they overlap; choose fewer"
            ));
        }
        if self.names_stdout() && jobs.len() > 1 {
            return all(format!("standard output takes one tensor, and {} were chosen", jobs.len()));
        }
        if self.names_file() && jobs.len() > 1 {
            let output = out::path(self.output.as_deref().unwrap_or(Path::new("")));
            return all(format!("{output} takes one tensor, and {} were chosen: name a folder", jobs.len()));
        }
        if let Some((at, error)) = task.folder.and_then(no_folder) {
            return all(format!("{}: {error}", out::path(at)));
        }
        // All that can be known of is known before anything is made, so that a dry run tells it too.
        for (job, verdict) in jobs.iter().zip(&mut verdicts).filter(|(_, verdict)| verdict.is_ok()) {
            if let Err(trouble) = job.check(task) {
                *verdict = Err(told(trouble));
            }
        }
        let mut good: Vec<_> =
            jobs.iter().zip(&mut verdicts).filter(|(_, verdict)| verdict.is_ok()).collect();
        if self.dry_run || good.is_empty() {
            return Ok(verdicts);
        }
        let Some(folder) = task.folder else {
            for (job, verdict) in good {
                let copied = job.copy(task, out.bytes()).and_then(|_| task.unchanged());
                match copied.and_then(|()| out.bytes().flush().map_err(Trouble::Output)) {
                    Ok(()) => {}
                    Err(Trouble::Output(error) | Trouble::Npy(NpyError::Write(error))) => {
                        // A reader that has enough has all that it wanted.
                        if error.kind() != io::ErrorKind::BrokenPipe {
                            return Err(error);
                        }
                    }
                    Err(trouble) => *verdict = Err(told(trouble)),
                }
            }
            return Ok(verdicts);
        };
        if let Err(error) = fs::create_dir_all(folder) {
            return all(format!("{}: {error}", out::path(folder)));
        }
        let threads = self.threads.or_else(|| std::thread::available_parallelism().ok());
        let threads = threads.unwrap_or(NonZeroUsize::MIN);
        let done = map_many(good.len(), threads, &|at| match good.get(at) {
            Some((job, _)) => job.write(task, folder).map_err(told),
            None => Err("not written".into()),
        });
        for ((_, verdict), done) in good.iter_mut().zip(done) {
            **verdict = done;
        }
        Ok(verdicts)
    }

    fn say(&self, out: &mut Out, jobs: &[Job<'_>], results: &[Verdict]) -> io::Result<()> {
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
                    let file = match self.output.as_deref() {
                        // A dry run: the bytes themselves come without a word.
                        Some(_) if self.names_stdout() => "standard output".to_owned(),
                        Some(file) if self.names_file() => out::path(file),
                        folder => out::path(&folder.unwrap_or(Path::new("")).join(&job.file)),
                    };
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
                    writeln!(out, "{name}  {kind}  {shape}  {size}  {file}{note}")?;
                }
                Ok(_) => {}
                // The messages name their tensor or file; one that is about the whole call is said once.
                Err(message) if said.as_ref() != Some(message) => {
                    out.message(Ink::Bad, "error", message)?;
                    said = Some(Arc::clone(message));
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

/// What stands in the way of a folder that is there or is to be made: what is no folder, or the system.
fn no_folder(folder: &Path) -> Option<(&Path, io::Error)> {
    for at in folder.ancestors().filter(|at| !at.as_os_str().is_empty()) {
        match at.metadata() {
            Ok(there) if there.is_dir() => return None,
            Ok(_) => return Some((at, io::ErrorKind::NotADirectory.into())),
            // A link that leads nowhere takes the name.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if at.symlink_metadata().is_ok() {
                    return Some((at, error));
                }
            }
            // Said of what is below it; the reason comes further up.
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {}
            Err(error) => return Some((at, error)),
        }
    }
    None
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
