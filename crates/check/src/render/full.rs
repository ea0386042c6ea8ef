//! Findings as a compiler prints them, over bytes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Ink, Paint, bytes, fix, quoted};
use crate::finding::{Finding, Label};
use crate::report::Report;
use crate::subject::Subject;

/// Columns of a window where no width is given.
const WIDTH: usize = 79;

/// Bytes of a hex window that one label may take.
const BYTES: u64 = 32;

/// Every finding with the bytes it is about, what follows and what to do. A text is one line, however long.
#[must_use]
pub fn full(report: &Report, subject: &Subject<'_>, paint: Paint<'_>) -> String {
    full_within(report, subject, paint, None)
}

/// The same for a terminal of so many columns: texts are wrapped there, and hex windows have rows of 16, 8 or 4 bytes.
#[must_use]
pub fn full_within(report: &Report, subject: &Subject<'_>, paint: Paint<'_>, width: Option<usize>) -> String {
    let mut out = String::new();
    for finding in &report.findings {
        out.push_str(&one_within(finding, subject, paint, width));
    }
    out.push_str(&left_out(report, paint));
    out
}

/// One finding of a report, so that a long one need not be held as a whole.
#[must_use]
pub fn one_within(
    finding: &Finding,
    subject: &Subject<'_>,
    paint: Paint<'_>,
    width: Option<usize>,
) -> String {
    let mut page = Page { out: String::new(), subject, paint, width };
    page.finding(finding);
    page.out.push('\n');
    page.out
}

/// What is only counted.
#[must_use]
pub fn left_out(report: &Report, paint: Paint<'_>) -> String {
    let mut out = String::new();
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

/// What is being written, and for whom.
struct Page<'a> {
    out: String,
    subject: &'a Subject<'a>,
    paint: Paint<'a>,
    width: Option<usize>,
}

/// A hex window: how it is ruled.
struct Ruling {
    /// What stands before the bytes of a line without an offset.
    gutter: String,
    /// Digits of an offset.
    digits: usize,
    /// Bytes in a row.
    row: u64,
    /// Columns behind the gutter.
    room: usize,
}

