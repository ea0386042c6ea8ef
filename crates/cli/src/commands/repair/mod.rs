//! `gguf repair`: what can be put right without inventing anything, into a new file.

mod say;

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ggufkit::check::{File, Report, Source, Subject, check};
use ggufkit::edit::repair::{Duplicates, Input, Outcome, Output, Policy, RepairError, repair};
use ggufkit::format::{Options, View};
use ggufkit::io::sink::{SinkError, save, unwatched};
use ggufkit::io::{FileSource, HeadBuffer, diagnose};

use crate::args::ReadArgs;
use crate::failure::{Failed, Failure};
use crate::json::{self, Files};
use crate::out::{self, Ink, Out};
use crate::{FAILED, NO, OK};

/// Which of several values of a key stays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
enum Again {
    /// The file is refused when the values differ
    #[default]
    Refuse,
    /// The first value stays
    KeepFirst,
    /// The last value stays
    KeepLast,
}

/// Put right what is broken, into a new file: layout, padding, order, repeated keys, types, stray bytes
///
/// Nothing is invented: values, names and weights are kept, and what would need a guess is refused, all of it at once.
/// The plan is printed first. The file itself is never written to, and the new one appears only when it is whole.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  gguf repair model.gguf --dry-run\n  gguf repair model.gguf -o fixed.gguf\n  \
    gguf repair twice.gguf -o fixed.gguf --duplicates keep-last\n  gguf repair joined.gguf --separate -o parts\n\n\
    Exit status: 0 repaired, or nothing to repair (no file is written then), 1 it would need a guess, 2 a file could not \
    be read or written, or usage."
)]
pub(crate) struct Args {
    /// The file; of a shard set, one shard
    #[arg(value_name = "FILE")]
    file: OsString,
    /// The file to write; with --separate a folder
    #[arg(long, short, value_name = "OUT", required_unless_present = "dry_run")]
    output: Option<PathBuf>,
    /// Say what would be done, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// What becomes of keys that occur again; one with the same value always goes
    #[arg(long, value_enum, default_value = "refuse", value_name = "POLICY")]
    duplicates: Again,
    /// Cut off bytes that follow the data and belong to nothing
    #[arg(long)]
    cut_trailing: bool,
    /// Cut a file apart that was joined from several, and do nothing else
    #[arg(long, conflicts_with_all = ["duplicates", "cut_trailing"])]
    separate: bool,
    /// Replace files that exist
    #[arg(long)]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    read: ReadArgs,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        let mut policy = Policy::default();
        policy.cut_trailing = self.cut_trailing;
        policy.separate = self.separate;
        policy.duplicates = match self.duplicates {
            Again::Refuse => Duplicates::Refuse,
            Again::KeepFirst => Duplicates::KeepFirst,
            Again::KeepLast => Duplicates::KeepLast,
        };
        let output = self.output.as_deref().filter(|_| !self.dry_run);
        let job = Job {
            command: "repair",
            file: Path::new(&self.file),
            output,
            folder: self.separate,
            force: self.force,
            json: self.json,
            read: self.read.options(),
        };
        job.run(out, &policy)
    }
}

/// One file to be repaired, and where to.
pub(super) struct Job<'a> {
    /// The command that was given, as JSON names it.
    pub(super) command: &'static str,
    /// The file.
    pub(super) file: &'a Path,
    /// The file to write, or the folder; none for a dry run.
    pub(super) output: Option<&'a Path>,
    /// Whether the output is a folder.
    pub(super) folder: bool,
    /// Whether files may be replaced.
    pub(super) force: bool,
    /// Whether JSON is printed.
    pub(super) json: bool,
    /// How the head is read.
    pub(super) read: Options,
}

/// A file that was written, or would be.
struct Written {
    path: Option<PathBuf>,
    bytes: u64,
    copied: u64,
    done: bool,
    /// What its checking says.
    errors: u64,
    warnings: u64,
}

/// What became of a file.
struct Answer<'a> {
    label: String,
    path: &'a Path,
    result: Result<Outcome, RepairError>,
    written: Vec<Written>,
    /// What stopped the writing.
    failure: Option<Failed>,
}

