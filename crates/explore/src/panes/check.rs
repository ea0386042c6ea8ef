//! What `gguf check` says.

use ggufkit::check::{Count, Finding, Label, Omission, Report, Severity, UNREAD};
use ggufkit::format::spec::{Lang, Text};
use ggufkit::format::{Span, shorten};
use ggufkit::inspect::units;
use ratatui::text::{Line, Span as Piece};

use super::{Copied, Look};
use crate::file::Explored;
use crate::list::List;
use crate::text;
use crate::words::{self, filled, said, say};

#[derive(Default)]
pub(crate) struct Check {
    report: Option<Report>,
    omitted: Vec<Omitted>,
    /// What the files are called, where they are several.
    labels: Vec<String>,
    pub(crate) list: List,
}

/// What was not looked at in one file, or in several for the same reason.
struct Omitted {
    first: Omission,
    files: usize,
    /// The file, where there are others that it does not hold for.
    label: Option<String>,
}

impl Omitted {
    fn what(&self, lang: Lang) -> String {
        said(lang, &self.first.what)
    }

    fn why(&self, lang: Lang) -> String {
        said(lang, &self.first.why)
    }

    /// Of how many files it is said, where they are several.
    fn files(&self, lang: Lang) -> Option<String> {
        (self.files > 1).then(|| format!("{} {}", self.files, say(lang, words::FILES)))
    }
}

const fn severity(severity: Severity) -> Text {
    match severity {
        Severity::Error => words::ERROR,
        Severity::Warning => words::WARNING,
        Severity::Note => words::NOTE,
    }
}

/// Columns of the word for how bad something is, and a space.
const SEVERITY: usize = 8;

