//! The screen: panes above, a list, what is told of the selected row, a line for keys and texts.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph, Wrap};

use crate::explorer::{Explorer, Pane};
use crate::panes::Look;
use crate::text;
use crate::words;

/// Columns from which on what is told stands beside the list.
const WIDE: u16 = 120;

impl Explorer<'_> {
    /// Draws everything on a frame of any size.
    pub fn draw(&mut self, frame: &mut Frame<'_>) {
        let [top, body, foot] =
            Layout::vertical([Constraint::Length(1), Constraint::Min(1), Constraint::Length(1)])
                .areas(frame.area());
        let told = match body.height {
            0..8 => 0,
            8..16 => 3,
            16..30 => 6,
            _ => 9,
        };
        let (list, beside) = if body.width >= WIDE {
            let [list, beside] = Layout::horizontal([Constraint::Fill(3), Constraint::Fill(2)]).areas(body);
            (list, beside)
        } else {
            let [list, below] = Layout::vertical([Constraint::Min(1), Constraint::Length(told)]).areas(body);
            (list, below)
        };
        self.height = list.height;
        self.tabs(frame, top);
        self.list(frame, list);
        if beside.area() > 0 {
            self.told(frame, beside, body.width >= WIDE);
        }
        self.foot(frame, foot);
        if self.help.is_some() {
            self.keys(frame, frame.area());
        }
    }

    fn look(&self, width: u16) -> Look {
        Look { lang: self.settings.lang, theme: self.theme, width: width.into() }
    }

    fn tabs(&mut self, frame: &mut Frame<'_>, area: Rect) {
        let mut pieces = Vec::new();
        let mut column = area.x;
        self.tabs.clear();
        for (number, pane) in (1..).zip(Pane::ALL) {
            let count = match (pane, self.check.sum()) {
                (Pane::Check, (count, Some(_))) => format!(" ({count})"),
                _ => String::new(),
            };
            let label = format!("{number} {}{count}", self.say(pane.name()));
            let width = u16::try_from(unicode_width::UnicodeWidthStr::width(label.as_str())).unwrap_or(0);
            self.tabs.push((column, column.saturating_add(width), pane));
            column = column.saturating_add(width).saturating_add(2);
            let style = match (pane == self.pane, pane, self.check.sum().1) {
                (true, ..) => self.theme.mark().add_modifier(Modifier::REVERSED),
                (false, Pane::Check, Some(worst)) => self.theme.severity(worst),
                _ => ratatui::style::Style::new(),
            };
            pieces.push(Span::styled(label, style));
            pieces.push(Span::raw("  "));
        }
        frame.render_widget(Line::from(pieces), area);
        let file = self.files.get(self.bytes.file).map(|file| file.label.clone()).unwrap_or_default();
        let file = match self.files.len() {
            0 | 1 => file,
            all => format!("{file}  {}/{all}", self.bytes.file + 1),
        };
        let room = area.width.saturating_sub(column);
        let file = text::fit(&file, room.into());
        let right = Line::styled(file, self.theme.faint()).right_aligned();
        let rest = Rect { x: column.min(area.right()), width: room, ..area };
        frame.render_widget(right, rest);
    }

    fn list(&mut self, frame: &mut Frame<'_>, area: Rect) {
        let look = self.look(area.width);
        let height = u64::from(area.height);
        let (rows, at) = match self.pane {
            Pane::Bytes => {
                let lines = self.bytes.lines(&self.files, height, &look);
                frame.render_widget(Paragraph::new(lines), area);
                return;
            }
            Pane::Tag => (self.tag.list.rows(self.tag.len, height), self.tag.list.at),
            Pane::Tensors => (self.tensors.list.rows(self.tensors.len(), height), self.tensors.list.at),
            Pane::Check => (self.check.list.rows(self.check.len(), height), self.check.list.at),
        };
        if rows.is_empty() {
            let said = match self.pane {
                Pane::Check if !self.check.is_judged() => words::JUDGING,
                Pane::Check => words::NO_FINDINGS,
                _ if self.files.iter().all(|file| file.view.is_none()) => words::NO_HEAD,
                Pane::Tag if !self.tag.filter().is_empty() => words::NO_MATCH,
                Pane::Tensors if !self.tensors.is_empty() => words::NO_MATCH,
                _ => words::NO_ROWS,
            };
            frame.render_widget(Line::styled(self.say(said), self.theme.faint()), area);
            return;
        }
        let lines: Vec<Line<'_>> = rows
            .map(|row| {
                let line = match self.pane {
                    Pane::Tag => self.tag.line(&self.files, row, &look),
                    Pane::Tensors => self.tensors.line(row, &look),
                    _ => self.check.line(row, &look),
                };
                if row == at { line.patch_style(self.theme.selected()) } else { line }
            })
            .collect();
        frame.render_widget(Paragraph::new(lines), area);
    }

    fn told(&self, frame: &mut Frame<'_>, area: Rect, beside: bool) {
        let block = if beside {
            Block::new().borders(ratatui::widgets::Borders::LEFT)
        } else {
            Block::new().borders(ratatui::widgets::Borders::TOP)
        };
        let inner = block.inner(area);
        let look = self.look(inner.width);
        let lines = match self.pane {
            Pane::Tag => self.tag.told(&self.files, &look),
            Pane::Tensors => self.tensors.told(&look),
            Pane::Bytes => self.bytes.told(&self.files, &self.tensors, &look),
            Pane::Check => self.check.told(&look),
        };
        frame.render_widget(block.border_style(self.theme.faint()), area);
        frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }), inner);
    }

    fn foot(&self, frame: &mut Frame<'_>, area: Rect) {
        if let Some(prompt) = &self.prompt {
            let label = format!("{}: ", self.say(prompt.label()));
            let room = usize::from(area.width)
                .saturating_sub(unicode_width::UnicodeWidthStr::width(label.as_str()) + 1);
            let skip = prompt.text.chars().count().saturating_sub(room);
            let shown: String = prompt.text.chars().skip(skip).collect();
            let line = Line::from(vec![
                Span::styled(label, self.theme.group()),
                Span::raw(shown),
                Span::styled(" ", self.theme.selected()),
            ]);
            frame.render_widget(line, area);
            return;
        }
        let (at, len) = match self.pane {
            Pane::Tag => (self.tag.list.at, self.tag.len),
            Pane::Tensors => (self.tensors.list.at, self.tensors.len()),
            Pane::Check => (self.check.list.at, self.check.len()),
            Pane::Bytes => (self.bytes.at, self.files.get(self.bytes.file).map_or(0, |file| file.size)),
        };
        let at = match (self.pane, len) {
            (_, 0) => String::new(),
            (Pane::Bytes, _) => format!("{at:#x} / {len:#x}"),
            _ => format!("{} / {len}", at + 1),
        };
        let keys = self.say(words::KEYS);
        let left = self.said.as_deref().unwrap_or(keys);
        let room = usize::from(area.width).saturating_sub(at.len() + 1);
        let line = text::column(left, room);
        let style = if self.said.is_some() { self.theme.mark() } else { self.theme.faint() };
        let said = if self.said.is_some() { line.trim_end().to_owned() } else { line };
        let gap = room.saturating_sub(unicode_width::UnicodeWidthStr::width(said.as_str())) + 1;
        let pieces =
            vec![Span::styled(said, style), Span::raw(" ".repeat(gap)), Span::styled(at, self.theme.faint())];
        frame.render_widget(Line::from(pieces), area);
    }

    fn keys(&mut self, frame: &mut Frame<'_>, area: Rect) {
        let lines: Vec<Line<'static>> = words::HELP
            .iter()
            .map(|(keys, what)| {
                let keys = text::column(keys, 16);
                Line::from(vec![Span::styled(keys, self.theme.group()), Span::raw(self.say(*what))])
            })
            .collect();
        let all = u16::try_from(lines.len()).unwrap_or(0);
        let height = all.saturating_add(2).min(area.height);
        // The last row stands at the end of the window at most.
        let hidden = all.saturating_sub(height.saturating_sub(2));
        let at = self.help.unwrap_or(0).min(hidden);
        self.help = Some(at);
        let width = area.width.min(66);
        let x = area.x + (area.width - width) / 2;
        let y = area.y + (area.height - height) / 2;
        let window = Rect { x, y, width, height };
        let block =
            Block::bordered().title(self.say(if hidden > 0 { words::MORE_KEYS } else { words::CLOSE }));
        frame.render_widget(Clear, window);
        frame.render_widget(Paragraph::new(lines).scroll((at, 0)).block(block), window);
    }
}