impl Job<'_> {
    /// Plans, says, writes, reads again.
    pub(super) fn run(&self, out: &mut Out, policy: &Policy) -> io::Result<u8> {
        // What is printed is a report; the work does not depend on who reads it.
        out.hold();
        let label = out::path(self.file);
        if self.file.as_os_str() == "-" {
            let message = "a file is needed: what comes through a pipe is gone when it is known what to do";
            out.message(Ink::Bad, "error", message)?;
            return Ok(FAILED);
        }
        let source = match FileSource::open(self.file) {
            Ok(source) => source,
            Err(error) => {
                let answer = Answer {
                    label,
                    path: self.file,
                    result: Err(error.into()),
                    written: Vec::new(),
                    failure: None,
                };
                return self.finish(out, &answer);
            }
        };
        let input = Input {
            source: &source as &Source,
            label: json::bytes_of(self.file),
            file_name: self.file.file_name().and_then(|name| name.to_str()),
            read: self.read,
        };
        let result = repair(&input, policy);
        let mut answer = Answer { label, path: self.file, result, written: Vec::new(), failure: None };
        if !self.json {
            say::plan(out, &answer)?;
        }
        if let Ok(outcome) = &answer.result
            && !outcome.is_sound()
        {
            match self.write(&source, &outcome.outputs, &mut answer.written) {
                Ok(()) => {}
                Err(failure) => answer.failure = Some(failure),
            }
        }
        self.finish(out, &answer)
    }

    fn finish(&self, out: &mut Out, answer: &Answer<'_>) -> io::Result<u8> {
        if self.json {
            let mut files = Files::begin(out, self.command, true)?;
            files.add(out, &say::json(answer))?;
            files.end(out)?;
        } else {
            say::end(out, answer)?;
        }
        Ok(match (&answer.result, &answer.failure) {
            (Err(RepairError::Refused(_)), _) => NO,
            (Err(RepairError::Io(_)), _) | (_, Some(_)) => FAILED,
            (Ok(_), None) => OK,
        })
    }

    /// Writes the files, or says what they would be.
    fn write(
        &self,
        source: &FileSource,
        outputs: &[Output],
        written: &mut Vec<Written>,
    ) -> Result<(), Failed> {
        let path = |output: &Output| {
            let path = self.output?;
            Some(match &output.file_name {
                Some(name) if self.folder => path.join(name),
                _ => path.to_owned(),
            })
        };
        let failed = |path: &Path, failure| Failed { path: path.to_owned(), failure };
        if let (Some(folder), true) = (self.output, self.folder) {
            fs::create_dir_all(folder).map_err(|error| failed(folder, Failure::Io(error)))?;
            // All of them or none, as far as that can be told before.
            let there = outputs.iter().filter_map(path).find(|path| path.symlink_metadata().is_ok());
            if let Some(path) = there.filter(|_| !self.force) {
                let failure = failure(SinkError::Exists(path.clone()));
                return Err(failed(&path, failure));
            }
        }
        for output in outputs {
            let (bytes, copied) = (output.plan.len(), output.plan.copied());
            let mut one = Written { path: path(output), bytes, copied, done: false, errors: 0, warnings: 0 };
            if let Some(path) = &one.path {
                save(&output.plan, source, path, self.force, &mut unwatched)
                    .map_err(|error| failed(path, failure(error)))?;
                one.done = true;
                (one.errors, one.warnings) = judge(path).map_err(|error| failed(path, Failure::Io(error)))?;
            }
            written.push(one);
        }
        Ok(())
    }
}

/// Why nothing was written, as all commands say it.
fn failure(error: SinkError) -> Failure {
    match error {
        SinkError::Exists(path) => {
            Failure::usage("exists", format!("{} exists; --force replaces it", out::path(&path)))
        }
        SinkError::IsSource(path) => {
            Failure::usage("is-input", format!("{} is the file itself: name another", out::path(&path)))
        }
        SinkError::Write { source, .. } => Failure::Io(source),
        SinkError::Read { ref source, .. } => Failure::Io(io::Error::new(source.kind(), error.to_string())),
        other => Failure::Io(io::Error::other(other.to_string())),
    }
}

/// Reads a file that was written and judges it: the numbers of errors and warnings.
fn judge(path: &Path) -> io::Result<(u64, u64)> {
    let source = FileSource::open(path)?;
    let mut buffer = HeadBuffer::new();
    let read = buffer.read(&source, Options::new())?;
    let diagnosis = diagnose(&source, Options::new(), &read, buffer.bytes())?;
    if let Some(error) = &read.error {
        return Err(io::Error::other(format!("what was written cannot be read: {error}")));
    }
    let file = File {
        label: json::bytes_of(path),
        file_name: path.file_name().and_then(|name| name.to_str()),
        size: ggufkit::format::ReadAt::size(&source),
        view: read.index.as_ref().map(|index| View::new(index, buffer.bytes())),
        error: None,
        diagnosis: &diagnosis,
        source: Some(&source as &Source),
    };
    let report: Report = check(&Subject::single(&file), &ggufkit::check::Options::default(), None);
    let count = |severity| report.count(severity);
    Ok((count(ggufkit::check::Severity::Error), count(ggufkit::check::Severity::Warning)))
}
