//! Findings that were there before: a team that begins to check files looks at new ones first.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::report::Report;
use crate::rule::Rule;
use crate::subject::Subject;

/// Version of the shape of a baseline.
const SCHEMA: u32 = 1;

/// Known findings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    entries: BTreeSet<Entry>,
    /// The rules of the entries.
    rules: BTreeSet<String>,
}

/// A finding, by what does not change when bytes move.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Entry {
    /// The file's name without folders, so that a folder may move.
    file: String,
    rule: String,
    fingerprint: String,
}

#[derive(Serialize, Deserialize)]
struct Document {
    schema: u32,
    findings: Vec<Entry>,
}

/// A text that is no baseline.
#[derive(Debug)]
pub struct BaselineError(String);

impl fmt::Display for BaselineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BaselineError {}

impl Baseline {
    /// Reads a baseline.
    ///
    /// # Errors
    /// It is no JSON of the shape that [`Baseline::to_json`] writes, or of a later version.
    pub fn parse(text: &str) -> Result<Self, BaselineError> {
        let document: Document =
            serde_json::from_str(text).map_err(|error| BaselineError(format!("no baseline: {error}")))?;
        if document.schema != SCHEMA {
            let found = document.schema;
            return Err(BaselineError(format!(
                "a baseline of version {found}; version {SCHEMA} is read here"
            )));
        }
        let entries: BTreeSet<Entry> = document.findings.into_iter().collect();
        let rules = entries.iter().map(|entry| entry.rule.clone()).collect();
        Ok(Self { entries, rules })
    }

    /// Takes the findings of a report in.
    pub fn extend(&mut self, report: &Report, subject: &Subject<'_>) {
        self.rules.extend(report.findings.iter().map(|finding| finding.rule.name.to_owned()));
        self.entries.extend(report.findings.iter().map(|finding| entry(finding, subject)));
    }

    /// Whether any finding of the rule was there before.
    pub(crate) fn has(&self, rule: &Rule) -> bool {
        self.rules.contains(rule.name)
    }

    /// Whether the finding was there before.
    #[must_use]
    pub fn covers(&self, finding: &Finding, subject: &Subject<'_>) -> bool {
        self.entries.contains(&entry(finding, subject))
    }

    /// Number of findings that differ.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no finding in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The baseline as text, its entries in order.
    #[must_use]
    pub fn to_json(&self) -> String {
        let document = Document { schema: SCHEMA, findings: self.entries.iter().cloned().collect() };
        serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
    }
}

fn entry(finding: &Finding, subject: &Subject<'_>) -> Entry {
    let file = subject.files.get(finding.primary.file);
    Entry {
        file: match file.and_then(|file| file.file_name) {
            Some(name) => name.to_owned(),
            None => subject.shown(finding.primary.file),
        },
        rule: finding.rule.name.to_owned(),
        fingerprint: finding.fingerprint(),
    }
}
