//! What is open, what is selected, and what becomes of it with each action.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ggufkit::check::{Report, Subject};
use ggufkit::format::spec::{Lang, Text};
use ratatui::layout::{Position, Rect};

use crate::action::Action;
use crate::faults::{Faults, place};
use crate::file::Explored;
use crate::over::{Over, Rows};
use crate::panes::Copied;
use crate::panes::bytes::{Bytes, Found};
use crate::panes::check::Check;
use crate::panes::tag::{Row, Tag};
use crate::panes::tensors::Tensors;
use crate::prompt::{Prompt, Purpose, pattern, position};
use crate::theme::Theme;
use crate::words;

/// Bytes that are copied at most: terminals refuse more.
const COPIED: usize = 70_000;

/// How the explorer looks.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The language.
    pub lang: Lang,
    /// Whether to use colours. Everything can be told without them.
    pub colour: bool,
}

/// One of the four views of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pane {
    /// The metadata as a tree.
    Tag,
    /// The tensors.
    Tensors,
    /// The bytes.
    Bytes,
    /// The findings.
    Check,
}

impl Pane {
    pub(crate) const ALL: [Self; 4] = [Self::Tag, Self::Tensors, Self::Bytes, Self::Check];

    pub(crate) const fn name(self) -> Text {
        match self {
            Self::Tag => words::TAG,
            Self::Tensors => words::TENSORS,
            Self::Bytes => words::BYTES,
            Self::Check => words::CHECK,
        }
    }
}

/// Where things stand on the screen.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Areas {
    pub(crate) banner: Rect,
    pub(crate) list: Rect,
    pub(crate) told: Rect,
}

/// The explorer without a terminal: actions go in, frames come out ([`Explorer::draw`]).
pub struct Explorer<'a> {
    pub(crate) files: Vec<Explored<'a>>,
    pub(crate) settings: Settings,
    pub(crate) theme: Theme,
    pub(crate) pane: Pane,
    pub(crate) tag: Tag,
    pub(crate) tensors: Tensors,
    pub(crate) bytes: Bytes,
    pub(crate) check: Check,
    pub(crate) prompt: Option<Prompt>,
    /// What is lacking of the model.
    pub(crate) faults: Faults,
    /// The place of each file in its set, where it is known.
    pub(crate) places: Vec<Option<u64>>,
    /// What stands over the panes, its text, and rows of a page of it.
    pub(crate) over: Option<Over>,
    pub(crate) above: Rows,
    pub(crate) page: u16,
    /// What is told of the selected row, and whether some of it is not on the screen.
    pub(crate) below: Rows,
    pub(crate) hidden: bool,
    pub(crate) said: Option<String>,
    /// Where things were in the last frame.
    pub(crate) areas: Areas,
    pub(crate) tabs: Vec<(u16, u16, Pane)>,
    wanted: String,
    back: Vec<(Pane, usize, u64)>,
    copied: Option<String>,
    done: bool,
}

impl<'a> Explorer<'a> {
    /// An explorer of a model. What is wrong with it is told when it is known ([`judged`](Self::judged)).
    #[must_use]
    pub fn new(subject: &Subject<'a>, settings: Settings) -> Self {
        let files: Vec<Explored<'a>> = subject.files.iter().map(Explored::new).collect();
        let (tag, tensors) = (Tag::new(&files), Tensors::new(subject));
        Self {
            settings,
            theme: Theme { colour: settings.colour },
            // Of a file whose head cannot be read the findings are what there is to see.
            pane: if files.iter().any(|file| file.view.is_some()) { Pane::Tag } else { Pane::Check },
            tag,
            tensors,
            bytes: Bytes::default(),
            check: Check::default(),
            files,
            faults: Faults::of(subject, settings.lang),
            places: subject.files.iter().map(place).collect(),
            prompt: None,
            over: None,
            above: Rows::default(),
            page: 20,
            below: Rows::default(),
            hidden: false,
            said: None,
            areas: Areas::default(),
            tabs: Vec::new(),
            wanted: String::new(),
            back: Vec::new(),
            copied: None,
            done: false,
        }
    }

    /// Says that a file was written to since it was opened, as its name, in every pane and until the end.
    pub fn changed(&mut self, name: &str) {
        self.faults.changed(&ggufkit::format::shorten(name.as_bytes(), 200), self.settings.lang);
    }

