//! `gguf extract`: tensor data out of a file, reading no more than it.

mod form;
mod job;
mod json;
mod names;
mod say;

use std::fs;
use std::io::{self, Write as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ggufkit::edit::subset::Metadata;
use ggufkit::format::glob::Glob;
use ggufkit::inspect::tensors::Table;
use ggufkit::io::sink::Terms;
use ggufkit::io::{FileSource, ShardProblem, TensorReader, expand, map_many};
use ggufkit::values::Float;
use ggufkit::values::export::Chosen;

use self::form::{Dtype, Kind};
use self::job::{Job, Task, Trouble, files_of, laid};
use self::names::Names;
use super::progress::Bar;
use super::tensors::SelectArgs;
use crate::args::{InputArgs, ReadArgs, ThreadArgs, number};
use crate::failure::Failure;
use crate::frame::Document;
use crate::json::Files;
use crate::out::{self, Out};
use crate::{FAILED, NO, OK, frame};

/// The bytes of a tensor that were written or would be, or why they were not.
type Verdict = Result<u64, Arc<str>>;

/// What became of the tensors that were chosen.
#[derive(Default)]
struct Done {
    /// Of each of them.
    verdicts: Vec<Verdict>,
    /// Exact size of the file of each, where they have files of their own.
    files: Vec<Option<u64>>,
    /// Exact size of the one file that was named.
    size: Option<u64>,
    /// What is said of those that nothing stands in the way of but others.
    others: Option<Arc<str>>,
}

/// Write tensors to files: their bytes, arrays of NumPy, safetensors, or a GGUF file of these tensors alone
///
/// Only the bytes of the chosen tensors (and rows) are read. Into a folder each tensor becomes a file of its own; a name that
/// ends in .gguf, .safetensors or .npz makes one file of all. A file appears under its name only when it is complete, and the
/// files of the model itself are never written to. Of a set with files missing one file of all is made only of tensors that are
/// named one by one and are there.
///
/// Types of blocks have no counterpart in NumPy and safetensors: --dtype decodes them. Shapes are turned round there: the last
/// dimension is the row.
///
/// A file in a folder is named after its tensor, whichever others are chosen. Letters, digits and `.`, `_`, `-` stand for
/// themselves, anything else is % and two hexadecimal digits, as is the first letter of a name that Windows keeps for a device
/// (CON, NUL, COM1). Where two tensors of the model would come to one name, also on a system that does not tell case
/// apart, those after the first get ~2, ~3, in the order of the model, as far as its files are there. Standard output takes
/// bytes only where it is no terminal.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  gguf extract model.gguf 'blk.0.*' -o layer0\n  gguf extract model.gguf 'blk.0.*' -o layer0.gguf\n  \
    gguf extract model.gguf 'blk.0.*' -o layer0.safetensors --dtype bf16\n  gguf extract model.gguf '*norm*' -o norms.npz\n  \
    gguf extract model.gguf token_embd.weight --rows 0:10 -o rows.npy --dtype f32\n  gguf extract model.gguf output_norm.weight -o - | xxd | head\n  \
    gguf extract model.gguf 'blk.*.attn_*' --dry-run\n\n\
    Exit status: 0 written, 1 no tensor was chosen, 2 a file could not be read or written, something is missing, or usage."
)]
pub(crate) struct Args {
    /// The file, or any member of a shard set
    #[arg(value_name = "FILE")]
    file: std::ffi::OsString,
    /// Names or patterns of tensors (`*`, `?`, `[a-z]`); all tensors when neither these nor other filters are given
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
    /// The folder to write to, which is made where it is not there; one file of all tensors, where it ends in .gguf,
    /// .safetensors or .npz, or of one tensor, where it ends in .bin, .raw or .npy; or `-` to write one tensor's bytes to
    /// standard output
    #[arg(long, short, value_name = "OUT", required_unless_present = "dry_run")]
    output: Option<PathBuf>,
    #[command(flatten)]
    select: SelectArgs,
    /// Only these rows of each tensor, counted from 0, the end not included: 7, 10:20 (10 to 19), 10: or :20
    #[arg(long, value_name = "FROM:TO", value_parser = slice)]
    rows: Option<(u64, u64)>,
    /// Write .npy files
    #[arg(long)]
    npy: bool,
    /// Make these of floats and of types of blocks; integers stay
    #[arg(long, value_enum, value_name = "TYPE")]
    dtype: Option<Dtype>,
    /// Leave the key-values out of a .gguf file, but for the alignment
    #[arg(long)]
    no_metadata: bool,
    /// Overwrite files that exist
    #[arg(long)]
    force: bool,
    /// Leave it to the system when the files reach the disk, as cp does; not where files are replaced
    #[arg(long)]
    no_sync: bool,
    /// Say what would be written and what would be refused, and write nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    threads: ThreadArgs,
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

impl Done {
    /// None of them was written.
    fn none(jobs: &[Job<'_>], message: String) -> Self {
        Self { verdicts: vec![Err(Arc::from(message)); jobs.len()], ..Self::default() }
    }
}

impl Args {
    pub(crate) fn run(mut self, out: &mut Out) -> io::Result<u8> {
        // The files are what was asked for: they are written whether or not anybody listens.
        out.hold();
        let patterns = std::mem::take(&mut self.patterns);
        if let Err(failure) = patterns.iter().try_for_each(|pattern| self.select.add(pattern)) {
            frame::refuse(out, "extract", self.json, &failure)?;
            return Ok(FAILED);
        }
        let inputs = InputArgs { files: vec![self.file.clone()], how: crate::args::HowArgs::default() };
        if let Some(failure) = self.refusal(&inputs, out.is_terminal()) {
            frame::refuse(out, "extract", self.json, &failure)?;
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
            let mut jobs = self.jobs(document, &readers);
            let file = self.output.as_deref().filter(|_| self.names_file());
            if let Some(file) = file.filter(|_| self.is_one_file(jobs.len())) {
                let name = file.file_name().map(PathBuf::from).unwrap_or_default();
                jobs.iter_mut().for_each(|job| job.file.clone_from(&name));
            }
            // Of several files each is written by one thread.
            let alone = self.is_of_all() || jobs.len() < 2;
            let task = Task {
                rows: self.rows,
                kind: self.kind(),
                to: self.float(),
                metadata: if self.no_metadata { Metadata::LeaveOut } else { Metadata::Keep },
                terms: Terms { replace: self.force, sync: !self.no_sync },
                threads: if alone { self.threads.count() } else { NonZeroUsize::MIN },
                model: files_of(Path::new(&self.file), document),
                document,
                files: laid(document),
            };
            let lacking = Self::may_lack(document, &jobs, self.select.names());
            let done = match lacking.filter(|_| self.is_of_all() && !jobs.is_empty()) {
                Some(problem) => {
                    let help = "name the tensors one by one, or get the files that are missing";
                    Done::none(&jobs, format!("not written, since some may be missing: {problem}; {help}"))
                }
                None => self.carry_out(out, &task, &jobs)?,
            };
            if done.verdicts.iter().any(Result::is_err) || lacking.is_some() {
                status = FAILED;
            } else if jobs.is_empty() {
                status = NO;
            }
            if let Some(files) = &mut files {
                return files.add(out, &json::File::of(document, &self, &jobs, &done));
            }
            frame::report_problems(out, document)?;
            // Of a head that was not read to its end nothing is known to be absent: what ended the reading is said.
            let told = !jobs.is_empty() || document.failures.is_empty();
            if document.model.is_some() && told { say::say(&self, out, &jobs, &done) } else { Ok(()) }
        })?;
        if let Some(files) = files {
            files.end(out)?;
        }
        Ok(if good { status } else { FAILED })
    }

