//! One line a finding, for grep and for logs.

use std::fmt::Write as _;

use super::{Ink, Paint, quoted};
use crate::report::Report;
use crate::subject::Subject;

/// `file:0x90..0x98: error[name] GG203: message (path "name")`, a line each.
#[must_use]
pub fn concise(report: &Report, subject: &Subject<'_>, paint: Paint<'_>) -> String {
    let mut out = String::new();
    for finding in &report.findings {
        let label = &finding.primary;
        let place = format!("{}:{}", subject.shown(label.file), label.span);
        let word = format!("{}[{}]", finding.severity, finding.rule.name);
        let _ = write!(
            out,
            "{}: {} {}: {} ({}",
            paint(Ink::Faint, &place),
            paint(finding.severity.into(), &word),
            finding.rule.code,
            finding.message,
            label.path,
        );
        if let Some(name) = &label.name {
            let _ = write!(out, " {}", quoted(name));
        }
        out.push_str(")\n");
    }
    for count in &report.left_out {
        let word = format!("{}[{}]", count.severity, count.rule.name);
        let word = paint(count.severity.into(), &word);
        let _ = writeln!(out, "{word} {}: and {} more", count.rule.code, count.more);
    }
    out
}
