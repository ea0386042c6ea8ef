//! A file put right, into a new one: what `gguf repair` and `gguf check --fix` have in common.

mod say;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ggufkit::check::{File, Report, Source, Subject, check};
use ggufkit::edit::repair::{Input, Outcome, Output, Policy, RepairError, repair};
use ggufkit::format::{Options, View};
use ggufkit::io::sink::{SinkError, Stage, save};
use ggufkit::io::{FileSource, HeadBuffer, diagnose, inplace};

use super::progress::Bar;
use crate::failure::{Failed, Failure};
use crate::json::{self, Files};
use crate::out::{self, Out};
use crate::taken::Taken;
use crate::{FAILED, NO, OK, frame};

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

impl Answer<'_> {
    /// Errors that remain: in what was written, or in the file when there is nothing to do; `None` where no file tells.
    fn errors_left(&self) -> Option<u64> {
        let outcome = self.result.as_ref().ok()?;
        if outcome.is_empty() {
            return Some(outcome.errors);
        }
        let done = !self.written.is_empty() && self.written.iter().all(|one| one.done);
        let whole = done && self.written.len() == outcome.outputs.len();
        whole.then(|| self.written.iter().fold(0_u64, |sum, one| sum.saturating_add(one.errors)))
    }
}

impl Job<'_> {
    /// Plans, says, writes, reads again; the value is the exit status.
    pub(super) fn run(&self, out: &mut Out, policy: &Policy) -> io::Result<u8> {
        self.run_to(out, policy).map(|(status, _)| status)
    }

    /// The same; beside the status the file that is the result: the one that was written, or the file itself where there
    /// was nothing to do.
    pub(super) fn run_to(&self, out: &mut Out, policy: &Policy) -> io::Result<(u8, Option<PathBuf>)> {
        // What is printed is a report; the work does not depend on who reads it.
        out.hold();
        let label = out::path(self.file);
        if self.file.as_os_str() == "-" {
            let message = "a file is needed: what comes through a pipe is gone when it is known what to do";
            frame::refuse(out, self.command, self.json, &Failure::usage("standard-input", message))?;
            return Ok((FAILED, None));
        }
        if self.output.is_some_and(|output| output.as_os_str() == "-") {
            let message =
                "the new file appears when it is whole, which standard output cannot do: name a file";
            frame::refuse(out, self.command, self.json, &Failure::usage("standard-output", message))?;
            return Ok((FAILED, None));
        }
        frame::recover(out, [self.file].into_iter())?;
        let stamp = inplace::Stamp::of(self.file).ok();
        let source = match frame::source(self.file) {
            Ok(source) => source,
            Err(error) => {
                let answer = Answer {
                    label,
                    path: self.file,
                    result: Err(error.into()),
                    written: Vec::new(),
                    failure: None,
                };
                return self.finish(out, &answer).map(|status| (status, None));
            }
        };
        let input = Input {
            source: &source as &Source,
            label: json::bytes_of(self.file),
            file_name: self.file.file_name().and_then(|name| name.to_str()),
            read: self.read,
        };
        let mut result = repair(&input, policy);
        if let Err(error) = frame::settled(self.file, stamp) {
            result = Err(error.into());
        }
        let mut answer = Answer { label, path: self.file, result, written: Vec::new(), failure: None };
        if !self.json {
            say::plan(out, &answer)?;
        }
        if let Ok(outcome) = &answer.result
            && !outcome.is_empty()
        {
            match self.write(&source, &outcome.outputs, &mut answer.written) {
                Ok(()) => {}
                Err(failure) => answer.failure = Some(failure),
            }
        }
        let result = match &answer.result {
            Ok(outcome) if outcome.is_empty() => Some(self.file.to_owned()),
            _ => answer.written.first().filter(|one| one.done).and_then(|one| one.path.clone()),
        };
        self.finish(out, &answer).map(|status| (status, result))
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
        let mut taken = Taken::default();
        taken.add(self.file);
        taken.add_open(source);
        let is_free = |path: &Path| match taken.holds(path) {
            Ok(false) => Ok(()),
            Ok(true) => {
                let path = out::path(path);
                let message = format!("{path} is the file itself or belongs to its set: name another");
                Err(Failure::usage("is-input", message))
            }
            Err(error) => Err(Failure::Io(error)),
        };
        for path in outputs.iter().filter_map(path) {
            is_free(&path).map_err(|failure| failed(&path, failure))?;
        }
        for output in outputs {
            let (bytes, copied) = (output.plan.len(), output.plan.copied());
            let mut one = Written { path: path(output), bytes, copied, done: false, errors: 0, warnings: 0 };
            if let Some(path) = &one.path {
                let bar = Bar::begin(&out::path(path), bytes);
                let saved = save(&output.plan, source, path, self.force, &mut |now| {
                    bar.at(now.done);
                    match now.stage {
                        Stage::Place => {
                            is_free(path).map_err(|failure| io::Error::other(failure.to_string()))
                        }
                        _ => Ok(()),
                    }
                });
                bar.end();
                saved.map_err(|error| failed(path, failure(error)))?;
                one.done = true;
                (one.errors, one.warnings) = judge(path).map_err(|error| failed(path, Failure::Io(error)))?;
            }
            written.push(one);
        }
        Ok(())
    }
}

/// Why nothing was written, as all commands say it.
pub(super) fn failure(error: SinkError) -> Failure {
    match error {
        SinkError::Exists(path) => {
            Failure::usage("exists", format!("{} exists; --force replaces it", out::path(&path)))
        }
        SinkError::IsSource(path) => {
            Failure::usage("is-input", format!("{} is the file itself: name another", out::path(&path)))
        }
        SinkError::Changed(_) | SinkError::SourceChanged(_) => Failure::Usage {
            code: "changed",
            message: error.to_string(),
            help: Some("run the command again".to_owned()),
        },
        SinkError::NoRoom { needed, free, .. } => Failure::Io(io::Error::new(
            io::ErrorKind::StorageFull,
            format!("{needed} bytes are needed, and {free} are free"),
        )),
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
