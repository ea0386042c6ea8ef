//! What `gguf check` prints for people: the findings, and the sums.

use std::collections::BTreeMap;
use std::io::{self, Write as _};

use ggufkit::check::{Answer, Loader, Omission, Report, Severity, Subject, UNREAD, Verdict, render};

use super::{FailOn, Format};
use crate::frame::Document;
use crate::out::{Ink, Out, columns, pad};
use crate::{FAILED, NO, OK};

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
    /// What was not examined and why, with the number of files it was said of; in the order in which it was first said.
    said: BTreeMap<(String, String), (usize, u64)>,
}

/// Different omissions that are remembered over all files. More of them are said of each file.
const SAID: usize = 1000;

/// The clause that a person reads.
fn clause(what: &str, why: &str) -> String {
    let hint = if why == UNREAD { " (--data reads them)" } else { "" };
    format!("{what}, because {why}{hint}")
}

/// How often each thing was not examined in the files of one input.
fn folded(omissions: &[Omission]) -> Vec<(&Omission, u64)> {
    let mut folded: Vec<(&Omission, u64)> = Vec::new();
    let mut places: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for omission in omissions {
        let at = *places.entry((&omission.what, &omission.why)).or_insert(folded.len());
        match folded.get_mut(at) {
            Some((_, count)) => *count += 1,
            None => folded.push((omission, 1)),
        }
    }
    folded
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
    fn only_findings(&self) -> bool {
        self.files > 0 && self.unopened == 0
    }

    /// The exit status; `good` where every input could be read.
    pub(super) fn status(&self, good: bool, fail_on: FailOn) -> u8 {
        match (good || self.only_findings(), fail_on.fails(self.worst)) {
            (false, _) => FAILED,
            (true, true) => NO,
            (true, false) => OK,
        }
    }

    /// What is to be said of one input: not what was said of one before, which [`Tally::repeated`] counts.
    fn fresh(&mut self, omissions: &[Omission]) -> Vec<String> {
        let mut fresh = Vec::new();
        for (omission, count) in folded(omissions) {
            let order = self.said.len();
            let key = (omission.what.clone(), omission.why.clone());
            let known = self.said.contains_key(&key);
            if order < SAID || known {
                self.said.entry(key).or_insert((order, 0)).1 += count;
            }
            if !known {
                let clause = clause(&omission.what, &omission.why);
                fresh.push(if count > 1 { format!("{count} files: {clause}") } else { clause });
            }
        }
        fresh
    }

    /// What was said of the first of several inputs and holds for more of them, a line each.
    fn repeated(&self) -> Vec<String> {
        let mut said: Vec<_> = self.said.iter().filter(|(_, (_, count))| *count > 1).collect();
        said.sort_by_key(|(_, (order, _))| *order);
        said.into_iter()
            .map(|((what, why), (_, count))| format!("{count} files: {}", clause(what, why)))
            .collect()
    }

    /// The same for the formats of one line a finding, on standard error.
    pub(super) fn print_beside(&self, out: &mut Out) -> io::Result<()> {
        if self.unread {
            out.message(Ink::Warn, "not examined", &clause("the values of the weights", UNREAD))?;
        }
        if self.files < 2 {
            return Ok(());
        }
        self.repeated().iter().try_for_each(|text| out.message(Ink::Warn, "not examined", text))
    }

    /// One line on all files, where there are several, behind what was not examined in more than one.
    pub(super) fn print(&self, out: &mut Out) -> io::Result<()> {
        if self.files < 2 {
            return Ok(());
        }
        let repeated = self.repeated();
        if !repeated.is_empty() {
            writeln!(out)?;
        }
        for text in repeated {
            line(out, Ink::Warn, "not examined", &text)?;
        }
        let [notes, warnings, errors] = self.with;
        let clean = self.files.saturating_sub(notes + warnings + errors);
        writeln!(out)?;
        let text = format!(
            "{} files: {errors} with errors, {warnings} with warnings at worst, {notes} with notes only, {clean} without \
             findings",
            self.files
        );
        out.line(&text, 2)
    }
}

