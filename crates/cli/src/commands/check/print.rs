//! What `gguf check` prints for people: the findings, and the sums.

use std::io::{self, Write as _};

use ggufkit::check::{Answer, Report, Severity, Subject, UNREAD, Verdict, render};

use super::Format;
use crate::frame::Document;
use crate::out::{Ink, Out, pad};

/// Sums over all files.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) worst: Option<Severity>,
    pub(super) unopened: usize,
    /// Whether there are weights that nobody looked at.
    pub(super) unread: bool,
    /// Inputs that were judged.
    files: u64,
    /// Inputs with a finding of each severity, the worst alone.
    with: [u64; 3],
}

impl Tally {
    pub(super) fn add(&mut self, report: &Report, unopened: usize) {
        self.files += 1;
        self.unopened += unopened;
        self.unread |= report.omissions.iter().any(|omission| omission.why == UNREAD);
        let worst = report.worst();
        if let Some(count) = worst.and_then(|worst| self.with.get_mut(worst as usize)) {
            *count += 1;
        }
        self.worst = self.worst.max(worst);
    }

    /// Whether nothing but findings kept an input from being good: a malformed head is one, a missing file is not.
    pub(super) fn only_findings(&self) -> bool {
        self.files > 0 && self.unopened == 0
    }

    /// One line on all files, where there are several.
    pub(super) fn print(&self, out: &mut Out) -> io::Result<()> {
        if self.files < 2 {
            return Ok(());
        }
        let [notes, warnings, errors] = self.with;
        let clean = self.files.saturating_sub(notes + warnings + errors);
        writeln!(
            out,
            "\n{} files: {errors} with errors, {warnings} with warnings at worst, {notes} with notes only, {clean} without \
             findings",
            self.files
        )
    }
}

/// The findings of one input, what was not examined, and its sum.
pub(super) fn report(
    out: &mut Out,
    format: Format,
    document: &Document<'_>,
    report: &Report,
    subject: &Subject<'_>,
) -> io::Result<()> {
    let text = {
        let paint = |ink: render::Ink, text: &str| {
            let ink = match ink {
                render::Ink::Error => Ink::Bad,
                render::Ink::Warning => Ink::Warn,
                render::Ink::Note | render::Ink::Secondary => Ink::Key,
                render::Ink::Headline | render::Ink::Word => Ink::Head,
                render::Ink::Faint => Ink::Faint,
            };
            out.paint(ink, text).to_string()
        };
        match format {
            Format::Concise => render::concise(report, subject, &paint),
            Format::Narrated => render::narrated(report, subject, &paint),
            Format::Github => render::github(report, subject),
            _ => render::full(report, subject, &paint),
        }
    };
    write!(out, "{text}")?;
    if matches!(format, Format::Concise | Format::Github) {
        return beside(out, document.label, report);
    }
    for ignored in &report.ignored {
        let word = out.paint(Ink::Faint, "ignored");
        let reason = crate::out::plain(ignored.reason.as_bytes());
        writeln!(out, "{word}: {} of {} ({reason})", ignored.count, ignored.rule.name)?;
    }
    if report.known > 0 {
        let word = out.paint(Ink::Faint, "known");
        writeln!(out, "{word}: {} in the baseline", report.known)?;
    }
    for omission in &report.omissions {
        let word = out.paint(Ink::Warn, "not examined");
        let hint = if omission.why == UNREAD { " (--data reads them)" } else { "" };
        writeln!(out, "{word}: {}, because {}{hint}", omission.what, omission.why)?;
    }
    let head = out.paint(Ink::Head, document.label).to_string();
    let mut sums = Vec::new();
    for (severity, ink) in
        [(Severity::Error, Ink::Bad), (Severity::Warning, Ink::Warn), (Severity::Note, Ink::Key)]
    {
        let count = report.count(severity);
        if count > 0 {
            let plural = if count == 1 { "" } else { "s" };
            sums.push(out.paint(ink, format!("{count} {severity}{plural}")).to_string());
        }
    }
    if sums.is_empty() && subject.files.is_empty() {
        return Ok(());
    }
    match sums.is_empty() {
        true => {
            let other = report.known > 0 || !report.ignored.is_empty();
            let good = out.paint(Ink::Good, if other { "no other findings" } else { "no findings" });
            writeln!(out, "{head}: {good}")
        }
        false => writeln!(out, "{head}: {}", sums.join(", ")),
    }
}

/// What is no finding and has to be said, on standard error: standard output has a finding a line and nothing else.
fn beside(out: &mut Out, label: &str, report: &Report) -> io::Result<()> {
    for ignored in &report.ignored {
        let reason = crate::out::plain(ignored.reason.as_bytes());
        let text = format!("{label}: {} of {} ({reason})", ignored.count, ignored.rule.name);
        out.message(Ink::Faint, "ignored", &text)?;
    }
    if report.known > 0 {
        out.message(Ink::Faint, "known", &format!("{label}: {} in the baseline", report.known))?;
    }
    // That weights are not read unless asked for is said once, behind the last file.
    for omission in report.omissions.iter().filter(|omission| omission.why != UNREAD) {
        out.message(
            Ink::Warn,
            "not examined",
            &format!("{label}: {}, because {}", omission.what, omission.why),
        )?;
    }
    Ok(())
}

/// One line a reader: what it does with the file, and the rule that decides.
pub(super) fn answers(out: &mut Out, answers: &[Answer]) -> io::Result<()> {
    let wide = answers.iter().map(|answer| answer.loader.name().len()).max().unwrap_or(0);
    for answer in answers {
        let ink = match answer.verdict {
            Verdict::Accepts => Ink::Good,
            Verdict::Rejects => Ink::Bad,
            Verdict::Unknown => Ink::Faint,
        };
        let verdict = out.paint(ink, pad(answer.verdict.name(), 7)).to_string();
        let rule = answer.rule.map(|rule| format!(" [{}]", rule.name)).unwrap_or_default();
        writeln!(out, "{}  {verdict}  {}{rule}", pad(answer.loader.name(), wide), answer.why)?;
    }
    Ok(())
}