/// A row: something found, findings that are only counted, or something that was not looked at.
enum Row<'r> {
    Finding(&'r Finding),
    Counted(&'r Count),
    Omission(&'r Omitted),
}

impl Check {
    pub(crate) fn new(report: Report, files: &[Explored<'_>]) -> Self {
        let mut omitted: Vec<Omitted> = Vec::new();
        for one in &report.omissions {
            match omitted.iter_mut().find(|known| known.first.what == one.what && known.first.why == one.why)
            {
                Some(known) => known.files += 1,
                None => omitted.push(Omitted { first: one.clone(), files: 1, label: None }),
            }
        }
        for one in omitted.iter_mut().filter(|one| one.files == 1 && files.len() > 1) {
            one.label = files.get(one.first.file).map(|file| file.label.clone());
        }
        let labels = match files {
            [] | [_] => Vec::new(),
            files => files.iter().map(|file| file.label.clone()).collect(),
        };
        Self { report: Some(report), omitted, labels, list: List::default() }
    }

    /// Whether it is known already what is wrong.
    pub(crate) const fn is_judged(&self) -> bool {
        self.report.is_some()
    }

    fn findings(&self) -> &[Finding] {
        self.report.as_ref().map(|report| report.findings.as_slice()).unwrap_or_default()
    }

    fn counted(&self) -> &[Count] {
        self.report.as_ref().map(|report| report.left_out.as_slice()).unwrap_or_default()
    }

    pub(crate) fn len(&self) -> u64 {
        let told = self.findings().len().saturating_add(self.counted().len());
        told.saturating_add(self.omitted.len()) as u64
    }

    /// How many findings there are, those that are only counted among them, and the worst.
    pub(crate) fn sum(&self) -> (u64, Option<Severity>) {
        let more = self.counted().iter().fold(0_u64, |sum, count| sum.saturating_add(count.more));
        let all = more.saturating_add(self.findings().len() as u64);
        (all, self.report.as_ref().and_then(Report::worst))
    }

    fn row(&self, at: u64) -> Option<Row<'_>> {
        let at = usize::try_from(at).ok()?;
        match self.findings().get(at) {
            Some(finding) => Some(Row::Finding(finding)),
            None => {
                let at = at.checked_sub(self.findings().len())?;
                let counted = self.counted();
                match counted.get(at) {
                    Some(count) => Some(Row::Counted(count)),
                    None => self.omitted.get(at.checked_sub(counted.len())?).map(Row::Omission),
                }
            }
        }
    }

    /// All that is told of a row in one text, in the language of whoever looks for it.
    fn text(&self, at: u64, look: &Look) -> Option<String> {
        let lines: Vec<String> =
            self.lines_of(&self.row(at)?, look).iter().map(ToString::to_string).collect();
        Some(lines.join("\n"))
    }

    pub(crate) fn find(&mut self, wanted: &str, back: bool, look: &Look) -> bool {
        let (len, start) = (self.len(), self.list.at);
        for by in 1..=len {
            let at = if back { start.wrapping_add(len).wrapping_sub(by) } else { start.wrapping_add(by) };
            let Some(at) = at.checked_rem(len) else { return false };
            let Some(said) = self.text(at, look) else { return false };
            if text::holds(said.as_bytes(), wanted.as_bytes()) {
                self.list.go(at, len);
                return true;
            }
        }
        false
    }

    pub(crate) fn line(&self, at: u64, look: &Look) -> Line<'static> {
        match self.row(at) {
            Some(Row::Finding(finding)) => {
                let head = text::column(say(look.lang, severity(finding.severity)), SEVERITY);
                let rule = format!("{}  ", finding.rule.code);
                let left = look.width.saturating_sub(SEVERITY + rule.len());
                // What findings say in detail is in English.
                let said = match look.lang {
                    Lang::En => finding.message.as_str(),
                    Lang::Zh => finding.rule.summary_zh,
                };
                Line::from(vec![
                    Piece::styled(head, look.theme.severity(finding.severity)),
                    Piece::styled(rule, look.theme.faint()),
                    Piece::raw(text::fit(said, left)),
                ])
            }
            Some(Row::Counted(count)) => {
                let head = text::column(say(look.lang, severity(count.severity)), SEVERITY);
                let rule = format!("{}  ", count.rule.code);
                let left = look.width.saturating_sub(SEVERITY + rule.len());
                let more = filled(look.lang, words::MORE_FINDINGS, &[&units::count(count.more)]);
                Line::from(vec![
                    Piece::styled(head, look.theme.severity(count.severity)),
                    Piece::styled(rule, look.theme.faint()),
                    Piece::raw(text::fit(&more, left)),
                ])
            }
            Some(Row::Omission(omitted)) => {
                let clause = |of: &str, what: &str| filled(look.lang, words::CLAUSE, &[of, what]);
                let mut said = clause(&omitted.what(look.lang), &omitted.why(look.lang));
                if let Some(label) = &omitted.label {
                    said = clause(label, &said);
                }
                said = clause(say(look.lang, words::NOT_EXAMINED), &said);
                if let Some(files) = omitted.files(look.lang) {
                    said = filled(look.lang, words::WITH_COUNT, &[&said, &files]);
                }
                Line::styled(text::fit(&said, look.width), look.theme.faint())
            }
            None => Line::default(),
        }
    }

    pub(crate) fn told(&self, look: &Look) -> Vec<Line<'static>> {
        self.row(self.list.at).map(|row| self.lines_of(&row, look)).unwrap_or_default()
    }

    fn lines_of(&self, row: &Row<'_>, look: &Look) -> Vec<Line<'static>> {
        let told = |word, text: String| look.told(say(look.lang, word), text);
        let file = |file: usize| self.labels.get(file).map(|label| told(words::IN_FILE, label.clone()));
        let head = |rule: &ggufkit::check::Rule, severity| {
            Line::from(vec![
                Piece::styled(rule.name, look.theme.severity(severity)),
                Piece::styled(format!("   gguf rule {}", rule.code), look.theme.faint()),
            ])
        };
        match row {
            Row::Finding(finding) => {
                let mut lines = vec![head(finding.rule, finding.severity)];
                if look.lang == Lang::Zh {
                    lines.push(Line::from(finding.rule.summary_zh));
                }
                lines.push(Line::from(said(look.lang, &finding.message)));
                lines.extend(file(finding.primary.file));
                let label = |label: &Label| {
                    let name = label.name.as_ref().map(|name| format!("  \"{}\"", shorten(name, usize::MAX)));
                    let (at, name) = (label.span.start, name.unwrap_or_default());
                    Line::from(format!("{at:#x}  {}{name}  {}", label.path, said(look.lang, &label.text)))
                };
                lines.push(label(&finding.primary));
                for other in &finding.secondary {
                    lines.extend(file(other.file).filter(|_| other.file != finding.primary.file));
                    lines.push(label(other));
                }
                lines.extend(finding.notes.iter().map(|note| told(words::NOTE, said(look.lang, note))));
                lines.extend(finding.help.iter().map(|help| told(words::HELP_WORD, said(look.lang, help))));
                lines
            }
            Row::Counted(count) => {
                let more = filled(look.lang, words::MORE_FINDINGS, &[&units::count(count.more)]);
                vec![head(count.rule, count.severity), Line::from(more)]
            }
            Row::Omission(omitted) => {
                let mut lines = vec![told(words::NOT_EXAMINED, omitted.what(look.lang))];
                lines.push(told(words::WHY, omitted.why(look.lang)));
                lines.extend(omitted.label.clone().map(|label| told(words::IN_FILE, label)));
                lines.extend(omitted.files(look.lang).map(Line::from));
                let span = omitted.first.span.filter(|_| omitted.files == 1);
                lines.extend(span.map(|span| told(words::PLACE, text::span(span))));
                if omitted.first.why == UNREAD {
                    lines.push(told(words::HELP_WORD, say(look.lang, words::READ_THEM).to_owned()));
                }
                lines
            }
        }
    }

    pub(crate) fn span(&self) -> Option<(usize, Span)> {
        match self.row(self.list.at)? {
            Row::Finding(finding) => Some((finding.primary.file, finding.primary.span)),
            Row::Counted(_) => None,
            Row::Omission(Omitted { first, .. }) => Some((first.file, first.span?)),
        }
    }

    /// All that is told of the selected row, and its path.
    pub(crate) fn copied(&self, look: &Look) -> Option<Copied> {
        let place = match self.row(self.list.at)? {
            Row::Finding(finding) => finding.primary.path.clone(),
            Row::Counted(count) => count.rule.name.to_owned(),
            Row::Omission(omitted) => omitted.what(look.lang),
        };
        Some(Copied { value: Some(self.text(self.list.at, look)?.into_bytes()), place })
    }
}
