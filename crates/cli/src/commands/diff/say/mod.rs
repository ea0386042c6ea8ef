//! What a diff says to people, as items: the terminal and Markdown show the same ones.

mod array;
mod layout;
mod metadata;
mod tensors;
mod text;

use ggufkit::inspect::diff::Diff;
use ggufkit::inspect::units;

use self::layout::layout;
use self::metadata::metadata;
use self::tensors::tensors;
use crate::out::{self, Ink};

/// What happened to something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mark {
    Added,
    Removed,
    Changed,
    Renamed,
    Moved,
}

impl Mark {
    pub(super) fn sign(self) -> (&'static str, Ink) {
        match self {
            Self::Added => ("+", Ink::Good),
            Self::Removed => ("-", Ink::Bad),
            Self::Changed => ("~", Ink::Warn),
            Self::Renamed => ("→", Ink::Warn),
            Self::Moved => ("↕", Ink::Faint),
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
            Self::Renamed => "renamed",
            Self::Moved => "moved",
        }
    }
}

/// A line below an item.
pub(super) struct Below {
    /// `+`, `-`, `@` for the places of a text diff, or a space.
    pub(super) sign: char,
    /// The text; harmless.
    pub(super) text: String,
}

/// One difference.
pub(super) struct Item {
    pub(super) mark: Mark,
    /// What it is about; harmless.
    pub(super) name: String,
    /// The type, or what else stands between.
    pub(super) what: String,
    /// What was there and is there; or one of them, or a remark.
    pub(super) values: Values,
    pub(super) below: Vec<Below>,
}

/// What is said of a difference.
pub(super) enum Values {
    Both(String, String),
    One(String),
    None,
}

/// Differences of one kind.
pub(super) struct Section {
    pub(super) title: &'static str,
    /// How many of which kind.
    pub(super) counts: String,
    pub(super) items: Vec<Item>,
    /// Those that are not shown.
    pub(super) more: u64,
}

/// How much is shown.
#[derive(Clone, Copy)]
pub(super) struct Much {
    /// Columns of a value.
    pub(super) wide: usize,
    /// Items of one kind.
    pub(super) items: usize,
    /// Whether texts and arrays are shown whole.
    pub(super) all: bool,
}

/// All sections that have something to say.
pub(super) fn sections(diff: &Diff<'_>, much: Much) -> Vec<Section> {
    let all = [header(diff, much), metadata(diff, much), tensors(diff, much), layout(diff, much)];
    all.into_iter().filter(|section| !section.items.is_empty() || section.more > 0).collect()
}

fn section(title: &'static str, counts: &[(usize, &str)], items: Vec<Item>, more: u64) -> Section {
    let counts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{} {word}", units::count(*count as u64)))
        .collect();
    Section { title, counts: counts.join(", "), items, more }
}

/// Takes items of each kind until there are enough; the others are counted.
struct Taker {
    items: Vec<Item>,
    most: usize,
    left: usize,
    more: u64,
}

impl Taker {
    fn new(much: Much) -> Self {
        Self { items: Vec::new(), most: much.items, left: much.items, more: 0 }
    }

    fn take(&mut self, make: impl FnOnce() -> Option<Item>) {
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                self.items.extend(make());
            }
            None => self.more = self.more.saturating_add(1),
        }
    }

    /// What follows is of another kind, which is not to be crowded out.
    fn kind(&mut self) {
        self.left = self.most;
    }
}

fn header(diff: &Diff<'_>, much: Much) -> Section {
    let mut taker = Taker::new(much);
    let sets = diff.a.parts.len() > 1 || diff.b.parts.len() > 1;
    for change in &diff.header {
        taker.take(|| {
            let of = if sets { format!(" of file {}", change.file + 1) } else { String::new() };
            Some(Item {
                mark: Mark::Changed,
                name: format!("{}{of}", change.field),
                what: String::new(),
                values: Values::Both(change.a.clone(), change.b.clone()),
                below: Vec::new(),
            })
        });
    }
    section("header", &[(diff.header.len(), "changed")], taker.items, taker.more)
}

fn name(bytes: &[u8]) -> String {
    out::fit(bytes, 200)
}

fn moved(name: String, from: usize, to: usize) -> Item {
    let values = Values::Both(format!("#{from}"), format!("#{to}"));
    Item { mark: Mark::Moved, name, what: String::new(), values, below: Vec::new() }
}