/// The findings of one input, what was not examined, and its sum.
pub(super) fn report(
    out: &mut Out,
    format: Format,
    tally: &mut Tally,
    document: &Document<'_>,
    report: &Report,
    subject: &Subject<'_>,
) -> io::Result<()> {
    if format == Format::Full {
        // One by one: there may be very many of them, and each is a page.
        let edge = out.edge();
        for finding in &report.findings {
            let text = render::one_within(finding, subject, &|ink, text| painted(out, ink, text), edge);
            out.write_all(text.as_bytes())?;
        }
    }
    let text = {
        let paint = |ink: render::Ink, text: &str| painted(out, ink, text);
        match format {
            Format::Concise => render::concise(report, subject, &paint),
            Format::Narrated => render::narrated(report, subject, &paint),
            Format::Github => render::github(report, subject),
            _ => render::left_out(report, &paint),
        }
    };
    match format {
        Format::Narrated => text.lines().try_for_each(|line| out.line(line, 2))?,
        _ => write!(out, "{text}")?,
    }
    if matches!(format, Format::Concise | Format::Github) {
        return beside(out, tally, document.label, report);
    }
    for ignored in &report.ignored {
        let reason = crate::out::plain(ignored.reason.as_bytes());
        let text = format!("{} of {} ({reason})", ignored.count, ignored.rule.name);
        line(out, Ink::Faint, "ignored", &text)?;
    }
    if report.known > 0 {
        let word = out.paint(Ink::Faint, "known");
        writeln!(out, "{word}: {} in the baseline", report.known)?;
    }
    for text in tally.fresh(&report.omissions) {
        line(out, Ink::Warn, "not examined", &text)?;
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
            out.line(&format!("{head}: {good}"), 2)
        }
        false => out.line(&format!("{head}: {}", sums.join(", ")), 2),
    }
}

/// `word: text`, wrapped where it would reach over the edge.
fn line(out: &mut Out, ink: Ink, word: &str, text: &str) -> io::Result<()> {
    let painted = out.paint(ink, word);
    let line = format!("{painted}: {text}");
    out.line(&line, 2)
}

/// A piece of a report in its colour.
fn painted(out: &Out, ink: render::Ink, text: &str) -> String {
    let ink = match ink {
        render::Ink::Error => Ink::Bad,
        render::Ink::Warning => Ink::Warn,
        render::Ink::Note | render::Ink::Secondary => Ink::Key,
        render::Ink::Headline | render::Ink::Word => Ink::Head,
        render::Ink::Faint => Ink::Faint,
    };
    out.paint(ink, text).to_string()
}

/// What is no finding and has to be said, on standard error: standard output has a finding a line and nothing else.
fn beside(out: &mut Out, tally: &mut Tally, label: &str, report: &Report) -> io::Result<()> {
    for ignored in &report.ignored {
        let reason = crate::out::plain(ignored.reason.as_bytes());
        let text = format!("{label}: {} of {} ({reason})", ignored.count, ignored.rule.name);
        out.message(Ink::Faint, "ignored", &text)?;
    }
    if report.known > 0 {
        out.message(Ink::Faint, "known", &format!("{label}: {} in the baseline", report.known))?;
    }
    // That weights are not read unless asked for is said once, behind the last file.
    let omissions: Vec<Omission> =
        report.omissions.iter().filter(|omission| omission.why != UNREAD).cloned().collect();
    for text in tally.fresh(&omissions) {
        out.message(Ink::Warn, "not examined", &format!("{label}: {text}"))?;
    }
    Ok(())
}

/// One line a reader: what it does with the file, and the rule that decides.
///
/// In a form that has a line for everything, `label` names the file in each.
pub(super) fn answers(out: &mut Out, answers: &[Answer], label: Option<&str>) -> io::Result<()> {
    let before = label.map(|label| format!("{label}: ")).unwrap_or_default();
    let wide = answers.iter().map(|answer| answer.loader.name().len()).max().unwrap_or(0);
    for answer in answers {
        let ink = match answer.verdict {
            Verdict::Accepts => Ink::Good,
            Verdict::Rejects => Ink::Bad,
            Verdict::Unknown => Ink::Faint,
        };
        let verdict = out.paint(ink, pad(answer.verdict.name(), 7)).to_string();
        let rule = answer.rule.map(|rule| format!(" [{}]", rule.name)).unwrap_or_default();
        let line = format!("{before}{}  {verdict}  {}{rule}", pad(answer.loader.name(), wide), answer.why);
        out.line(&line, before.len().saturating_add(wide).saturating_add(11))?;
    }
    Ok(())
}

/// The versions of the readers that were looked at, in lines that fit.
pub(super) fn versions(out: &mut Out) -> io::Result<()> {
    const BEGIN: &str = "looked at:";
    let room = out.width().clamp(40, 100);
    let mut lines = vec![BEGIN.to_owned()];
    let mut last = None;
    for loader in
        Loader::ALL.into_iter().filter(|loader| last.replace(loader.version()) != Some(loader.version()))
    {
        let name = loader.name().split(" (").next().unwrap_or_default();
        // A version may name what it is one of.
        let text = match loader.version().starts_with(name) {
            true => format!(" {};", loader.version()),
            false => format!(" {name} {};", loader.version()),
        };
        match lines.last_mut() {
            Some(line) if columns(line) + columns(&text) <= room => line.push_str(&text),
            _ => lines.push(format!("{}{text}", " ".repeat(BEGIN.len()))),
        }
    }
    let text = lines.join("\n");
    let text = out.paint(Ink::Faint, text.trim_end_matches(';')).to_string();
    writeln!(out, "{text}")
}
