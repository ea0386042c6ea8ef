//! A report as JSON, for programs.

use ggufkit_format::ByteStr;
use ggufkit_inspect::json::JsonText;
use serde_json::{Value, json};

use crate::finding::{Finding, Label};
use crate::report::Report;
use crate::rule::{Rule, Severity};
use crate::subject::Subject;

/// What a file is called: a string, `{"bytes": base64}` where it is not UTF-8.
fn file_json(subject: &Subject<'_>, file: usize) -> Value {
    subject.files.get(file).map_or(Value::Null, |file| json!(JsonText(file.label)))
}

fn label_json(label: &Label, subject: &Subject<'_>) -> Value {
    json!({
        "file": file_json(subject, label.file),
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
        "fingerprint": finding.fingerprint(),
    })
}

/// The whole report: findings, what was only counted, what was ignored and why, what was not examined.
#[must_use]
pub fn json(report: &Report, subject: &Subject<'_>) -> Value {
    let findings: Vec<Value> = report.findings.iter().map(|one| finding_json(one, subject)).collect();
    let count = |severity| report.count(severity);
    let more: Vec<Value> = (report.left_out.iter())
        .map(|count| {
            let Rule { name, code, .. } = *count.rule;
            json!({ "rule": name, "code": code, "severity": count.severity, "more": count.more })
        })
        .collect();
    let ignored: Vec<Value> = (report.ignored.iter())
        .map(|one| json!({ "rule": one.rule.name, "code": one.rule.code, "count": one.count, "reason": one.reason }))
        .collect();
    let omissions: Vec<Value> = (report.omissions.iter())
        .map(|one| {
            let file = file_json(subject, one.file);
            let (start, end) = (one.span.map(|span| span.start), one.span.map(|span| span.end()));
            json!({ "file": file, "what": one.what, "why": one.why, "start": start, "end": end })
        })
        .collect();
    json!({
        "counts": {
            "error": count(Severity::Error),
            "warning": count(Severity::Warning),
            "note": count(Severity::Note),
        },
        "findings": findings,
        "left_out": more,
        "ignored": ignored,
        "known": report.known,
        "not_examined": omissions,
    })
}
