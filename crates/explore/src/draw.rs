//! The screen: panes above, what is lacking, a list, what is told of the selected row, a line for keys and texts.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr as _;

use crate::explorer::{Areas, Explorer, Pane};
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
        // A line for what is lacking, where it leaves some for the rest.
        let lacking = u16::from(!self.faults.all.is_empty() && body.height >= 3);
        let [banner, body] = Layout::vertical([Constraint::Length(lacking), Constraint::Min(1)]).areas(body);
        let told = match body.height {
            0..8 => 0,
            8..16 => 3,
            16..30 => 6,
            _ => 9,
        };
        // What a short list leaves free is room for what is told.
        let rows = u16::try_from(self.len()).unwrap_or(u16::MAX);
        let free = body.height.saturating_sub(rows.max(1)).min(body.height / 3 * 2);
        let told = match (self.len(), told.max(free)) {
            // Nothing is selected, or there would be a line and no row below it.
            (0, _) | (_, 0 | 1) => 0,
            (_, told) => told,
        };
        let (list, beside) = if body.width >= WIDE {
            let [list, beside] = Layout::horizontal([Constraint::Fill(3), Constraint::Fill(2)]).areas(body);
            (list, beside)
        } else {
            let [list, below] = Layout::vertical([Constraint::Min(1), Constraint::Length(told)]).areas(body);
            (list, below)
        };
        self.areas = Areas { banner, list, told: beside };
        self.tabs(frame, top);
        self.banner(frame, banner);
        self.list(frame, list);
        if beside.area() > 0 {
            self.told(frame, beside, body.width >= WIDE);
        } else {
            self.hidden = self.tells(list.width);
        }
        self.foot(frame, foot);
        self.window(frame, frame.area());
    }

    pub(crate) fn look(&self, width: u16) -> Look {
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
            let width = u16::try_from(label.width()).unwrap_or(0);
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
        let of = self.of();
        let room = area.width.saturating_sub(column);
        let file = text::fit(&file, usize::from(room).saturating_sub(of.width()));
        let right = Line::styled(file + &of, self.theme.faint()).right_aligned();
        let rest = Rect { x: column.min(area.right()), width: room, ..area };
        frame.render_widget(right, rest);
    }

    /// Which file of the set is looked at; nothing where there is one alone.
    fn of(&self) -> String {
        let all = self.faults.files;
        if all < 2 {
            return String::new();
        }
        let at = self.bytes.file;
        let no = self.places.get(at).copied().flatten().unwrap_or_else(|| (at as u64).saturating_add(1));
        match self.faults.missing {
            0 => format!("  {no}/{all}"),
            missing => {
                let holes = [no, all, missing].map(|n| n.to_string());
                let holes = holes.each_ref().map(String::as_str);
                format!("  {}", words::filled(self.settings.lang, words::OF_SET, &holes))
            }
        }
    }

    /// What is lacking, in a line that is there in each pane.
    fn banner(&self, frame: &mut Frame<'_>, area: Rect) {
        let Some(first) = self.faults.all.first().filter(|_| area.area() > 0) else { return };
        let style = self.theme.severity(first.severity);
        let width = usize::from(area.width);
        let more = match self.faults.all.len().saturating_sub(1) {
            // A single line that fits, and nothing behind it.
            0 if first.why.is_none() && first.help.is_none() && first.short.width() + 2 <= width => {
                String::new()
            }
            0 => format!("  {}", self.say(words::MORE)),
            others => format!("  +{others} {}", self.say(words::MORE)),
        };
        let said = text::fit(&first.short, width.saturating_sub(more.width() + 2));
        let pieces = vec![Span::styled(format!("! {said}"), style), Span::styled(more, self.theme.faint())];
        frame.render_widget(Line::from(pieces), area);
    }

    /// Rows of the list that is open.
    fn len(&self) -> u64 {
        match self.pane {
            Pane::Tag => self.tag.len,
            Pane::Tensors => self.tensors.len(),
            Pane::Check => self.check.len(),
            Pane::Bytes => self.files.get(self.bytes.file).map_or(0, |file| file.size),
        }
    }

    fn list(&mut self, frame: &mut Frame<'_>, area: Rect) {
        let look = self.look(area.width);
        let height = u64::from(area.height);
        let (rows, at) = match self.pane {
            Pane::Bytes if self.len() > 0 => {
                let lines = self.bytes.lines(&self.files, height, &look);
                frame.render_widget(Paragraph::new(lines), area);
                return;
            }
            Pane::Tag => (self.tag.list.rows(self.tag.len, height), self.tag.list.at),
            Pane::Tensors => (self.tensors.list.rows(self.tensors.len(), height), self.tensors.list.at),
            Pane::Check => (self.check.list.rows(self.check.len(), height), self.check.list.at),
            Pane::Bytes => (0..0, 0),
        };
        if rows.is_empty() {
            let said = match self.pane {
                Pane::Check if !self.check.is_judged() => words::JUDGING,
                Pane::Check => words::NO_FINDINGS,
                Pane::Bytes => words::NO_BYTE,
                Pane::Tag if !self.tag.filter().is_empty() => words::NO_MATCH,
                Pane::Tensors if !self.tensors.is_empty() => words::NO_MATCH,
                // That there is nothing is not known.
                _ if self.faults.is_part => words::NOT_READ,
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

    fn foot(&self, frame: &mut Frame<'_>, area: Rect) {
        if let Some(prompt) = &self.prompt {
            let label = words::filled(self.settings.lang, words::CLAUSE, &[self.say(prompt.label()), ""]);
            let room = usize::from(area.width).saturating_sub(label.width() + 1);
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
        let len = self.len();
        let at = match self.pane {
            Pane::Tag => self.tag.list.at,
            Pane::Tensors => self.tensors.list.at,
            Pane::Check => self.check.list.at,
            Pane::Bytes => self.bytes.at,
        };
        let at = match (self.pane, len) {
            (_, 0) => String::new(),
            (Pane::Bytes, _) => format!("{at:#x} / {len:#x}"),
            _ => format!("{} / {len}", at + 1),
        };
        let room = usize::from(area.width).saturating_sub(at.len() + 1);
        let keys = self.keys(room);
        // A search goes on whatever else is done meanwhile.
        let said = self.said.as_deref().or(self.is_busy().then(|| self.say(words::LOOKING)));
        let left = said.unwrap_or(&keys);
        let line = text::column(left, room);
        let style = if said.is_some() { self.theme.mark() } else { self.theme.faint() };
        let said = if said.is_some() { line.trim_end().to_owned() } else { line };
        let gap = room.saturating_sub(said.width()) + 1;
        let pieces =
            vec![Span::styled(said, style), Span::raw(" ".repeat(gap)), Span::styled(at, self.theme.faint())];
        frame.render_widget(Line::from(pieces), area);
    }

    /// The keys that one has to know here, as many as there is room for.
    fn keys(&self, room: usize) -> String {
        let keys = self.say(words::KEYS);
        if !self.hidden {
            return keys.to_owned();
        }
        let whole = format!("{}  {keys}", self.say(words::WHOLE));
        let all = format!("{}  {}  {keys}", self.say(words::WHOLE), self.say(words::SCROLL));
        if self.areas.told.area() > 0 && all.width() <= room { all } else { whole }
    }
}