    /// The tensors that were chosen.
    fn jobs<'a>(&self, document: &Document<'a>, readers: &'a [TensorReader<'a, FileSource>]) -> Vec<Job<'a>> {
        let (mut jobs, mut names) = (Vec::new(), Names::default());
        for row in document.model.as_ref().map(Table::new).iter().flat_map(Table::iter) {
            let name = row.name.as_bytes();
            // Of every tensor, so that what else is chosen does not change the name of its file.
            let file = names.file(name, self.kind().ending());
            if let (true, Some(reader)) = (self.select.takes(&row), readers.get(row.part_index)) {
                jobs.push(Job { row, reader, file });
            }
        }
        jobs
    }

    /// Why tensors that were asked for may be where nothing could be read; `None` where each was named, and is there
    /// once.
    fn may_lack<'d>(document: &Document<'d>, jobs: &[Job<'_>], globs: &[Glob]) -> Option<&'d ShardProblem> {
        let first = document.problems.iter().find(|problem| problem.is_fatal())?;
        let one = |glob: &Glob| {
            glob.is_name() && jobs.iter().filter(|job| glob.matches(job.row.name.0)).count() == 1
        };
        let named = !globs.is_empty() && globs.iter().all(one);
        (!named).then_some(first)
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
        if let Some(ending) = self.output.as_deref().and_then(Kind::unknown_ending) {
            let output = self.output.as_deref().map(out::path).unwrap_or_default();
            return Some(Failure::Usage {
                code: "unknown-ending",
                message: format!(
                    "{output}: no form of files ends in .{}",
                    out::fit(ending.as_encoded_bytes(), 40)
                ),
                help: Some(format!(
                    "-o takes .gguf, .safetensors, .npz, .npy, .bin or .raw, or a folder: {output}/ makes one of this name"
                )),
            });
        }
        let kind = self.kind();
        if self.dtype.is_some() && kind == Kind::Gguf {
            let text = "a .gguf file keeps the types of its tensors: --dtype is for the other forms";
            return Some(Failure::usage("dtype", text));
        }
        if self.npy && !kind.is_of_one() {
            let text = "--npy makes a file of each tensor, and -o names one of all: leave one of them out";
            return Some(Failure::usage("two-forms", text));
        }
        if self.no_metadata && kind != Kind::Gguf {
            let text = "only a .gguf file has metadata to be left out: -o names none";
            return Some(Failure::usage("no-metadata", text));
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
        self.output.as_deref().and_then(Kind::of_file).is_some()
    }

    /// What is written.
    fn kind(&self) -> Kind {
        match self.output.as_deref().and_then(Kind::of_file) {
            Some(Kind::Raw) | None if self.npy => Kind::Npy,
            Some(kind) => kind,
            None => Kind::Raw,
        }
    }

    /// Whether one file takes all tensors.
    fn is_of_all(&self) -> bool {
        !self.kind().is_of_one()
    }

    /// Whether one file was named, and takes these tensors.
    fn is_one_file(&self, tensors: usize) -> bool {
        self.is_of_all() || (self.names_file() && tensors == 1)
    }

    /// What floats become.
    fn float(&self) -> Option<Float> {
        self.dtype.map(Dtype::float)
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

    /// The file of a tensor in the folder; `None` for standard output, and for a dry run that names no folder.
    fn path_of(&self, job: &Job<'_>) -> Option<PathBuf> {
        self.folder().map(|folder| folder.join(&job.file))
    }

    /// Writes the jobs' files, or tells what would become of them; one verdict each, in their order.
    ///
    /// # Errors
    /// Only those of standard output where it takes the bytes.
    fn carry_out(&self, out: &mut Out, task: &Task<'_>, jobs: &[Job<'_>]) -> io::Result<Done> {
        let told = |trouble: Trouble| Arc::<str>::from(trouble.to_string());
        let all = |message: String| Ok(Done::none(jobs, message));
        let mut verdicts = Vec::with_capacity(jobs.len());
        // Those that can be written, as what is put into files, and their numbers.
        let (mut chosen, mut numbers) = (Vec::new(), Vec::new());
        for (number, job) in jobs.iter().enumerate() {
            verdicts.push(job.choose(task).map_err(told).map(|one| {
                let bytes = one.bytes_as(task.to);
                chosen.push(one);
                numbers.push(number);
                bytes
            }));
        }
        // Tensors may claim the same bytes over and over: a small file would fill a disk.
        let total = chosen.iter().fold(0_u64, |sum, one| sum.saturating_add(one.bytes()));
        let there = task.document.parts.iter().map(|part| part.size.unwrap_or(u64::MAX));
        let there = there.fold(0, u64::saturating_add);
        if total > there {
            return all(format!(
                "the chosen tensors take {total} bytes and their files have {there}: they overlap; choose fewer"
            ));
        }
        if self.names_stdout() && jobs.len() > 1 {
            return all(format!("standard output takes one tensor, and {} were chosen", jobs.len()));
        }
        if self.names_file() && !self.is_of_all() && jobs.len() > 1 {
            let output = out::path(self.output.as_deref().unwrap_or(Path::new("")));
            return all(format!("{output} takes one tensor, and {} were chosen: name a folder", jobs.len()));
        }
        if let Some(folder) = self.folder() {
            // A folder is made where it is what was asked for, and never for a file in it.
            let absent = if self.names_file() { fs::metadata(folder).err() } else { None };
            let absent = absent.map(|error| (folder, error));
            if let Some((at, error)) = no_folder(folder).or(absent) {
                return all(format!("{}: {error}", out::path(at)));
            }
        }
        if let Some(output) = self.output.as_deref().filter(|_| self.is_of_all()) {
            return Ok(self.write_all(task, output, &chosen, verdicts));
        }
        let set = |verdicts: &mut Vec<Verdict>, number: usize, trouble: Trouble| {
            verdicts
                .get_mut(number)
                .into_iter()
                .for_each(|verdict| *verdict = Err(trouble.to_string().into()));
        };
        // All that can be known of is known before anything is made, so that a dry run tells it too.
        let (mut good, mut files) = (Vec::new(), vec![None; jobs.len()]);
        for (one, number) in chosen.chunks(1).zip(numbers) {
            let Some(job) = jobs.get(number) else { continue };
            let path = self.path_of(job);
            let free = path.as_deref().map_or(Ok(()), |path| task.may_write(path));
            match task.size(one).and_then(|size| free.map(|()| size)) {
                Ok(size) => {
                    files.get_mut(number).into_iter().for_each(|file| *file = Some(size));
                    good.push((one, path, size, number));
                }
                Err(trouble) => set(&mut verdicts, number, trouble),
            }
        }
        let done = |verdicts: Vec<Verdict>| {
            let one = self.is_one_file(jobs.len());
            let size = files.first().copied().flatten().filter(|_| one && verdicts.iter().all(Result::is_ok));
            Done { verdicts, size, files: if one { Vec::new() } else { files }, others: None }
        };
        if self.dry_run || good.is_empty() {
            return Ok(done(verdicts));
        }
        let Some(folder) = self.folder() else {
            for (one, .., number) in good {
                let copied = task.stream(one, out.bytes()).and_then(|()| task.unchanged());
                match copied.and_then(|()| out.bytes().flush().map_err(Trouble::Output)) {
                    Ok(()) => {}
                    Err(Trouble::Output(error)) => {
                        // A reader that has enough has all that it wanted.
                        if error.kind() != io::ErrorKind::BrokenPipe {
                            return Err(error);
                        }
                    }
                    Err(trouble) => set(&mut verdicts, number, trouble),
                }
            }
            return Ok(done(verdicts));
        };
        if let Err(error) = fs::create_dir_all(folder) {
            return all(format!("{}: {error}", out::path(folder)));
        }
        let bar = Bar::begin(
            &out::path(folder),
            good.iter().fold(0, |sum: u64, (.., size, _)| sum.saturating_add(*size)),
        );
        let written = map_many(good.len(), self.threads.count(), &|at| {
            let Some((one, Some(path), size, _)) = good.get(at) else { return Ok(()) };
            let written = task.write(one, path, &mut |_| {});
            bar.more(*size);
            written
        });
        bar.end();
        for ((.., number), written) in good.into_iter().zip(written) {
            if let Err(trouble) = written {
                set(&mut verdicts, number, trouble);
            }
        }
        Ok(done(verdicts))
    }

    /// Writes the one file of all, or tells what would become of it: with all of them, or not.
    fn write_all(
        &self,
        task: &Task<'_>,
        output: &Path,
        chosen: &[Chosen<'_, FileSource>],
        mut verdicts: Vec<Verdict>,
    ) -> Done {
        if verdicts.iter().any(Result::is_err) {
            let message: Arc<str> = format!("{}: not written without all of them", out::path(output)).into();
            verdicts.iter_mut().filter(|one| one.is_ok()).for_each(|one| *one = Err(Arc::clone(&message)));
            return Done { verdicts, others: Some(message), ..Done::default() };
        }
        if chosen.is_empty() {
            return Done { verdicts, ..Done::default() };
        }
        let write = |size: u64| {
            if self.dry_run {
                return Ok(());
            }
            let bar = Bar::begin(&out::path(output), size);
            let done = task.write(chosen, output, &mut |done| bar.at(done));
            bar.end();
            done
        };
        let size = task.size(chosen).and_then(|size| {
            task.may_write(output)?;
            write(size).map(|()| size)
        });
        match size {
            Ok(size) => Done { verdicts, size: Some(size), ..Done::default() },
            Err(trouble) => {
                let message: Arc<str> = trouble.to_string().into();
                let verdicts = verdicts.iter().map(|_| Err(Arc::clone(&message))).collect();
                Done { verdicts, ..Done::default() }
            }
        }
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
