//! What `gguf check` says.

use ggufkit::check::{Finding, Label, Omission, Report, Severity};
use ggufkit::format::Span;
use ggufkit::format::spec::{Lang, Text};
use ratatui::text::{Line, Span as Piece};

use super::Look;
use crate::file::Explored;
use crate::list::List;
use crate::text;
use crate::words::{self, say};

#[derive(Default)]
pub(crate) struct Check {
    report: Option<Report>,
    omitted: Vec<Omitted>,
    pub(crate) list: List,
}

/// What was not looked at in one file, or in several for the same reason.
struct Omitted {
    first: Omission,
    files: usize,
    /// The file, where there are others that it does not hold for.
    label: Option<String>,
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

/// A row: something found, or something that was not looked at.
enum Row<'r> {
    Finding(&'r Finding),
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
        Self { report: Some(report), omitted, list: List::default() }
    }

    /// Whether it is known already what is wrong.
    pub(crate) const fn is_judged(&self) -> bool {
        self.report.is_some()
    }

    fn findings(&self) -> &[Finding] {
        self.report.as_ref().map(|report| report.findings.as_slice()).unwrap_or_default()
    }

    pub(crate) fn len(&self) -> u64 {
        self.findings().len().saturating_add(self.omitted.len()) as u64
    }

    /// How many findings there are, and the worst.
    pub(crate) fn sum(&self) -> (usize, Option<Severity>) {
        (self.findings().len(), self.report.as_ref().and_then(Report::worst))
    }

    fn row(&self, at: u64) -> Option<Row<'_>> {
        let at = usize::try_from(at).ok()?;
        match self.findings().get(at) {
            Some(finding) => Some(Row::Finding(finding)),
            None => {
                let at = at.checked_sub(self.findings().len())?;
                self.omitted.get(at).map(Row::Omission)
            }
        }
    }

    pub(crate) fn find(&mut self, wanted: &str, back: bool) -> bool {
        let (len, start) = (self.len(), self.list.at);
        for by in 1..=len {
            let at = if back { start.wrapping_add(len).wrapping_sub(by) } else { start.wrapping_add(by) };
            let Some(at) = at.checked_rem(len) else { return false };
            let said = match self.row(at) {
                Some(Row::Finding(finding)) => {
                    format!("{} {} {}", finding.rule.code, finding.rule.name, finding.message)
                }
                Some(Row::Omission(omitted)) => format!("{} {}", omitted.first.what, omitted.first.why),
                None => return false,
            };
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
            Some(Row::Omission(Omitted { first, files, label })) => {
                let mut said = format!("{}: ", say(look.lang, words::NOT_EXAMINED));
                if let Some(label) = label {
                    said = format!("{said}{label}: ");
                }
                said = format!("{said}{}: {}", first.what, first.why);
                if *files > 1 {
                    said = format!("{said} ({files} {})", say(look.lang, words::FILES));
                }
                Line::styled(text::fit(&said, look.width), look.theme.faint())
            }
            None => Line::default(),
        }
    }

    pub(crate) fn told(&self, look: &Look) -> Vec<Line<'static>> {
        let Some(Row::Finding(finding)) = self.row(self.list.at) else { return Vec::new() };
        let mut lines = vec![Line::from(vec![
            Piece::styled(finding.rule.name, look.theme.severity(finding.severity)),
            Piece::styled(format!("   gguf rule {}", finding.rule.code), look.theme.faint()),
        ])];
        if look.lang != Lang::En {
            lines.push(Line::from(finding.message.clone()));
        }
        let label = |label: &Label| {
            let name =
                label.name.as_ref().map(|name| format!("  \"{}\"", ggufkit::format::shorten(name, 80)));
            format!("{:#x}  {}{}  {}", label.span.start, label.path, name.unwrap_or_default(), label.text)
        };
        lines.push(Line::from(label(&finding.primary)));
        lines.extend(finding.secondary.iter().map(|other| Line::from(label(other))));
        let said = |word, text: &String| look.told(say(look.lang, word), text.clone());
        lines.extend(finding.notes.iter().map(|note| said(words::NOTE, note)));
        lines.extend(finding.help.iter().map(|help| said(words::HELP_WORD, help)));
        lines
    }

    pub(crate) fn span(&self) -> Option<(usize, Span)> {
        match self.row(self.list.at)? {
            Row::Finding(finding) => Some((finding.primary.file, finding.primary.span)),
            Row::Omission(Omitted { first, .. }) => Some((first.file, first.span?)),
        }
    }

    pub(crate) fn copied(&self) -> Option<(Vec<u8>, String)> {
        match self.row(self.list.at)? {
            Row::Finding(finding) => {
                Some((finding.message.clone().into_bytes(), finding.primary.path.clone()))
            }
            Row::Omission(Omitted { first, .. }) => {
                Some((first.why.clone().into_bytes(), first.what.clone()))
            }
        }
    }
}