impl Page<'_> {
    fn finding(&mut self, finding: &Finding) {
        let paint = self.paint;
        let word = format!("{}[{}]", finding.severity, finding.rule.name);
        let lead = word.chars().count() + 1 + finding.rule.code.len() + 2;
        let lines = self.wrapped(&finding.message, lead, 2);
        let _ = write!(self.out, "{} {}:", paint(finding.severity.into(), &word), finding.rule.code);
        for (at, line) in lines.iter().enumerate() {
            // The first word may be too long to stand behind the rule's name.
            let indent = match (at, line.is_empty()) {
                (0, true) => 0,
                (0, false) => 1,
                _ => 2,
            };
            let line = if line.is_empty() { String::new() } else { paint(Ink::Headline, line) };
            let _ = writeln!(self.out, "{:indent$}{line}", "");
        }
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
                self.place(first, if at == 0 { "-->" } else { ":::" });
            }
            self.window(file, &labels, finding);
        }
        for note in &finding.notes {
            self.said("note", note);
        }
        for help in &finding.help {
            self.said("help", help);
        }
        if let Some(fix) = &finding.fix {
            let word = format!("fix ({})", fix.safety.name());
            self.said(&word, &format!("{}: {}", fix.title, fix::how(finding.rule, fix)));
        }
    }

    /// A text in lines that fit behind `indent`, the first behind `lead`; one line where no width is given.
    fn wrapped(&self, text: &str, lead: usize, indent: usize) -> Vec<String> {
        let Some(width) = self.width else { return vec![text.to_owned()] };
        let (first, next) = (" ".repeat(lead), " ".repeat(indent));
        // Words are broken only where one is longer than a line, and options never at their hyphens.
        let options = textwrap::Options::new(width)
            .initial_indent(&first)
            .subsequent_indent(&next)
            .word_splitter(textwrap::WordSplitter::NoHyphenation);
        let lines = textwrap::wrap(text, options);
        let cut = |(at, line): (usize, &std::borrow::Cow<'_, str>)| {
            let indent = if at == 0 { lead } else { indent };
            line.get(indent..).unwrap_or_default().to_owned()
        };
        lines.iter().enumerate().map(cut).collect()
    }

    /// `= word: text`.
    fn said(&mut self, word: &str, text: &str) {
        let paint = self.paint;
        let lines = self.wrapped(text, 4 + word.chars().count() + 2, 8);
        let _ = write!(self.out, "  {} {}: ", paint(Ink::Faint, "="), paint(Ink::Word, word));
        for (at, line) in lines.iter().enumerate() {
            let indent = if at == 0 { 0 } else { 8 };
            let _ = writeln!(self.out, "{:indent$}{line}", "");
        }
    }

    /// `--> model.gguf @ 0x0090..0x0098   tensors[0].offset   ("blk.0.attn_q.weight")`.
    fn place(&mut self, label: &Label, arrow: &str) {
        let name = label.name.as_ref().map(|name| format!("({})", quoted(name)));
        let file = format!("{} @ {}", self.subject.shown(label.file), label.span);
        let pieces = [Some(file), Some(label.path.clone()), name];
        let _ = write!(self.out, "  {} ", (self.paint)(Ink::Faint, arrow));
        let mut column = 6;
        for (at, piece) in pieces.into_iter().flatten().enumerate() {
            let columns = textwrap::core::display_width(&piece);
            // What does not fit stands below, and is broken where a line is too short for it.
            if at > 0 && self.width.is_some_and(|width| column + 3 + columns > width) {
                self.out.push_str("\n      ");
                column = 6;
            } else if at > 0 {
                self.out.push_str("   ");
                column += 3;
            }
            self.out.push_str(&self.wrapped(&piece, 6, 6).join("\n      "));
            column += columns;
        }
        self.out.push('\n');
    }

    /// How a window is ruled whose last byte is at `end`: with as many bytes in a row as there is room for.
    fn ruling(&self, end: u64) -> Ruling {
        let digits = format!("{:x}", end / 16 * 16).len().max(4);
        let width = self.width.unwrap_or(WIDTH);
        // The offset behind 0x, two rules with their spaces, and for a byte three columns of hex and one of text.
        let fits = |row: &u64| self.width.is_none() || digits + 7 + 4 * (*row as usize) <= width;
        let row = [16, 8].into_iter().find(fits).unwrap_or(4);
        let gutter = format!("{:digits$}   {}", "", (self.paint)(Ink::Faint, "│"));
        // Words do not stand further to the right than in a window of usual width.
        let room = width.min(WIDTH).saturating_sub(if self.width.is_some() { digits + 4 } else { 8 });
        Ruling { gutter, digits, row, room }
    }

    /// The lines of bytes that the labels touch, each with its marks.
    fn window(&mut self, file: usize, labels: &[(&Label, bool)], finding: &Finding) {
        let last = |label: &Label| label.span.end().saturating_sub(1).max(label.span.start);
        // Only so many bytes of a label are shown.
        let shown = |label: &Label| last(label).min(label.span.start.saturating_add(BYTES));
        let end = labels.iter().map(|(label, _)| shown(label)).max().unwrap_or(0);
        let ruling = self.ruling(end);
        let row = ruling.row;
        let mut lines: BTreeMap<u64, Vec<(&Label, bool)>> = BTreeMap::new();
        for (label, primary) in labels {
            let first = label.span.start / row;
            for line in first..=(last(label) / row).min(first.saturating_add(BYTES / row - 1)) {
                lines.entry(line).or_default().push((label, *primary));
            }
        }
        let paint = self.paint;
        let (digits, gutter) = (ruling.digits, &ruling.gutter);
        let rule = |text: &str| paint(Ink::Faint, text);
        let columns: String = (0..row).map(|n| format!(" {n:2x}")).collect();
        // Rows of fewer bytes begin at any multiple of their length, so that columns have no last digit.
        match row {
            16 => _ = writeln!(self.out, "{gutter}{}", rule(&columns)),
            _ => _ = writeln!(self.out, "{gutter}"),
        }
        let mut before = None;
        for (line, labels) in &lines {
            if before.is_some_and(|before: u64| before.saturating_add(1) < *line) {
                let _ = writeln!(self.out, "{:digits$}   {}", "", rule("⋮"));
            }
            before = Some(*line);
            let start = line.saturating_mul(row);
            let bytes = bytes::line(self.subject, file, start, row);
            let mut hex = String::new();
            let mut text = String::new();
            for n in 0..row as usize {
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
            let _ = writeln!(self.out, "{} {}{hex} {} {text}", rule(&offset), rule("│"), rule("│"));
            for (label, primary) in labels {
                self.marks(label, *primary, start, &ruling, finding);
            }
        }
    }

    /// The line of marks under a line of bytes; the label's words stand behind its last one.
    fn marks(&mut self, label: &Label, primary: bool, start: u64, ruling: &Ruling, finding: &Finding) {
        let (row, gutter, paint) = (ruling.row, &ruling.gutter, self.paint);
        let from = label.span.start.max(start).saturating_sub(start);
        let end = label.span.end().max(label.span.start.saturating_add(1)).saturating_sub(start).min(row);
        let shown = label.span.start / row * row;
        let last_line = shown.saturating_add(BYTES) <= start.saturating_add(row);
        let ends_here = label.span.end() <= start.saturating_add(row);
        let count = usize::try_from(end.saturating_sub(from)).unwrap_or(0);
        let mark = if primary { "^" } else { "-" };
        let mut line = mark.repeat((count * 3).saturating_sub(1));
        let indent = " ".repeat(usize::try_from(from).unwrap_or(0) * 3 + 1);
        let ink = if primary { finding.severity.into() } else { Ink::Secondary };
        if !ends_here && last_line {
            line.push('…');
        }
        if label.text.is_empty() || !(ends_here || last_line) {
            let _ = writeln!(self.out, "{gutter}{indent}{}", paint(ink, &line));
            return;
        }
        // Words that would reach over the edge stand below, as far to the right as they fit.
        let columns = textwrap::core::display_width(&label.text);
        let room = ruling.room.saturating_sub(columns);
        if indent.len().saturating_add(line.chars().count()) < room {
            let _ = writeln!(self.out, "{gutter}{indent}{}", paint(ink, &format!("{line} {}", label.text)));
            return;
        }
        let _ = writeln!(self.out, "{gutter}{indent}{}", paint(ink, &line));
        let indent = " ".repeat(indent.len().min(room).max(1));
        let words = match self.width {
            Some(_) => textwrap::wrap(&label.text, ruling.room.saturating_sub(1).max(8)),
            None => vec![label.text.as_str().into()],
        };
        for words in words {
            let _ = writeln!(self.out, "{gutter}{indent}{}", paint(ink, &words));
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

    use ggufkit_testkit::{Builder, Tensor};

    use super::*;
    use crate::Options;
    use crate::render::plain;
    use crate::testing::Recipe;

    /// A file with findings of long texts, long names and labels on both sides of a row.
    fn broken() -> Recipe {
        let file = Builder::new()
            .kv("general.architecture", "llama")
            .kv("llama.context_length", 4096_u32)
            .kv("llama.context_length", 8192_u32)
            .kv(format!("general.{}", "long".repeat(20)), "a\0b");
        file.tensor(Tensor::f32("output.weight", &[8]).offset(17)).trailing(*b"left from before").into()
    }

    #[test]
    fn nothing_reaches_over_the_edge_and_no_word_is_lost() {
        broken().judge(&Options::default(), |report, subject| {
            assert!(report.findings.len() > 3);
            let unwrapped = full(report, subject, &plain);
            for width in [40, 43, 44, 60, 71, 72, 75, 80, 120] {
                let text = full_within(report, subject, &plain, Some(width));
                for line in text.lines() {
                    assert!(textwrap::core::display_width(line) <= width, "{width}: {line}");
                    assert!(
                        !line.starts_with(['e', 'w', 'n']) || line.trim_end() == line,
                        "{width}: {line:?}"
                    );
                }
                let bytes = text.lines().find(|line| line.starts_with("0x")).unwrap();
                let row = bytes.split('│').nth(1).unwrap().len() / 3;
                let most = match width {
                    75.. => 16,
                    43.. => 8,
                    _ => 4,
                };
                assert_eq!(row, most, "{width}: {bytes}");
                // Each note, help and fix is there, its words in their order.
                let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
                let joined = words(&text);
                for line in unwrapped.lines().filter(|line| line.starts_with("  = ")) {
                    assert!(joined.contains(&words(line)), "{width}: {line}");
                }
            }
        });
    }
}
