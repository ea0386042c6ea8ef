//! Where rules put their findings: only selected ones are kept, and of each rule only so many.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::Options;
use crate::finding::{Finding, Label};
use crate::report::{Count, Ignored, Omission, Report};
use crate::rule::{Rule, Severity};
use crate::subject::Subject;

/// Takes findings in.
pub(crate) struct Sink<'o> {
    subject: &'o Subject<'o>,
    options: &'o Options,
    kept: Vec<Finding>,
    /// Findings of each rule and severity, the worst first: kept, and counted only.
    counts: BTreeMap<(&'static str, Reverse<Severity>), (&'static Rule, u64, u64)>,
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

    /// Takes a finding of `rule` in, with the rule's own severity; `finding` is called only when it is kept.
    pub(crate) fn add(&mut self, rule: &'static Rule, finding: impl FnOnce() -> Finding) {
        self.take(rule, rule.severity, finding);
    }

    /// The same with another severity, which must be known before: findings that are only counted are never made.
    pub(crate) fn add_as(
        &mut self,
        rule: &'static Rule,
        severity: Severity,
        finding: impl FnOnce() -> Finding,
    ) {
        self.take(rule, severity, || finding().severity(severity));
    }

    fn take(&mut self, rule: &'static Rule, severity: Severity, finding: impl FnOnce() -> Finding) {
        if !self.options.selection.selects(rule) {
            return;
        }
        if self.options.selection.reason_to_ignore(rule).is_some() {
            self.ignored.entry(rule.code).or_insert((rule, 0)).1 += 1;
            return;
        }
        // What a baseline covers is told by the finding itself, so those of its rules are all made.
        let finding = match self.options.baseline.as_ref().filter(|baseline| baseline.has(rule)) {
            Some(baseline) => {
                let finding = finding();
                if baseline.covers(&finding, self.subject) {
                    self.known += 1;
                    return;
                }
                Made::Now(Box::new(finding))
            }
            None => Made::Later(finding),
        };
        let most = self.options.per_rule;
        let full = self.counts.get_mut(&(rule.code, Reverse(severity))).filter(|(_, kept, _)| *kept >= most);
        let mut finding = match (finding, full) {
            (Made::Now(finding), _) => *finding,
            (Made::Later(_), Some((_, _, left_out))) => {
                *left_out += 1;
                return;
            }
            (Made::Later(finding), None) => finding(),
        };
        let (_, kept, left_out) =
            self.counts.entry((rule.code, Reverse(finding.severity))).or_insert((rule, 0, 0));
        if *kept >= most {
            *left_out += 1;
            return;
        }
        *kept += 1;
        // A cause that lies behind the end of a file that was cut short cannot be shown.
        let files = self.subject.files;
        let size = |label: &Label| files.get(label.file).and_then(|file| file.size).unwrap_or(u64::MAX);
        finding.secondary.retain(|label| label.span.start <= size(label));
        self.kept.push(finding);
    }

    /// Takes more findings of a rule in that are only counted.
    pub(crate) fn add_uncounted(&mut self, rule: &'static Rule, more: u64) {
        if more > 0 && self.wants(rule) && self.options.selection.reason_to_ignore(rule).is_none() {
            self.counts.entry((rule.code, Reverse(rule.severity))).or_insert((rule, 0, 0)).2 += more;
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
        let counts = self.counts.into_iter().filter(|(_, (_, _, more))| *more > 0);
        let left_out = counts.map(|((_, Reverse(severity)), (rule, _, more))| Count { rule, severity, more });
        let reason = |rule| self.options.selection.reason_to_ignore(rule).unwrap_or_default().to_owned();
        Report {
            findings: self.kept,
            left_out: left_out.collect(),
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

/// A finding, or what makes it.
enum Made<F> {
    Now(Box<Finding>),
    Later(F),
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

    use ggufkit_testkit::Builder;

    use crate::testing::Recipe;
    use crate::{Options, Severity};

    /// Keys of the wrong type that no engine reads, and behind them one that every engine needs.
    fn mistyped(notes: u32) -> Builder {
        let file = Builder::new().kv("general.architecture", "llama");
        let keys = [
            "license.name",
            "author",
            "version",
            "basename",
            "finetune",
            "description",
            "license",
            "url",
            "organization",
            "quantized_by",
            "size_label",
            "repo_url",
            "doi",
            "uuid",
        ];
        (0..notes).zip(keys).fold(file, |file, (n, key)| file.kv(format!("general.{key}"), n))
    }

    #[test]
    fn the_worst_finding_is_never_only_counted_behind_milder_ones_of_its_rule() {
        let mut options = Options::default();
        options.selection.select("value-type").unwrap();
        let broken: Recipe = mistyped(11).kv("llama.block_count", "many").into();
        broken.judge(&options, |report, subject| {
            assert_eq!(report.worst(), Some(Severity::Error));
            assert_eq!([Severity::Error, Severity::Note].map(|one| report.count(one)), [1, 11]);
            assert!(report.findings.iter().any(|finding| finding.severity == Severity::Error));
            let json = crate::render::json(report, subject);
            assert_eq!(json["left_out"][0]["severity"], "note");
            assert_eq!(json["left_out"][0]["more"], 1);
        });
        let mild: Recipe = mistyped(12).into();
        mild.judge(&options, |report, _| {
            assert_eq!(report.worst(), Some(Severity::Note));
            assert_eq!((report.count(Severity::Note), report.count(Severity::Warning)), (12, 0));
        });
    }
}
