//! A report as JSON, for programs.

use ggufkit_format::ByteStr;
use ggufkit_inspect::json::JsonText;
use serde_json::{Value, json};

use crate::finding::{Finding, Label};
use crate::report::Report;
use crate::rule::Severity;
use crate::subject::Subject;

/// Version of the shape of what [`json()`] gives.
pub const SCHEMA: u32 = 1;

fn label_json(label: &Label, subject: &Subject<'_>) -> Value {
    json!({
        "file": super::file_name(subject, label),
        "start": label.span.start,
        "end": label.span.end(),
        "path": label.path,
        "name": label.name.as_ref().map(|name| json!(JsonText(ByteStr(name)))),
        "text": label.text,
    })
}

/// A finding.
#[must_use]
pub fn finding_json(finding: &Finding, subject: &Subject<'_>) -> Value {
    let secondary: Vec<Value> = finding.secondary.iter().map(|label| label_json(label, subject)).collect();
    let fix = finding.fix.as_ref().map(|fix| json!({ "title": fix.title, "safety": fix.safety.name() }));
    json!({
        "rule": finding.rule.name,
        "code": finding.rule.code,
        "family": finding.rule.family,
        "severity": finding.severity,
        "message": finding.message,
        "primary": label_json(&finding.primary, subject),
        "secondary": secondary,
        "notes": finding.notes,
        "help": finding.help,
        "fix": fix,
    })
}

/// The whole report: findings, what was only counted, what was ignored and why, what was not examined.
#[must_use]
pub fn json(report: &Report, subject: &Subject<'_>) -> Value {
    let findings: Vec<Value> = report.findings.iter().map(|one| finding_json(one, subject)).collect();
    let count = |severity| report.count(severity);
    let more: Vec<Value> = (report.left_out.iter())
        .map(|count| json!({ "rule": count.rule.name, "code": count.rule.code, "more": count.more }))
        .collect();
    let ignored: Vec<Value> = (report.ignored.iter())
        .map(|one| json!({ "rule": one.rule.name, "code": one.rule.code, "count": one.count, "reason": one.reason }))
        .collect();
    let omissions: Vec<Value> = (report.omissions.iter())
        .map(|one| {
            let file = subject.files.get(one.file).map_or("", |file| file.label);
            let span = one.span.map(|span| json!({ "start": span.start, "end": span.end() }));
            json!({ "file": file, "what": one.what, "why": one.why, "span": span })
        })
        .collect();
    json!({
        "errors": count(Severity::Error),
        "warnings": count(Severity::Warning),
        "notes": count(Severity::Note),
        "findings": findings,
        "left_out": more,
        "ignored": ignored,
        "not_examined": omissions,
    })
}