    /// Takes what a judging of the model came to.
    pub fn judged(&mut self, report: Report) {
        self.check = Check::new(report, &self.files);
        if self.pane == Pane::Check {
            self.below = Rows::default();
        }
    }

    /// The pane that is open.
    #[must_use]
    pub const fn pane(&self) -> Pane {
        self.pane
    }

    /// Whether it was left.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        self.done
    }

    /// Whether a text is being typed.
    #[must_use]
    pub const fn is_asking(&self) -> bool {
        self.prompt.is_some()
    }

    /// Whether there is [work](Self::work) to go on with.
    #[must_use]
    pub const fn is_busy(&self) -> bool {
        self.bytes.is_searching()
    }

    /// The file whose bytes are selected, from 0, and the position of the byte.
    #[must_use]
    pub const fn place(&self) -> (usize, u64) {
        (self.bytes.file, self.bytes.at)
    }

    /// What was copied since the last call, as the sequence (OSC 52) by which a terminal takes it into the clipboard, also
    /// over a network.
    pub fn take_copied(&mut self) -> Option<String> {
        self.copied.take()
    }

    /// Goes on with a search for as long as a key may wait.
    pub fn work(&mut self) {
        self.below = Rows::default();
        self.said = match self.bytes.look(&self.files) {
            None => return,
            Some(Found::Yes) => None,
            Some(Found::Not) => Some(self.say(words::NOT_FOUND).to_owned()),
            Some(Found::Unreadable) => Some(self.say(words::NO_BYTES).to_owned()),
        };
    }

    pub(crate) const fn say(&self, text: Text) -> &'static str {
        text.get(self.settings.lang)
    }

    fn clause(&self, of: Text, what: &str) -> String {
        words::filled(self.settings.lang, words::CLAUSE, &[self.say(of), what])
    }

    /// Does what a person wants.
    pub fn act(&mut self, action: Action) {
        if self.prompt.is_some() {
            return self.typed(action);
        }
        self.said = None;
        let Some(action) = self.act_over(action) else { return };
        match action {
            Action::Told(by) => return self.tell(by),
            Action::Whole => return self.show_over(Over::Whole),
            Action::State => return self.show_over(Over::State),
            Action::Help => return self.show_over(Over::Keys),
            Action::Copy => return self.copy(false),
            Action::CopyPlace => return self.copy(true),
            Action::Wheel { by, column, row } if self.areas.told.contains(Position::new(column, row)) => {
                return self.tell(by);
            }
            _ => {}
        }
        // Something else is selected from here on, or may be.
        self.below = Rows::default();
        match action {
            Action::Quit | Action::Close => self.done = true,
            Action::Cancel => {
                if self.bytes.stop() {
                    self.said = Some(self.say(words::STOPPED).to_owned());
                }
            }
            Action::Pane(pane) => self.open(pane),
            Action::Turn(by) => {
                let at = Pane::ALL.iter().position(|pane| *pane == self.pane).unwrap_or(0);
                let by = usize::try_from(by.rem_euclid(4)).unwrap_or(0);
                if let Some(pane) = Pane::ALL.get((at + by) % Pane::ALL.len()) {
                    self.open(*pane);
                }
            }
            Action::Rows(by) | Action::Wheel { by, .. } => self.rows(by),
            Action::Pages(by) => self.rows(by.saturating_mul(i64::from(self.areas.list.height.max(2)) - 1)),
            Action::Top => self.go(0),
            Action::Bottom => self.go(u64::MAX),
            Action::Left => self.left(),
            Action::Right => self.right(),
            Action::Fields(by) => {
                self.bytes.field(&self.files, &self.tensors, by, self.settings.lang);
                self.pane = Pane::Bytes;
            }
            Action::Enter => self.enter(),
            Action::Back => {
                if let Some((pane, file, at)) = self.back.pop() {
                    self.pane = pane;
                    self.bytes.go(&self.files, file, at);
                }
            }
            Action::File(by) => {
                let file = self.bytes.file.saturating_add_signed(isize::try_from(by).unwrap_or(0));
                if file < self.files.len() && file != self.bytes.file {
                    if self.bytes.stop() {
                        self.said = Some(self.say(words::STOPPED).to_owned());
                    }
                    self.bytes.go(&self.files, file, 0);
                    self.pane = Pane::Bytes;
                }
            }
            Action::Search => self.ask(Purpose::Search, String::new()),
            Action::Goto => self.ask(Purpose::Goto, String::new()),
            Action::Filter => {
                let now = match self.pane {
                    Pane::Tag => self.tag.filter(),
                    Pane::Tensors => self.tensors.filter(),
                    _ => return,
                };
                self.ask(Purpose::Filter, now.to_owned());
            }
            Action::Find(by) => self.find(by < 0, true),
            Action::Sort => {
                if self.pane == Pane::Tensors {
                    self.tensors.sort();
                    self.said = Some(self.clause(words::ORDER, self.say(self.tensors.order())));
                }
            }
            Action::Click { column, row } => self.click(column, row),
            Action::Told(_)
            | Action::Whole
            | Action::State
            | Action::Help
            | Action::Copy
            | Action::CopyPlace
            | Action::Type(_)
            | Action::Erase => {}
        }
    }

    /// Scrolls what is told of the selected row; where the screen has no room for it, it is shown in a window first.
    fn tell(&mut self, by: i64) {
        if self.areas.told.area() == 0 {
            return self.show_over(Over::Whole);
        }
        self.below.scroll.step(by);
    }

    fn ask(&mut self, purpose: Purpose, text: String) {
        self.prompt = Some(Prompt::new(purpose, text));
    }

    fn typed(&mut self, action: Action) {
        let Some(prompt) = &mut self.prompt else { return };
        match action {
            Action::Type(typed) => prompt.push(typed),
            Action::Erase => {
                let was_empty = prompt.text.pop().is_none();
                if was_empty {
                    self.prompt = None;
                }
            }
            Action::Cancel => self.prompt = None,
            Action::Enter => {
                let Some(Prompt { purpose, text }) = self.prompt.take() else { return };
                self.said = None;
                self.below = Rows::default();
                match purpose {
                    Purpose::Search if text.is_empty() => {}
                    Purpose::Search => {
                        self.wanted = text;
                        self.find(false, false);
                    }
                    Purpose::Filter if self.pane == Pane::Tensors => self.tensors.set_filter(&text),
                    Purpose::Filter => self.tag.set_filter(&self.files, &text),
                    Purpose::Goto => self.goto(text.trim()),
                }
            }
            _ => {}
        }
    }

    fn open(&mut self, pane: Pane) {
        self.pane = pane;
    }

    fn go(&mut self, to: u64) {
        match self.pane {
            Pane::Tag => self.tag.list.go(to, self.tag.len),
            Pane::Tensors => self.tensors.list.go(to, self.tensors.len()),
            Pane::Bytes => self.bytes.go(&self.files, self.bytes.file, to),
            Pane::Check => self.check.list.go(to, self.check.len()),
        }
    }

    fn rows(&mut self, by: i64) {
        match self.pane {
            Pane::Tag => self.tag.list.step(by, self.tag.len),
            Pane::Tensors => self.tensors.list.step(by, self.tensors.len()),
            Pane::Bytes => self.bytes.rows(&self.files, by),
            Pane::Check => self.check.list.step(by, self.check.len()),
        }
    }

    fn left(&mut self) {
        if self.pane == Pane::Bytes {
            self.bytes.step(&self.files, -1);
        } else if self.pane == Pane::Tag && !self.tag.set_open(&self.files, Some(false)) {
            self.tag.out();
        }
    }

    fn right(&mut self) {
        if self.pane == Pane::Bytes {
            self.bytes.step(&self.files, 1);
        } else if self.pane == Pane::Tag
            && !self.tag.set_open(&self.files, Some(true))
            && !matches!(self.tag.selected(), Some(Row::Key(_)))
        {
            self.tag.list.step(1, self.tag.len);
        }
    }

    fn enter(&mut self) {
        let group = matches!((self.pane, self.tag.selected()), (Pane::Tag, Some(Row::Group(_))));
        if group {
            self.tag.set_open(&self.files, None);
            return;
        }
        let span = match self.pane {
            Pane::Tag => self.tag.span(&self.files),
            Pane::Tensors => self.tensors.span(),
            Pane::Check => self.check.span(),
            Pane::Bytes => None,
        };
        if let Some((file, span)) = span {
            self.show(file, span.start);
        }
    }

    fn show(&mut self, file: usize, at: u64) {
        self.back.push((self.pane, self.bytes.file, self.bytes.at));
        self.bytes.arrive(&self.files, file, at);
        self.pane = Pane::Bytes;
    }

    fn goto(&mut self, text: &str) {
        if let Some(at) = position(text) {
            let size = self.files.get(self.bytes.file).map_or(0, |file| file.size);
            if at >= size {
                self.said = Some(self.clause(words::BEYOND, &format!("{size:#x}")));
                return;
            }
            return self.show(self.bytes.file, at);
        }
        if let Some(row) = self.tag.named(&self.files, text) {
            self.tag.select(&self.files, row);
            self.pane = Pane::Tag;
        } else if self.tensors.go(text) {
            self.pane = Pane::Tensors;
        } else if !text.is_empty() {
            self.said = Some(self.say(self.not_found()).to_owned());
        }
    }

    /// That something is not there: of a model of which a part was not read, only that it is not in the other.
    const fn not_found(&self) -> Text {
        if self.faults.is_part { words::NOT_FOUND_THERE } else { words::NOT_FOUND }
    }

    fn find(&mut self, back: bool, again: bool) {
        if self.wanted.is_empty() {
            return;
        }
        let wanted = self.wanted.clone();
        let found = match self.pane {
            Pane::Tag => self.tag.find(&self.files, &wanted, back),
            Pane::Tensors => self.tensors.find(&wanted, back),
            Pane::Check => {
                let look = self.look(0);
                self.check.find(&wanted, back, &look)
            }
            Pane::Bytes => {
                if again {
                    self.bytes.again(back)
                } else {
                    self.bytes.search(pattern(&wanted), back)
                }
                if !self.bytes.is_searching() {
                    self.bytes.search(pattern(&wanted), back);
                }
                self.said = Some(self.say(words::LOOKING).to_owned());
                true
            }
        };
        if !found {
            self.said = Some(self.clause(self.not_found(), &wanted));
        }
    }

    fn copy(&mut self, place: bool) {
        let copied = match self.pane {
            Pane::Tag => self.tag.copied(&self.files, COPIED),
            Pane::Tensors => self.tensors.copied(),
            Pane::Bytes => self.bytes.copied(&self.files, &self.tensors, COPIED, self.settings.lang),
            Pane::Check => self.check.copied(&self.look(0)),
        };
        let Some(Copied { value, place: path }) = copied else {
            self.said = Some(self.say(words::NOTHING).to_owned());
            return;
        };
        let bytes = match (place, &value) {
            (true, _) => path.as_bytes(),
            (false, Some(value)) if value.len() <= COPIED => value,
            (false, _) => {
                self.said = Some(self.say(words::TOO_LONG).to_owned());
                return;
            }
        };
        self.copied = Some(format!("\x1b]52;c;{}\x07", STANDARD.encode(bytes)));
        let shown = ggufkit::format::shorten(bytes, 40);
        self.said = Some(self.clause(words::COPIED, &shown));
    }

    fn click(&mut self, column: u16, row: u16) {
        let at = Position::new(column, row);
        if row == 0 {
            let tab = self.tabs.iter().find(|(from, to, _)| (*from..*to).contains(&column));
            if let Some((_, _, pane)) = tab {
                self.open(*pane);
            }
            return;
        }
        if self.areas.banner.contains(at) {
            return self.show_over(Over::State);
        }
        if self.areas.told.contains(at) {
            return self.show_over(Over::Whole);
        }
        if !self.areas.list.contains(at) {
            return;
        }
        let below = u64::from(row.saturating_sub(self.areas.list.y));
        let click = |list: &mut crate::list::List, len: u64| {
            let at = list.shown(below);
            let again = at == list.at;
            if at < len {
                list.go(at, len);
            }
            again && at < len
        };
        let again = match self.pane {
            Pane::Tag => click(&mut self.tag.list, self.tag.len),
            Pane::Tensors => {
                let len = self.tensors.len();
                click(&mut self.tensors.list, len)
            }
            Pane::Check => {
                let len = self.check.len();
                click(&mut self.check.list, len)
            }
            Pane::Bytes => {
                if let Some(at) = self.bytes.at_cell(&self.files, column.into(), below) {
                    self.bytes.go(&self.files, self.bytes.file, at);
                }
                false
            }
        };
        // A click on what is selected opens it.
        if again && !(self.pane == Pane::Tag && self.tag.set_open(&self.files, None)) {
            self.enter();
        }
    }
}
