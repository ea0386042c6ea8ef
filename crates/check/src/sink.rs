//! Where rules put their findings: only selected ones are kept, and of each rule only so many.

use std::collections::BTreeMap;

use crate::Options;
use crate::finding::Finding;
use crate::report::{Count, Ignored, Omission, Report};
use crate::rule::Rule;
use crate::subject::Subject;

/// Takes findings in.
pub(crate) struct Sink<'o> {
    subject: &'o Subject<'o>,
    options: &'o Options,
    kept: Vec<Finding>,
    /// Findings of each rule: kept, and counted only.
    counts: BTreeMap<&'static str, (&'static Rule, u64, u64)>,
    ignored: BTreeMap<&'static str, (&'static Rule, u64)>,
    omissions: Vec<Omission>,
    /// Findings that the baseline covers.
    known: u64,
}

impl<'o> Sink<'o> {
    pub(crate) fn new(subject: &'o Subject<'o>, options: &'o Options) -> Self {
        Self {
            subject,
            options,
            known: 0,
            kept: Vec::new(),
            counts: BTreeMap::new(),
            ignored: BTreeMap::new(),
            omissions: Vec::new(),
        }
    }

    /// Whether a rule is to speak at all. For checks that cost something; [`Sink::add`] asks again.
    pub(crate) fn wants(&self, rule: &Rule) -> bool {
        self.options.selection.selects(rule)
    }

    /// Takes a finding of `rule` in; `finding` is called only when it is kept.
    pub(crate) fn add(&mut self, rule: &'static Rule, finding: impl FnOnce() -> Finding) {
        if !self.options.selection.selects(rule) {
            return;
        }
        if self.options.selection.reason_to_ignore(rule).is_some() {
            self.ignored.entry(rule.code).or_insert((rule, 0)).1 += 1;
            return;
        }
        if let Some(baseline) = &self.options.baseline {
            let finding = finding();
            if baseline.covers(&finding, self.subject) {
                self.known += 1;
            } else {
                self.keep(rule, || finding);
            }
            return;
        }
        self.keep(rule, finding);
    }

    fn keep(&mut self, rule: &'static Rule, finding: impl FnOnce() -> Finding) {
        let (_, kept, left_out) = self.counts.entry(rule.code).or_insert((rule, 0, 0));
        if *kept >= self.options.per_rule {
            *left_out += 1;
            return;
        }
        *kept += 1;
        self.kept.push(finding());
    }

    /// Takes more findings of a rule in that are only counted.
    pub(crate) fn add_uncounted(&mut self, rule: &'static Rule, more: u64) {
        if more > 0 && self.wants(rule) && self.options.selection.reason_to_ignore(rule).is_none() {
            self.counts.entry(rule.code).or_insert((rule, 0, 0)).2 += more;
        }
    }

    /// Takes in what a rule could not look at; what it says of the rest stands.
    pub(crate) fn omit(&mut self, omission: Omission) {
        self.omissions.push(omission);
    }

    pub(crate) fn into_report(mut self, mut omissions: Vec<Omission>) -> Report {
        omissions.append(&mut self.omissions);
        // Equal places keep the order in which the rules spoke: the cause's rule comes first.
        self.kept.sort_by_key(|finding| (finding.primary.file, finding.primary.span.start));
        let left_out = self.counts.into_values().filter(|(_, _, more)| *more > 0);
        let reason = |rule| self.options.selection.reason_to_ignore(rule).unwrap_or_default().to_owned();
        Report {
            findings: self.kept,
            left_out: left_out.map(|(rule, _, more)| Count { rule, more }).collect(),
            ignored: self
                .ignored
                .into_values()
                .map(|(rule, count)| Ignored { rule, count, reason: reason(rule) })
                .collect(),
            known: self.known,
            omissions,
        }
    }
}
