//! What `gguf check` says.

use ggufkit::check::{Finding, Label, Omission, Report, Severity};
use ggufkit::format::Span;
use ratatui::text::{Line, Span as Piece};

use super::Look;
use crate::list::List;
use crate::text;

pub(crate) struct Check {
    report: Report,
    pub(crate) list: List,
}

/// A row: something found, or something that was not looked at.
enum Row<'r> {
    Finding(&'r Finding),
    Omission(&'r Omission),
}

impl Check {
    pub(crate) fn new(report: Report) -> Self {
        Self { report, list: List::default() }
    }

    pub(crate) fn len(&self) -> u64 {
        self.report.findings.len().saturating_add(self.report.omissions.len()) as u64
    }

    /// How many findings there are, and the worst.
    pub(crate) fn sum(&self) -> (usize, Option<Severity>) {
        (self.report.findings.len(), self.report.worst())
    }

    fn row(&self, at: u64) -> Option<Row<'_>> {
        let at = usize::try_from(at).ok()?;
        match self.report.findings.get(at) {
            Some(finding) => Some(Row::Finding(finding)),
            None => {
                let at = at.checked_sub(self.report.findings.len())?;
                self.report.omissions.get(at).map(Row::Omission)
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
                Some(Row::Omission(omission)) => format!("{} {}", omission.what, omission.why),
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
                let head = format!("{:8}", finding.severity.name());
                let rule = format!("{}  ", finding.rule.code);
                let left = look.width.saturating_sub(head.len() + rule.len());
                Line::from(vec![
                    Piece::styled(head, look.theme.severity(finding.severity)),
                    Piece::styled(rule, look.theme.faint()),
                    Piece::raw(text::fit(&finding.message, left)),
                ])
            }
            Some(Row::Omission(omission)) => {
                let said = format!("not examined: {}: {}", omission.what, omission.why);
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
        let label = |label: &Label| {
            let name =
                label.name.as_ref().map(|name| format!("  \"{}\"", ggufkit::format::shorten(name, 80)));
            format!("{:#x}  {}{}  {}", label.span.start, label.path, name.unwrap_or_default(), label.text)
        };
        lines.push(Line::from(label(&finding.primary)));
        lines.extend(finding.secondary.iter().map(|other| Line::from(label(other))));
        let said = |(word, text): (&str, &String)| look.told(word, text.clone());
        lines.extend(finding.notes.iter().map(|note| said(("note", note))));
        lines.extend(finding.help.iter().map(|help| said(("help", help))));
        lines
    }

    pub(crate) fn span(&self) -> Option<(usize, Span)> {
        match self.row(self.list.at)? {
            Row::Finding(finding) => Some((finding.primary.file, finding.primary.span)),
            Row::Omission(omission) => Some((omission.file, omission.span?)),
        }
    }

    pub(crate) fn copied(&self) -> Option<(Vec<u8>, String)> {
        match self.row(self.list.at)? {
            Row::Finding(finding) => {
                Some((finding.message.clone().into_bytes(), finding.primary.path.clone()))
            }
            Row::Omission(omission) => Some((omission.why.clone().into_bytes(), omission.what.clone())),
        }
    }
}
