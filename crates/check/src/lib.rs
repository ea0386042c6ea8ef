//! Whether a GGUF file is right.
//!
//! A [`Subject`] (a file, or the shards of a model, as read by the rooms below) goes in, a [`Report`] comes out: findings
//! with the bytes they are about, the rule behind each, what to do, and what was not examined. The reader never hears of
//! what is said here, and nothing here opens a file: bytes are asked for through [`ReadAt`](ggufkit_format::ReadAt).
//!
//! * [`rules`] has the rules, one file each, in families.
//! * [`render`] writes a report for people and for programs.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod architectures;
mod baseline;
mod data;
mod facts;
mod few;
mod finding;
mod loaders;
mod place;
pub mod render;
mod report;
mod rule;
pub mod rules;
mod select;
mod sink;
mod subject;
pub mod template;
#[cfg(test)]
mod testing;
mod vocabulary;

pub use baseline::{Baseline, BaselineError};
pub use data::{DataScan, data_size, scan_data};
pub use finding::{Change, Finding, Fix, Label, Safety};
pub use loaders::{Answer, Loader, Verdict, check_and_loaders, is_of_vocabulary, loaders};
pub use report::{Count, Ignored, Omission, Report, UNREAD};
pub use rule::{Family, Rule, Severity};
pub use select::{Selection, SelectionError};
pub use subject::{File, Source, Subject};

/// How a subject is judged.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which rules speak.
    pub selection: Selection,
    /// Findings of one rule and severity that are kept; the others are counted.
    pub per_rule: u64,
    /// Findings that are known, and only counted.
    pub baseline: Option<Baseline>,
}

impl Default for Options {
    fn default() -> Self {
        Self { selection: Selection::default(), per_rule: 10, baseline: None }
    }
}

/// Judges a subject by every rule. The values of the weights are judged only where `scan` has them ([`scan_data`]).
#[must_use]
pub fn check(subject: &Subject<'_>, options: &Options, scan: Option<&DataScan>) -> Report {
    let parts = subject.parts();
    judge(&facts::Facts::new(subject, &parts, scan), options)
}

fn judge(facts: &facts::Facts<'_>, options: &Options) -> Report {
    let mut sink = sink::Sink::new(facts.subject(), options);
    for family in rules::FAMILIES {
        for entry in *family {
            (entry.check)(facts, &mut sink);
        }
    }
    sink.into_report(report::omissions(facts, &options.selection))
}
