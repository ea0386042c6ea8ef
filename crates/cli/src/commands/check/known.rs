//! The findings of a run, written as a baseline.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use ggufkit::check::{Baseline, Report, Subject};
use ggufkit::io::FileId;
use ggufkit::io::sink::PartFile;

use super::{MAX_BASELINE, PER_RULE_OF_BASELINE};
use crate::failure::{Failed, Failure};
use crate::frame::Document;
use crate::out::{self, Ink, Out};
use crate::taken::Taken;

/// A baseline that is being collected, and what it must not be written over.
pub(super) struct Known {
    path: PathBuf,
    baseline: Baseline,
    /// Findings that were only counted.
    more: u64,
    /// The files that are read, under whatever name: those that are judged, and the list that names them.
    inputs: Taken,
}

/// What the rule is about the place of a baseline: whatever else is there stays, so that no slip of the finger costs a
/// file. A baseline of ours can be made again; a model, a list of files or a configuration cannot.
const RULE: &str = "only a baseline is replaced by a baseline: name another file, or move this one away";

impl Known {
    /// Begins one that will stand at `path`, which must not be one of the files that are named here.
    ///
    /// # Errors
    /// It may not stand there, which is worth knowing before anything is judged.
    pub(super) fn begin<'p>(path: &Path, named: impl Iterator<Item = &'p Path>) -> Result<Self, Failure> {
        if path.as_os_str() == "-" {
            let message = "a baseline is a file, and standard output takes the findings: name a file";
            return Err(Failure::usage("standard-output", message));
        }
        let mut inputs = Taken::default();
        named.for_each(|path| inputs.add(path));
        let known = Self { path: path.to_owned(), baseline: Baseline::default(), more: 0, inputs };
        known.allowed().map(|_| known)
    }

    pub(super) fn add(&mut self, document: &Document<'_>, report: &Report, subject: &Subject<'_>) {
        self.baseline.extend(report, subject);
        self.more = report.left_out.iter().fold(self.more, |sum, count| sum.saturating_add(count.more));
        let parts = document.parts.iter();
        parts.filter_map(|part| part.source.as_ref()).for_each(|source| self.inputs.add_open(source));
        // A shard that stands beside the ones that are judged, or will, is no place for a baseline either.
        document.set.iter().for_each(|set| self.inputs.add_set(set));
        // What could not be opened is a model all the same.
        document.failures.iter().for_each(|failed| self.inputs.add(&failed.path));
    }

    /// Writes it, whole or not at all; inside, why it is not there.
    ///
    /// # Errors
    /// The output's.
    pub(super) fn write(self, out: &mut Out) -> io::Result<Result<(), Failed>> {
        if let Err(failure) = self.save() {
            return Ok(Err(Failed { path: self.path, failure }));
        }
        if self.more > 0 {
            let path = out::path(&self.path);
            let message = format!(
                "{path} lacks {} findings: of one rule {PER_RULE_OF_BASELINE} in a file are written",
                self.more
            );
            out.message(Ink::Warn, "warning", &message)?;
        }
        let findings = match self.baseline.len() {
            1 => "1 finding".to_owned(),
            n => format!("{n} findings"),
        };
        out.message(Ink::Faint, "note", &format!("{} written: {findings}", out::path(&self.path)))?;
        Ok(Ok(()))
    }

    fn save(&self) -> Result<(), Failure> {
        // Asked again, before anything is made and at the last moment: by now the inputs are known.
        let there = self.allowed()?;
        let mut part = PartFile::create(&self.path).map_err(Failure::Io)?;
        if there && let Ok(metadata) = std::fs::metadata(&self.path) {
            part.permit_as(&metadata).map_err(Failure::Io)?;
        }
        part.write_all(self.baseline.to_json().as_bytes()).map_err(Failure::Io)?;
        part.sync().map_err(Failure::Io)?;
        // Where nothing was, nothing is replaced, whatever appears there meanwhile.
        part.commit_if(there, || self.allowed().map(|_| ()))?.map_err(Failure::Io)
    }

    /// Whether a baseline may stand at the path, and whether one does.
    fn allowed(&self) -> Result<bool, Failure> {
        let path = out::path(&self.path);
        let there = FileId::at(&self.path).map_err(Failure::Io)?;
        if self.inputs.holds(&self.path).map_err(Failure::Io)? {
            let message = format!(
                "{path} is one of the files that are checked, or of their set: name another for the baseline"
            );
            return Err(Failure::usage("is-input", message));
        }
        // A name that only a model has is none for a baseline: a shard may be missing there.
        let name = self.path.file_name().map(|name| name.as_encoded_bytes().to_ascii_lowercase());
        if name.is_some_and(|name| name.ends_with(b".gguf")) {
            let message = format!("{path} is the name of a model: give the baseline another");
            return Err(Failure::usage("is-model-name", message));
        }
        if self.path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            return Ok(false);
        }
        // A link that leads to nothing is replaced itself.
        if there.is_none() && !self.path.exists() {
            return Ok(true);
        }
        let refuse = |why: String| {
            let message = format!("{path} {why}");
            let help = Some(RULE.to_owned());
            Err(Failure::Usage { code: "exists", message, help })
        };
        match super::config::read(&self.path, MAX_BASELINE) {
            Ok(text) if Baseline::parse(&text).is_ok() => Ok(true),
            Ok(_) => refuse("exists and is no baseline".to_owned()),
            Err(error) => refuse(format!("exists and is no baseline: {error}")),
        }
    }
}
