//! A screen in memory, and the explorer on it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests")]

use ggufkit::check::{File, Subject, check};
use ggufkit::format::spec::Lang;
use ggufkit::format::{ByteStr, Options, View, parse};
use ggufkit::io::{Diagnosis, ShardProblem, ShardSet};
use ggufkit_explore::{Explorer, Settings, of_key};
use ggufkit_testkit::sources::Memory;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Cell;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Modifier;
use unicode_width::UnicodeWidthStr as _;

pub(crate) struct Screen<'a> {
    pub(crate) explorer: Explorer<'a>,
    pub(crate) terminal: Terminal<TestBackend>,
}

impl Screen<'_> {
    pub(crate) fn keys(&mut self, keys: &str) -> &mut Self {
        for key in keys.chars() {
            let code = match key {
                '\n' => KeyCode::Enter,
                '\t' => KeyCode::Tab,
                '\u{1b}' => KeyCode::Esc,
                other => KeyCode::Char(other),
            };
            let key = KeyEvent::new(code, KeyModifiers::NONE);
            if let Some(action) = of_key(key, self.explorer.is_asking()) {
                self.explorer.act(action);
            }
            self.draw();
            while self.explorer.is_busy() {
                self.explorer.work();
            }
        }
        self.draw()
    }

    pub(crate) fn draw(&mut self) -> &mut Self {
        self.terminal.draw(|frame| self.explorer.draw(frame)).unwrap();
        self
    }

    pub(crate) fn text(&mut self) -> String {
        // Where a wide character was overwritten, the screen in memory keeps what stood below its other half before.
        self.terminal.clear().unwrap();
        self.draw();
        let buffer = self.terminal.backend().buffer();
        let rows = buffer.content.chunks(usize::from(buffer.area.width));
        rows.map(|row| seen(row).trim_end().to_owned() + "\n").collect()
    }

    /// The row of the list that is shown the other way round.
    pub(crate) fn selected(&mut self) -> String {
        self.draw();
        let buffer = self.terminal.backend().buffer();
        let mut rows = buffer.content.chunks(usize::from(buffer.area.width)).skip(1);
        let row = rows.find(|row| row[0].modifier.contains(Modifier::REVERSED)).expect("a row is selected");
        seen(row).trim().to_owned()
    }
}

/// What is seen of a row: nothing of a cell that a wide character of the one before it covers.
fn seen(row: &[Cell]) -> String {
    let (mut out, mut covered) = (String::new(), 0);
    for cell in row {
        if covered == 0 {
            out.push_str(cell.symbol());
            covered = cell.symbol().width().max(1);
        }
        covered -= 1;
    }
    out
}

/// Runs a test on a file, on a screen of so many columns and rows.
pub(crate) fn on(bytes: &[u8], size: (u16, u16), settings: Settings, test: impl FnOnce(&mut Screen<'_>)) {
    on_files(&[("model.gguf", bytes)], size, settings, test);
}

/// The same of several files.
pub(crate) fn on_files(
    files: &[(&str, &[u8])],
    size: (u16, u16),
    settings: Settings,
    test: impl FnOnce(&mut Screen<'_>),
) {
    on_set(files, (None, &[]), size, settings, test);
}

/// The same of files that are known to be of a set, and what keeps them from being a whole one.
pub(crate) fn on_set(
    files: &[(&str, &[u8])],
    (set, problems): (Option<&ShardSet>, &[ShardProblem]),
    (width, height): (u16, u16),
    settings: Settings,
    test: impl FnOnce(&mut Screen<'_>),
) {
    let diagnosis = Diagnosis::default();
    let read: Vec<_> = files
        .iter()
        .map(|(name, bytes)| {
            let outcome = parse(bytes, Options::new().with_size(Some(bytes.len() as u64)));
            (format!("dir/{name}"), *name, *bytes, outcome, Memory::new(*bytes))
        })
        .collect();
    let files: Vec<File<'_>> = read
        .iter()
        .map(|(label, name, bytes, outcome, source)| File {
            label: ByteStr(label.as_bytes()),
            file_name: Some(name),
            size: Some(bytes.len() as u64),
            view: outcome.index.as_ref().map(|index| View::new(index, bytes)),
            error: outcome.error.as_ref(),
            diagnosis: &diagnosis,
            source: Some(source),
        })
        .collect();
    let subject = Subject { files: &files, set, problems };
    let explorer = Explorer::new(&subject, settings);
    let terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let mut screen = Screen { explorer, terminal };
    // The first frame is there before anything is judged.
    let text = screen.keys("4").text();
    assert!(text.contains("being checked") || width < 40 || settings.lang == Lang::Zh, "{text}");
    screen.explorer.judged(check(&subject, &ggufkit::check::Options::default(), None));
    if subject.files.iter().any(|file| file.view.is_some()) {
        screen.keys("1");
    }
    test(&mut screen);
}
