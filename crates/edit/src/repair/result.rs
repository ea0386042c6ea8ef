//! The file that a repair would make, looked at before anything is written: it can be read, and is no worse than before.

use ggufkit_check::{Family, File, Options as Rules, Report, Rule, Severity, Source, Subject, check};
use ggufkit_format::{ByteStr, Options, Plan, Span, View};
use ggufkit_io::{HeadBuffer, diagnose};

use super::{Reason, RepairError};
use crate::preview::Planned;

/// A repair makes padding, and no more than this and the file's size beside it.
const MOST_GROWTH: u64 = 1 << 30;

/// What the rules say of a file before it is repaired; what is made of it is held against that.
#[derive(Default)]
pub(super) struct Before {
    /// How often each rule says something.
    said: Vec<(&'static Rule, u64)>,
    /// Errors that say that readers cannot find their way.
    broken: u64,
    /// Whether the layout was judged; that of a mis-written file is not.
    laid: bool,
}

/// How often each rule says something.
fn said(report: &Report) -> Vec<(&'static Rule, u64)> {
    let kept = report.findings.iter().map(|finding| (finding.rule, 1));
    let more = report.left_out.iter().map(|count| (count.rule, count.more));
    let mut all: Vec<(&'static Rule, u64)> = Vec::new();
    for (rule, n) in kept.chain(more) {
        match all.iter_mut().find(|(other, _)| other.name == rule.name) {
            Some((_, sum)) => *sum = sum.saturating_add(n),
            None => all.push((rule, n)),
        }
    }
    all
}

/// Errors that say that readers cannot find their way in a file; what the model means is not among them, for a key that is
/// mended may be the first that tells.
fn broken(report: &Report) -> u64 {
    let counts = |family: Family, severity: Severity| {
        let families = [Family::Container, Family::Metadata, Family::Layout, Family::Tensors];
        severity == Severity::Error && families.contains(&family)
    };
    let kept =
        report.findings.iter().filter(|finding| counts(finding.rule.family, finding.severity)).count() as u64;
    let more = report.left_out.iter().filter(|count| counts(count.rule.family, count.severity));
    more.fold(kept, |sum, count| sum.saturating_add(count.more))
}

impl Before {
    /// What all rules say of a file, whoever listens: `laid` is whether its layout is the standard one.
    pub(super) fn of(report: &Report, laid: bool) -> Self {
        Self { said: said(report), broken: broken(report), laid }
    }

    /// Whether a rule says something.
    pub(super) fn says(&self, rule: &Rule) -> bool {
        self.times(rule) > 0
    }

    fn times(&self, rule: &Rule) -> u64 {
        self.said.iter().find(|(other, _)| other.name == rule.name).map_or(0, |(_, times)| *times)
    }

    /// Refuses a result of which the rules say worse: more errors, or more about where its data lies.
    pub(super) fn compare(&self, result: &Report) -> Result<(), RepairError> {
        let worse = |(rule, times): &(&'static Rule, u64)| {
            rule.family == Family::Layout && *times > self.times(rule) && rule.severity > Severity::Note
        };
        let laid = if self.laid { said(result).into_iter().find(worse) } else { None };
        let first = match laid {
            Some((rule, _)) => result.findings.iter().find(|finding| finding.rule.name == rule.name),
            None if broken(result) > self.broken => {
                let mut errors = result.findings.iter().filter(|one| one.severity == Severity::Error);
                let new = errors.clone().find(|one| !self.says(one.rule));
                new.or_else(|| errors.next())
            }
            None => return Ok(()),
        };
        let what = first.map(|finding| finding.message.clone()).unwrap_or_default();
        let message = format!("the new file would be worse than the old one: {what}");
        Err(Reason::new("result-worse", message).into())
    }
}

/// What all rules say of what a plan makes: one that is ignored in a file as it is may not be broken by a repair.
pub(super) fn look(plan: &Plan, source: &Source, size: u64) -> Result<Report, RepairError> {
    if plan.len() > size.saturating_mul(2).saturating_add(MOST_GROWTH) {
        let message = format!("the new file would have {} bytes, the file has {size}", plan.len());
        return Err(Reason::new("result-too-large", message).into());
    }
    let planned = Planned::new(plan, source);
    let options = Options::new().with_size(Some(plan.len()));
    let mut buffer = HeadBuffer::new();
    let read = buffer.read(&planned, options)?;
    if let Some(error) = &read.error {
        let message = format!("what would be written could not be read: {error}");
        return Err(Reason::new("result-unreadable", message).at(Span::new(error.offset(), 0)).into());
    }
    let diagnosis = diagnose(&planned, options, &read, buffer.bytes())?;
    let file = File {
        label: ByteStr(b"the new file"),
        file_name: None,
        size: Some(plan.len()),
        view: read.index.as_ref().map(|index| View::new(index, buffer.bytes())),
        error: None,
        diagnosis: &diagnosis,
        source: None,
    };
    Ok(check(&Subject::single(&file), &Rules::default(), None))
}
