//! Texts with more rows than room: what is told of the selected row, and the windows over the panes (the keys, all that is told,
//! what is lacking).

use std::ops::Range;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph};

use crate::action::Action;
use crate::explorer::{Explorer, Pane};
use crate::scroll::{Scroll, mark};
use crate::text;
use crate::words;

/// What stands over the panes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Over {
    /// The keys.
    Keys,
    /// All that is told of the selected row.
    Whole,
    /// What is lacking of the model.
    State,
}

/// Columns of the window with the keys, its border included.
const KEYS_WIDTH: u16 = 66;
/// Columns before what a key does.
const KEYS_COLUMN: usize = 16;

/// A text in rows, of which some are on the screen.
#[derive(Default)]
pub(crate) struct Rows {
    pub(crate) scroll: Scroll,
    rows: Vec<Line<'static>>,
    /// Columns for which the rows were made; they are made anew for others.
    columns: Option<u16>,
}

impl Rows {
    /// Makes the rows, unless they are there.
    fn fit(&mut self, columns: u16, make: impl FnOnce() -> Vec<Line<'static>>, indent: usize) {
        if self.columns != Some(columns) {
            let lines = make();
            self.rows = lines.iter().flat_map(|line| text::wrap(line, columns.into(), indent)).collect();
            self.columns = Some(columns);
        }
    }

    /// The rows on a screen of this height, and which they are of how many.
    fn shown(&mut self, height: u16) -> (Vec<Line<'static>>, Range<usize>, usize) {
        let range = self.scroll.rows(self.rows.len(), height.into());
        let rows = self.rows.get(range.clone()).unwrap_or_default().to_vec();
        (rows, range, self.rows.len())
    }
}

