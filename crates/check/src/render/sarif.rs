//! A log in SARIF 2.1.0, which code-scanning services read.
//!
//! Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0". Places are byte regions
//! (`byteOffset`, `byteLength`, section 3.30) with a logical location (section 3.33) beside them.

use serde_json::{Value, json};

use crate::finding::{Finding, Label};
use crate::report::Report;
use crate::rule::{Rule, Severity};
use crate::subject::Subject;

/// The rules as SARIF's `reportingDescriptor`s, in the order of [`crate::rules::all`]; results refer to them by position.
#[must_use]
pub fn sarif_rules() -> Value {
    crate::rules::all()
        .map(|rule| {
            json!({
                "id": rule.code,
                "name": rule.name,
                "shortDescription": { "text": rule.summary },
                "fullDescription": { "text": first_line(rule.manual) },
                "help": { "text": manual(rule), "markdown": manual(rule) },
                "defaultConfiguration": { "level": level(rule.severity) },
                "properties": { "tags": [rule.family.name()] },
            })
        })
        .collect()
}

/// The findings of one subject as SARIF `result`s.
#[must_use]
pub fn sarif_results(report: &Report, subject: &Subject<'_>) -> Vec<Value> {
    let rules: Vec<&Rule> = crate::rules::all().collect();
    report.findings.iter().map(|finding| result(finding, subject, &rules)).collect()
}

/// What was not examined, as SARIF `notification`s of the tool's execution.
#[must_use]
pub fn sarif_notifications(report: &Report, subject: &Subject<'_>) -> Vec<Value> {
    let omissions = report.omissions.iter().map(|omission| {
        let text = format!("not examined: {}, because {}", omission.what, omission.why);
        json!({ "level": "note", "message": { "text": text }, "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri(subject.path(omission.file)) } } }] })
    });
    let counts = report.left_out.iter().map(|count| {
        let level = count.severity;
        let text = format!("{} more findings of {} ({level}) are not listed", count.more, count.rule.name);
        json!({ "level": level, "message": { "text": text } })
    });
    omissions.chain(counts).collect()
}

/// The log that holds the results of all subjects.
#[must_use]
pub fn sarif_log(results: &[Value], notifications: &[Value], successful: bool) -> Value {
    json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "ggufkit",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": sarif_rules(),
            } },
            "invocations": [{ "executionSuccessful": successful, "toolExecutionNotifications": notifications }],
            "results": results,
        }],
    })
}

fn result(finding: &Finding, subject: &Subject<'_>, rules: &[&Rule]) -> Value {
    let mut text = finding.message.clone();
    for more in finding.notes.iter().chain(&finding.help) {
        text.push('\n');
        text.push_str(more);
    }
    let related: Vec<Value> = finding.secondary.iter().map(|label| location(label, subject)).collect();
    let mut out = json!({
        "ruleId": finding.rule.code,
        "ruleIndex": rules.iter().position(|rule| rule.code == finding.rule.code),
        "level": level(finding.severity),
        "message": { "text": text },
        "locations": [location(&finding.primary, subject)],
        "partialFingerprints": { "ggufkit/v1": finding.fingerprint() },
    });
    if let (Value::Object(out), false) = (&mut out, related.is_empty()) {
        out.insert("relatedLocations".to_owned(), related.into());
    }
    out
}

fn location(label: &Label, subject: &Subject<'_>) -> Value {
    let mut logical = json!({ "fullyQualifiedName": label.path });
    if let (Value::Object(logical), Some(name)) = (&mut logical, &label.name) {
        logical.insert("name".to_owned(), ggufkit_format::Escaped(name).to_string().into());
    }
    let mut out = json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri(subject.path(label.file)) },
            "region": { "byteOffset": label.span.start, "byteLength": label.span.len },
        },
        "logicalLocations": [logical],
    });
    if let (Value::Object(out), false) = (&mut out, label.text.is_empty()) {
        out.insert("message".to_owned(), json!({ "text": label.text }));
    }
    out
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// The manual without the space that begins each line of a doc comment.
fn manual(rule: &Rule) -> String {
    let lines = rule.manual.lines().map(|line| line.strip_prefix(' ').unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}

fn first_line(manual: &str) -> &str {
    manual.lines().next().unwrap_or_default().trim()
}

/// A path as a URI (RFC 3986), relative where the path is: every byte that is neither unreserved nor a slash is
/// percent-encoded, those that are no UTF-8 too. A backslash parts folders on Windows, and is a part of a name elsewhere.
fn uri(path: &[u8]) -> String {
    let mut out = String::with_capacity(path.len());
    if path.starts_with(b"/") {
        out.push_str("file://");
    }
    for &byte in path {
        match byte {
            b'\\' if cfg!(windows) => out.push('/'),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte))
            }
            _ => {
                use std::fmt::Write as _;
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_a_uri_reference() {
        assert_eq!(uri(b"models/a b%.gguf"), "models/a%20b%25.gguf");
        assert_eq!(uri(b"/models/a.gguf"), "file:///models/a.gguf");
        assert_eq!(uri("模.gguf".as_bytes()), "%E6%A8%A1.gguf");
        assert_eq!(uri(b"a\xff\xfe.gguf"), "a%FF%FE.gguf");
        assert_eq!(uri("a\u{202e}\n.gguf".as_bytes()), "a%E2%80%AE%0A.gguf");
    }
}
