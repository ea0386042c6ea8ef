//! The findings of a run, written as a baseline.

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use ggufkit::check::{Baseline, Report, Subject};
use ggufkit::io::FileId;
use ggufkit::io::sink::PartFile;

use super::PER_RULE_OF_BASELINE;
use crate::failure::{Failed, Failure};
use crate::frame::Document;
use crate::out::{self, Ink, Out};

/// A baseline that is being collected, and what it must not be written over.
pub(super) struct Known {
    path: PathBuf,
    baseline: Baseline,
    /// Findings that were only counted.
    more: u64,
    /// The files that were judged, under whatever name.
    inputs: BTreeSet<FileId>,
}

impl Known {
    pub(super) fn begin(path: &Path) -> Self {
        Self { path: path.to_owned(), baseline: Baseline::default(), more: 0, inputs: BTreeSet::new() }
    }

    pub(super) fn add(&mut self, document: &Document<'_>, report: &Report, subject: &Subject<'_>) {
        self.baseline.extend(report, subject);
        self.more = report.left_out.iter().fold(self.more, |sum, count| sum.saturating_add(count.more));
        let opened = document.parts.iter().filter_map(|part| FileId::of(part.source.as_ref()?).ok());
        self.inputs.extend(opened);
        // What could not be opened is a model all the same.
        let closed = document.failures.iter().filter_map(|failed| FileId::at(&failed.path).ok()?);
        self.inputs.extend(closed);
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
        Ok(Ok(()))
    }

    fn save(&self) -> Result<(), Failure> {
        // Asked first, before anything is made, and again at the last moment.
        self.allowed()?;
        let mut part = PartFile::create(&self.path).map_err(Failure::Io)?;
        part.write_all(self.baseline.to_json().as_bytes()).map_err(Failure::Io)?;
        part.sync().map_err(Failure::Io)?;
        part.commit_if(true, || self.allowed())?.map_err(Failure::Io)
    }

    fn allowed(&self) -> Result<(), Failure> {
        let there = FileId::at(&self.path).map_err(Failure::Io)?;
        match there.is_some_and(|there| self.inputs.contains(&there)) {
            true => {
                let path = out::path(&self.path);
                let message =
                    format!("{path} is one of the files that are checked: name another for the baseline");
                Err(Failure::usage("is-input", message))
            }
            false => Ok(()),
        }
    }
}
