//! Findings as a compiler prints them, over bytes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Ink, Paint, bytes, quoted};
use crate::finding::{Finding, Label};
use crate::report::Report;
use crate::subject::Subject;

/// Columns behind the gutter of a window: 80 in all.
const WIDTH: usize = 71;

/// Lines of a hex window that one label may take.
const LINES: u64 = 2;

/// Every finding with the bytes it is about, what follows and what to do.
#[must_use]
pub fn full(report: &Report, subject: &Subject<'_>, paint: Paint<'_>) -> String {
    let mut out = String::new();
    for finding in &report.findings {
        one(&mut out, finding, subject, paint);
        out.push('\n');
    }
    for count in &report.left_out {
        let word = format!("{}[{}]", count.severity, count.rule.name);
        let word = paint(count.severity.into(), &word);
        let _ = writeln!(out, "{word} {}: and {} more", count.rule.code, count.more);
    }
    if !report.left_out.is_empty() {
        out.push('\n');
    }
    out
}

fn one(out: &mut String, finding: &Finding, subject: &Subject<'_>, paint: Paint<'_>) {
    let word = format!("{}[{}]", finding.severity, finding.rule.name);
    let _ = writeln!(
        out,
        "{} {}: {}",
        paint(finding.severity.into(), &word),
        finding.rule.code,
        paint(Ink::Headline, &finding.message)
    );
    // The labels of one file share a window; the file of the symptom comes first.
    let mut files: Vec<usize> = vec![finding.primary.file];
    for label in &finding.secondary {
        if !files.contains(&label.file) {
            files.push(label.file);
        }
    }
    for (at, file) in files.into_iter().enumerate() {
        let secondary = finding.secondary.iter().filter(|label| label.file == file);
        let mut labels: Vec<(&Label, bool)> = secondary.map(|label| (label, false)).collect();
        if at == 0 {
            labels.insert(0, (&finding.primary, true));
        }
        if let Some((first, _)) = labels.first() {
            place(out, first, if at == 0 { "-->" } else { ":::" }, subject, paint);
        }
        window(out, file, &labels, finding, subject, paint);
    }
    for note in &finding.notes {
        let _ = writeln!(out, "  {} {}: {note}", paint(Ink::Faint, "="), paint(Ink::Word, "note"));
    }
    for help in &finding.help {
        let _ = writeln!(out, "  {} {}: {help}", paint(Ink::Faint, "="), paint(Ink::Word, "help"));
    }
    if let Some(fix) = &finding.fix {
        let word = format!("fix ({})", fix.safety.name());
        let _ = writeln!(out, "  {} {}: {}", paint(Ink::Faint, "="), paint(Ink::Word, &word), fix.title);
    }
}

/// `--> model.gguf @ 0x0090..0x0098   tensors[0].offset   ("blk.0.attn_q.weight")`.
fn place(out: &mut String, label: &Label, arrow: &str, subject: &Subject<'_>, paint: Paint<'_>) {
    let _ = write!(
        out,
        "  {} {} @ {}   {}",
        paint(Ink::Faint, arrow),
        subject.shown(label.file),
        label.span,
        label.path
    );
    if let Some(name) = &label.name {
        let _ = write!(out, "   ({})", quoted(name));
    }
    out.push('\n');
}

/// The lines of bytes that the labels touch, each with its marks.
fn window(
    out: &mut String,
    file: usize,
    labels: &[(&Label, bool)],
    finding: &Finding,
    subject: &Subject<'_>,
    paint: Paint<'_>,
) {
    let mut lines: BTreeMap<u64, Vec<(&Label, bool)>> = BTreeMap::new();
    for (label, primary) in labels {
        let first = label.span.start / bytes::LINE;
        let last = label.span.end().saturating_sub(1).max(label.span.start) / bytes::LINE;
        for line in first..=last.min(first.saturating_add(LINES - 1)) {
            lines.entry(line).or_default().push((label, *primary));
        }
    }
    let digits = lines.keys().last().map_or(4, |line| {
        let end = line.saturating_mul(bytes::LINE);
        format!("{end:x}").len().max(4)
    });
    let rule = |text: &str| paint(Ink::Faint, text);
    let gutter = format!("{:digits$}   {}", "", rule("│"));
    let columns: String = (0..16).map(|n| format!(" {n:2x}")).collect();
    let _ = writeln!(out, "{gutter}{}", rule(&columns));
    let mut before = None;
    for (line, labels) in &lines {
        if before.is_some_and(|before: u64| before.saturating_add(1) < *line) {
            let _ = writeln!(out, "{:digits$}   {}", "", rule("⋮"));
        }
        before = Some(*line);
        let start = line.saturating_mul(bytes::LINE);
        let bytes = bytes::line(subject, file, start);
        let mut hex = String::new();
        let mut text = String::new();
        for n in 0..16 {
            match bytes.get(n) {
                Some(byte) => {
                    let _ = write!(hex, " {byte:02x}");
                    text.push(match byte {
                        0x20..=0x7e => char::from(*byte),
                        _ => '·',
                    });
                }
                None => hex.push_str("   "),
            }
        }
        let offset = format!("0x{start:0digits$x}");
        let _ = writeln!(out, "{} {}{hex} {} {text}", rule(&offset), rule("│"), rule("│"));
        for (label, primary) in labels {
            marks(out, label, *primary, start, &gutter, finding, paint);
        }
    }
}

/// The line of marks under a line of bytes; the label's words stand behind its last one.
fn marks(
    out: &mut String,
    label: &Label,
    primary: bool,
    start: u64,
    gutter: &str,
    finding: &Finding,
    paint: Paint<'_>,
) {
    let from = label.span.start.max(start).saturating_sub(start);
    let end = label.span.end().max(label.span.start.saturating_add(1)).saturating_sub(start).min(bytes::LINE);
    let shown = label.span.start / bytes::LINE * bytes::LINE;
    let last_line =
        shown.saturating_add(LINES.saturating_mul(bytes::LINE)) <= start.saturating_add(bytes::LINE);
    let ends_here = label.span.end() <= start.saturating_add(bytes::LINE);
    let count = usize::try_from(end.saturating_sub(from)).unwrap_or(0);
    let mark = if primary { "^" } else { "-" };
    let line = mark.repeat((count * 3).saturating_sub(1));
    let indent = " ".repeat(usize::try_from(from).unwrap_or(0) * 3 + 1);
    let ink = if primary { finding.severity.into() } else { Ink::Secondary };
    let mut line = line;
    if !ends_here && last_line {
        line.push('…');
    }
    if label.text.is_empty() || !(ends_here || last_line) {
        let _ = writeln!(out, "{gutter}{indent}{}", paint(ink, &line));
        return;
    }
    // Words that would reach over the edge stand below, as far to the right as they fit.
    let room = WIDTH.saturating_sub(label.text.chars().count());
    if indent.len().saturating_add(line.chars().count()) < room {
        let _ = writeln!(out, "{gutter}{indent}{}", paint(ink, &format!("{line} {}", label.text)));
    } else {
        let _ = writeln!(out, "{gutter}{indent}{}", paint(ink, &line));
        let indent = " ".repeat(indent.len().min(room).max(1));
        let _ = writeln!(out, "{gutter}{indent}{}", paint(ink, &label.text));
    }
}