impl Explorer<'_> {
    /// Does what an action means where a window stands over the panes; what is left to do with the panes, if anything.
    pub(crate) fn act_over(&mut self, action: Action) -> Option<Action> {
        let Some(over) = self.over else { return Some(action) };
        let page = i64::from(self.page.max(2)) - 1;
        let scroll = &mut self.above.scroll;
        match action {
            Action::Rows(by) | Action::Told(by) | Action::Wheel { by, .. } => scroll.step(by),
            Action::Pages(by) => scroll.step(by.saturating_mul(page)),
            Action::Top => scroll.top(),
            Action::Bottom => scroll.bottom(),
            Action::Help => self.show_over(Over::Keys),
            Action::Whole => self.show_over(Over::Whole),
            Action::State => self.show_over(Over::State),
            Action::Left | Action::Right => {}
            Action::Copy | Action::CopyPlace if over == Over::Whole => return Some(action),
            Action::Copy | Action::CopyPlace => {}
            Action::Cancel | Action::Close | Action::Back | Action::Click { .. } => self.over = None,
            action => {
                self.over = None;
                return Some(action);
            }
        }
        None
    }

    /// Opens a window, or closes it where it is open.
    pub(crate) fn show_over(&mut self, over: Over) {
        self.over = (self.over != Some(over)).then_some(over);
        self.above = Rows::default();
    }

    /// What is told of the selected row, in lines of any length.
    fn told_lines(&self, columns: u16) -> Vec<Line<'static>> {
        let look = self.look(columns);
        match self.pane {
            Pane::Tag => self.tag.told(&self.files, &look),
            Pane::Tensors => self.tensors.told(&self.files, &look),
            Pane::Bytes => self.bytes.told(&self.files, &self.tensors, &look),
            Pane::Check => self.check.told(&look),
        }
    }

    /// The same, where somebody asked for it.
    fn whole_lines(&self, columns: u16) -> Vec<Line<'static>> {
        let lines = self.told_lines(columns);
        if lines.is_empty() { vec![Line::from(self.say(words::NO_ROWS))] } else { lines }
    }

    /// What is lacking, each with what ended the reading and what to do.
    fn state_lines(&self) -> Vec<Line<'static>> {
        let look = self.look(0);
        if self.faults.all.is_empty() {
            return vec![Line::from(self.say(words::WHOLE_MODEL))];
        }
        let mut lines = Vec::new();
        for fault in &self.faults.all {
            lines.push(Line::styled(fault.short.clone(), self.theme.severity(fault.severity)));
            lines.extend(fault.why.iter().map(|why| look.told(self.say(words::WHY), why.clone())));
            lines.extend(fault.help.iter().map(|help| look.told(self.say(words::HELP_WORD), help.clone())));
        }
        lines
    }

    fn keys_lines(&self) -> Vec<Line<'static>> {
        let line = |(keys, what): &(&str, ggufkit::format::spec::Text)| {
            let keys = text::column(keys, KEYS_COLUMN);
            Line::from(vec![Span::styled(keys, self.theme.group()), Span::raw(self.say(*what))])
        };
        words::HELP.iter().map(line).collect()
    }

    /// Draws what is told of the selected row beside the list, or below it.
    pub(crate) fn told(&mut self, frame: &mut Frame<'_>, area: Rect, beside: bool) {
        use ratatui::widgets::Borders;
        let block = Block::new().borders(if beside { Borders::LEFT } else { Borders::TOP });
        let inner = block.inner(area);
        let mut below = std::mem::take(&mut self.below);
        below.fit(inner.width, || self.told_lines(inner.width), 0);
        let (mut rows, mut range, all) = below.shown(inner.height);
        let mut block = block.border_style(self.theme.faint());
        if let Some(mark) = mark(&range, all) {
            if beside {
                // The mark takes a row of its own where no line stands above.
                (rows, range, _) = below.shown(inner.height.saturating_sub(1));
            }
            let mark = crate::scroll::mark(&range, all).unwrap_or(mark);
            block =
                block.title_top(Line::styled(format!(" {mark}  J K "), self.theme.mark()).right_aligned());
        }
        self.hidden = range.len() < all;
        self.below = below;
        let inner = block.inner(area);
        frame.render_widget(block, area);
        frame.render_widget(Paragraph::new(rows), inner);
    }

    /// Whether something is told that no frame had room for.
    pub(crate) fn tells(&mut self, columns: u16) -> bool {
        let mut below = std::mem::take(&mut self.below);
        below.fit(columns, || self.told_lines(columns), 0);
        let tells = !below.rows.is_empty();
        self.below = below;
        tells
    }

    /// Draws what stands over the panes.
    pub(crate) fn window(&mut self, frame: &mut Frame<'_>, area: Rect) {
        let Some(over) = self.over else { return };
        let width = if over == Over::Keys { area.width.min(KEYS_WIDTH) } else { area.width };
        let columns = width.saturating_sub(2);
        let mut above = std::mem::take(&mut self.above);
        match over {
            Over::Keys => above.fit(columns, || self.keys_lines(), KEYS_COLUMN),
            Over::Whole => above.fit(columns, || self.whole_lines(columns), 0),
            Over::State => above.fit(columns, || self.state_lines(), 0),
        }
        let rows = u16::try_from(above.rows.len()).unwrap_or(u16::MAX);
        let height = rows.saturating_add(2).min(area.height);
        let (rows, range, all) = above.shown(height.saturating_sub(2));
        self.above = above;
        self.page = height.saturating_sub(2);
        let x = area.x + (area.width - width) / 2;
        let y = area.y + (area.height - height) / 2;
        let window = Rect { x, y, width, height };
        let mark = mark(&range, all);
        let keys = if mark.is_some() { words::CLOSE_OR_MORE } else { words::CLOSE };
        let mut block = Block::bordered().title(self.say(keys));
        if let Some(mark) = mark {
            block = block.title_bottom(Line::styled(format!(" {mark} "), self.theme.mark()).right_aligned());
        }
        frame.render_widget(Clear, window);
        let inner = block.inner(window);
        frame.render_widget(block, window);
        frame.render_widget(Paragraph::new(rows), inner);
    }
}
