//! The file that a repair would make, looked at before anything is written: it can be read, and is no worse than before.

use ggufkit_check::{Family, File, Options as Rules, Report, Severity, Source, Subject, check};
use ggufkit_format::{ByteStr, Options, Plan, Span, View};
use ggufkit_io::{HeadBuffer, diagnose};

use super::{Reason, RepairError};
use crate::preview::Planned;

/// A repair makes padding, and no more than this and the file's size beside it.
const MOST_GROWTH: u64 = 1 << 30;

/// Errors that say that readers cannot find their way in a file; what the model means is not among them, for a key that is
/// mended may be the first that tells.
pub(super) fn broken(report: &Report) -> u64 {
    let counts = |family: Family, severity: Severity| {
        severity == Severity::Error && [Family::Container, Family::Layout, Family::Tensors].contains(&family)
    };
    let kept =
        report.findings.iter().filter(|finding| counts(finding.rule.family, finding.severity)).count() as u64;
    let more = report.left_out.iter().filter(|count| counts(count.rule.family, count.severity));
    more.fold(kept, |sum, count| sum.saturating_add(count.more))
}

/// Looks at what a plan makes; `before` counts what was [`broken`]. Every rule is asked: one that is ignored in a file as it
/// is may not be broken by a repair.
pub(super) fn verify(plan: &Plan, source: &Source, size: u64, before: u64) -> Result<(), RepairError> {
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
    let report = check(&Subject::single(&file), &Rules::default(), None);
    if broken(&report) > before {
        let first = report.findings.iter().find(|finding| finding.severity == Severity::Error);
        let what = first.map(|finding| finding.message.clone()).unwrap_or_default();
        let message = format!("the new file would be worse than the old one: {what}");
        return Err(Reason::new("result-worse", message).into());
    }
    Ok(())
}
