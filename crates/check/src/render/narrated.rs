//! Findings in sentences, without drawings and columns: for screen readers, for mail, for reading aloud.

use std::fmt::Write as _;

use super::{Ink, Paint, quoted};
use crate::facts::counted;
use crate::finding::Label;
use crate::report::Report;
use crate::subject::Subject;

/// Every finding as a short paragraph, numbered.
#[must_use]
pub fn narrated(report: &Report, subject: &Subject<'_>, paint: Paint<'_>) -> String {
    let mut out = String::new();
    let all = report.findings.len();
    for (number, finding) in report.findings.iter().enumerate() {
        let word = paint(finding.severity.into(), finding.severity.name());
        let _ = writeln!(
            out,
            "Finding {} of {all}: {word}, rule {}, {}.",
            number + 1,
            finding.rule.name,
            finding.rule.code
        );
        sentence(&mut out, &finding.message);
        place(&mut out, "Where", &finding.primary, subject);
        for label in &finding.secondary {
            place(&mut out, "Because of", label, subject);
        }
        for note in &finding.notes {
            let _ = write!(out, "{}: ", paint(Ink::Word, "Note"));
            sentence(&mut out, note);
        }
        for help in &finding.help {
            let _ = write!(out, "{}: ", paint(Ink::Word, "Help"));
            sentence(&mut out, help);
        }
        if let Some(fix) = &finding.fix {
            let _ = write!(out, "{} ({}): ", paint(Ink::Word, "Fix"), fix.safety.name());
            sentence(&mut out, &format!("{}: {}", fix.title, super::fix::how(finding.rule, fix)));
        }
        out.push('\n');
    }
    for count in &report.left_out {
        let (name, things) = (count.rule.name, counted(count.more, &format!("more {}", count.severity)));
        let _ = writeln!(out, "Rule {name} has {things}.");
    }
    out
}

fn place(out: &mut String, word: &str, label: &Label, subject: &Subject<'_>) {
    let span = label.span;
    let name = label.name.as_ref().map(|name| format!(", named {}", quoted(name))).unwrap_or_default();
    let bytes = match span.len {
        0 => format!("at offset {:#x}", span.start),
        1 => format!("the byte at {:#x}", span.start),
        n => format!("{n} bytes from {:#x}", span.start),
    };
    let _ = write!(out, "{word}: {}, {bytes}, field {}{name}", subject.shown(label.file), label.path);
    if !label.text.is_empty() {
        let _ = write!(out, "; {}", label.text);
    }
    out.push_str(".\n");
}

/// A sentence of its own, with a capital and a full stop.
fn sentence(out: &mut String, text: &str) {
    let mut chars = text.chars();
    match chars.next() {
        // Keys, names and commands keep their spelling.
        Some(first)
            if first.is_ascii_lowercase() && !text.split(' ').next().unwrap_or("").contains(['.', '_']) =>
        {
            out.push(first.to_ascii_uppercase());
            out.push_str(chars.as_str());
        }
        _ => out.push_str(text),
    }
    out.push_str(if text.ends_with(['.', '?', '!']) { "\n" } else { ".\n" });
}
