//! The metadata as a tree: groups by the first part of a key, keys, elements of arrays.

use std::collections::HashSet;

use ggufkit::format::spec::{Text, keys};
use ggufkit::format::{ArrayRef, Kv, Span, shorten};
use ggufkit::inspect::{type_label, units};
use ggufkit::{ByteStr, Value};
use ratatui::text::{Line, Span as Piece};

use super::{Copied, Look};
use crate::file::Explored;
use crate::list::List;
use crate::text;
use crate::words::{self, say};

/// Groups of a file that have names.
const GROUPS: usize = 100;

/// Bytes of a value that are told: more than any text has that a person wrote.
const TOLD: usize = 200_000;

/// The same of an array whose elements can be told one by one.
const TOLD_OF_ARRAY: usize = 2000;

/// Characters of a number.
const NUMBER: usize = 100;

/// A key-value by its file and its number there.
type Place = (usize, usize);

struct Group {
    name: String,
    open: bool,
    keys: Vec<Place>,
}

/// A row of the tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Row {
    Group(usize),
    Key(Place),
    Element(Place, u64),
}

/// Rows of one sort that follow each other.
struct Run {
    first: u64,
    row: Row,
}

pub(crate) struct Tag {
    groups: Vec<Group>,
    open: HashSet<Place>,
    filter: String,
    runs: Vec<Run>,
    pub(crate) len: u64,
    pub(crate) list: List,
}

fn kv<'a>(files: &[Explored<'a>], place: Place) -> Option<(ByteStr<'a>, &'a Kv, Value<'a>)> {
    let view = files.get(place.0)?.view?;
    let kv = view.index().kvs().get(place.1)?;
    Some((view.key(kv), kv, view.value(kv)))
}

fn array<'a>(files: &[Explored<'a>], place: Place) -> Option<ArrayRef<'a>> {
    kv(files, place)?.2.as_array()
}

fn element_span(array: &ArrayRef<'_>, element: u64) -> Option<Span> {
    let mut elements = array.iter_from(element);
    let start = elements.offset();
    elements.next()?;
    Some(Span::between(start, elements.offset()))
}

impl Tag {
    pub(crate) fn new(files: &[Explored<'_>]) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        for (file, explored) in files.iter().enumerate() {
            let begin = groups.len();
            for (at, (key, _)) in explored.view.iter().flat_map(|view| view.kvs()).enumerate() {
                let first = key.0.split(|byte| *byte == b'.').next().unwrap_or_default();
                let mut name = shorten(first, 60);
                if file > 0 {
                    name = format!("{}: {name}", explored.label);
                }
                let own = groups.get(begin..).unwrap_or_default();
                let found = own.iter().position(|group| group.name == name);
                // Of a file that gives each key a group of its own the tree is a list.
                let found = found.or_else(|| own.len().checked_sub(1).filter(|last| *last >= GROUPS));
                match found.and_then(|found| groups.get_mut(begin.saturating_add(found))) {
                    Some(group) => group.keys.push((file, at)),
                    None => {
                        let name = if groups.len().saturating_sub(begin) == GROUPS {
                            "…".to_owned()
                        } else {
                            name
                        };
                        groups.push(Group { name, open: true, keys: vec![(file, at)] });
                    }
                }
            }
        }
        let mut tag = Self {
            groups,
            open: HashSet::new(),
            filter: String::new(),
            runs: Vec::new(),
            len: 0,
            list: List::default(),
        };
        tag.lay_out(files);
        tag
    }

    fn lay_out(&mut self, files: &[Explored<'_>]) {
        self.runs.clear();
        self.len = 0;
        for (number, group) in self.groups.iter().enumerate() {
            let passes =
                |place: &&Place| self.filter.is_empty() || has(files, **place, self.filter.as_bytes());
            let mut keys = group.keys.iter().filter(passes).peekable();
            if keys.peek().is_none() {
                continue;
            }
            self.runs.push(Run { first: self.len, row: Row::Group(number) });
            self.len = self.len.saturating_add(1);
            if !group.open {
                continue;
            }
            for &place in keys {
                self.runs.push(Run { first: self.len, row: Row::Key(place) });
                self.len = self.len.saturating_add(1);
                if let Some(array) = array(files, place).filter(|_| self.open.contains(&place)) {
                    self.runs.push(Run { first: self.len, row: Row::Element(place, 0) });
                    self.len = self.len.saturating_add(array.len());
                }
            }
        }
    }

    pub(crate) fn row(&self, at: u64) -> Option<Row> {
        let after = self.runs.partition_point(|run| run.first <= at);
        let run = self.runs.get(after.checked_sub(1)?).filter(|_| at < self.len)?;
        Some(match run.row {
            Row::Element(place, _) => Row::Element(place, at.saturating_sub(run.first)),
            row => row,
        })
    }

    pub(crate) fn selected(&self) -> Option<Row> {
        self.row(self.list.at)
    }

    fn place_of(&self, row: Row) -> Option<u64> {
        let run = self.runs.iter().find(|run| match (run.row, row) {
            (Row::Element(is, _), Row::Element(place, _)) => is == place,
            (is, row) => is == row,
        })?;
        match row {
            Row::Element(_, element) => run.first.checked_add(element),
            _ => Some(run.first),
        }
    }

    /// Selects a row, and opens what it stands in.
    pub(crate) fn select(&mut self, files: &[Explored<'_>], row: Row) {
        if let Row::Key(place) | Row::Element(place, _) = row {
            if let Some(group) = self.groups.iter_mut().find(|group| group.keys.contains(&place)) {
                group.open = true;
            }
            if matches!(row, Row::Element(..)) {
                self.open.insert(place);
            }
        }
        self.lay_out(files);
        if self.place_of(row).is_none() && !self.filter.is_empty() {
            self.filter.clear();
            self.lay_out(files);
        }
        if let Some(at) = self.place_of(row) {
            self.list.go(at, self.len);
        }
    }

    /// Opens what is selected, or closes it; false where there is nothing to open, or to close.
    pub(crate) fn set_open(&mut self, files: &[Explored<'_>], open: Option<bool>) -> bool {
        let Some(row) = self.selected() else { return false };
        match row {
            Row::Group(number) => {
                let Some(group) = self.groups.get_mut(number) else { return false };
                let open = open.unwrap_or(!group.open);
                if group.open == open {
                    return false;
                }
                group.open = open;
            }
            Row::Key(place) if array(files, place).is_some() => {
                let open = open.unwrap_or(!self.open.contains(&place));
                let changed = if open { self.open.insert(place) } else { self.open.remove(&place) };
                if !changed {
                    return false;
                }
            }
            _ => return false,
        }
        self.lay_out(files);
        self.list.go(self.place_of(row).unwrap_or(0), self.len);
        true
    }

    /// Goes to what the selected row stands in.
    pub(crate) fn out(&mut self) {
        let of = match self.selected() {
            Some(Row::Element(place, _)) => Some(Row::Key(place)),
            Some(Row::Key(place)) => {
                self.groups.iter().position(|group| group.keys.contains(&place)).map(Row::Group)
            }
            _ => None,
        };
        if let Some(at) = of.and_then(|row| self.place_of(row)) {
            self.list.go(at, self.len);
        }
    }

    pub(crate) fn set_filter(&mut self, files: &[Explored<'_>], filter: &str) {
        let selected = self.selected();
        filter.clone_into(&mut self.filter);
        self.lay_out(files);
        let at = selected.and_then(|row| self.place_of(row)).unwrap_or(0);
        self.list.go(at, self.len);
    }

    pub(crate) fn filter(&self) -> &str {
        &self.filter
    }

    /// The key with this name, or this number.
    pub(crate) fn named(&self, files: &[Explored<'_>], name: &str) -> Option<Row> {
        let number: Option<usize> =
            name.strip_prefix("kv[").and_then(|rest| rest.split(']').next()).and_then(|n| n.parse().ok());
        let mut all = self.groups.iter().flat_map(|group| &group.keys);
        let is = |place: &&Place| match number {
            Some(number) => place.1 == number,
            None => kv(files, **place).is_some_and(|(key, ..)| key.0 == name.as_bytes()),
        };
        all.find(is).map(|place| Row::Key(*place))
    }

    /// Selects the next row whose key or text has this one, or the one before; elements are looked through, open or not.
    pub(crate) fn find(&mut self, files: &[Explored<'_>], wanted: &str, back: bool) -> bool {
        let wanted = wanted.as_bytes();
        let order: Vec<Place> = self.groups.iter().flat_map(|group| group.keys.iter().copied()).collect();
        let (from, element) = match self.selected() {
            Some(Row::Element(place, element)) => (Some(place), Some(element)),
            Some(Row::Key(place)) => (Some(place), None),
            Some(Row::Group(number)) => {
                (self.groups.get(number).and_then(|group| group.keys.first().copied()), None)
            }
            None => (None, None),
        };
        let at_group = matches!(self.selected(), Some(Row::Group(_)));
        let start = from.and_then(|place| order.iter().position(|is| *is == place)).unwrap_or(0);
        for by in 0..=order.len() {
            let at = match back {
                false => start.wrapping_add(by),
                true => start.wrapping_add(order.len()).wrapping_sub(by),
            };
            let Some(&place) = at.checked_rem(order.len()).and_then(|at| order.get(at)) else { return false };
            // The rows of a key in their order: the key itself (`None`), then its elements.
            let whole = (by > 0).then_some(());
            let found = finds(files, place, wanted, back, |row| match (whole, back) {
                (Some(()), _) => true,
                (None, false) => at_group || row > element,
                (None, true) => !at_group && row < element,
            });
            if let Some(row) = found {
                self.select(files, row.map_or(Row::Key(place), |element| Row::Element(place, element)));
                return true;
            }
        }
        false
    }

    /// Where the selected row's bytes are.
    pub(crate) fn span(&self, files: &[Explored<'_>]) -> Option<(usize, Span)> {
        match self.selected()? {
            Row::Group(number) => {
                let place = *self.groups.get(number)?.keys.first()?;
                Some((place.0, kv(files, place)?.1.span))
            }
            Row::Key(place) => Some((place.0, kv(files, place)?.1.span)),
            Row::Element(place, element) => Some((place.0, element_span(&array(files, place)?, element)?)),
        }
    }

    pub(crate) fn line(&self, files: &[Explored<'_>], at: u64, look: &Look) -> Line<'static> {
        match self.row(at) {
            None => Line::default(),
            Some(Row::Group(number)) => {
                let Some(group) = self.groups.get(number) else { return Line::default() };
                let sign = if group.open { '▾' } else { '▸' };
                let count = format!("  {}", group.keys.len());
                Line::from(vec![
                    Piece::styled(format!("{sign} {}", group.name), look.theme.group()),
                    Piece::styled(count, look.theme.faint()),
                ])
            }
            Some(Row::Key(place)) => {
                let Some((key, kv, value)) = kv(files, place) else { return Line::default() };
                let sign = match (value.as_array().is_some(), self.open.contains(&place)) {
                    (false, _) => ' ',
                    (true, true) => '▾',
                    (true, false) => '▸',
                };
                let room = look.width.saturating_sub(4);
                let key = text::fit(&key.display().to_string(), room.saturating_mul(5) / 8);
                let label = type_label(kv);
                let used = text::column(&key, 0).len() + unicode_width::UnicodeWidthStr::width(key.as_str());
                let left = room.saturating_sub(used + label.len() + 4);
                let value = text::fit(&text::value(&value, left.max(1)), left);
                Line::from(vec![
                    Piece::raw(format!("  {sign} ")),
                    Piece::styled(key, look.theme.name()),
                    Piece::styled(format!("  {label}  "), look.theme.faint()),
                    Piece::raw(value),
                ])
            }
            Some(Row::Element(place, element)) => {
                let value = array(files, place).and_then(|array| array.get(element));
                let number = format!("      [{element}] ");
                let left = look.width.saturating_sub(number.len());
                let value = value.map(|value| text::fit(&text::value(&value, left.max(1)), left));
                Line::from(vec![
                    Piece::styled(number, look.theme.faint()),
                    Piece::raw(value.unwrap_or_default()),
                ])
            }
        }
    }

    pub(crate) fn told(&self, files: &[Explored<'_>], look: &Look) -> Vec<Line<'static>> {
        let told = |word, text: String| look.told(say(look.lang, word), text);
        let place = self.span(files).map(|(_, span)| told(words::PLACE, text::span(span)));
        let mut lines = Vec::new();
        match self.selected() {
            Some(Row::Key(at)) => {
                let Some((key, kv, value)) = kv(files, at) else { return lines };
                lines.push(told(words::KEY, format!("{}   kv[{}]", key.display(), at.1)));
                lines.push(told(words::TYPE, type_label(kv)));
                lines.extend(place);
                if let Some(info) = keys::lookup(key.0) {
                    lines.push(told(words::MEANING, info.meaning.get(look.lang).to_owned()));
                }
                let (most, more) = match &value {
                    Value::Array(_) => (TOLD_OF_ARRAY, words::LEFT_OUT_ELEMENTS),
                    _ => (TOLD, words::LEFT_OUT),
                };
                lines.extend(whole(&value, most, more, look));
            }
            Some(Row::Element(at, element)) => {
                let Some((key, ..)) = kv(files, at) else { return lines };
                lines.push(told(words::KEY, format!("{}   kv[{}].value[{element}]", key.display(), at.1)));
                lines.extend(place);
                if let Some(value) = array(files, at).and_then(|array| array.get(element)) {
                    let more = match &value {
                        Value::Array(_) => words::LEFT_OUT_INNER,
                        _ => words::LEFT_OUT,
                    };
                    lines.extend(whole(&value, TOLD, more, look));
                }
            }
            Some(Row::Group(number)) => {
                let Some(group) = self.groups.get(number) else { return lines };
                lines.push(Line::from(format!("{}: {}", group.name, group.keys.len())));
            }
            None => {}
        }
        lines
    }

    /// The value that is selected, and its path.
    pub(crate) fn copied(&self, files: &[Explored<'_>], most: usize) -> Option<Copied> {
        let of = |value: Value<'_>, place| {
            let value = match value {
                Value::String(text) => (text.0.len() <= most).then(|| text.0.to_vec()),
                value => match text::whole(&value, most) {
                    (text, 0) => Some(text.concat().into_bytes()),
                    _ => None,
                },
            };
            Some(Copied { value, place })
        };
        match self.selected()? {
            Row::Group(number) => {
                let name = self.groups.get(number)?.name.clone();
                Some(Copied { value: Some(name.clone().into_bytes()), place: name })
            }
            Row::Key(place) => of(kv(files, place)?.2, format!("kv[{}].value", place.1)),
            Row::Element(place, element) => {
                of(array(files, place)?.get(element)?, format!("kv[{}].value[{element}]", place.1))
            }
        }
    }
}

/// A value in as many lines as it has, and what is to be done about what is left out of a long one.
fn whole(value: &Value<'_>, most: usize, more: Text, look: &Look) -> Vec<Line<'static>> {
    let (texts, left) = text::whole(value, most);
    let mut texts = texts.into_iter();
    let first = texts.next().map(|first| look.told(say(look.lang, words::VALUE), first));
    let mut lines: Vec<Line<'static>> = first.into_iter().chain(texts.map(Line::from)).collect();
    if left > 0 {
        lines.push(Line::styled(words::filled(look.lang, more, &[&units::count(left)]), look.theme.mark()));
    }
    lines
}

/// Whether a key or its value has a text; elements are not looked at.
fn has(files: &[Explored<'_>], place: Place, wanted: &[u8]) -> bool {
    kv(files, place).is_some_and(|(key, _, value)| text::holds(key.0, wanted) || value_has(&value, wanted))
}

fn value_has(value: &Value<'_>, wanted: &[u8]) -> bool {
    match value {
        Value::String(text) => text::holds(text.0, wanted),
        Value::Scalar(_) => text::value(value, NUMBER).as_bytes() == wanted,
        Value::Array(_) => false,
    }
}

/// The first row of a key that has a text and passes, or the last: the key itself is `None`, its elements are numbers.
fn finds(
    files: &[Explored<'_>],
    place: Place,
    wanted: &[u8],
    back: bool,
    passes: impl Fn(Option<u64>) -> bool,
) -> Option<Option<u64>> {
    let key = (has(files, place, wanted) && passes(None)).then_some(None);
    if let (Some(key), false) = (key, back) {
        return Some(key);
    }
    let texts =
        array(files, place).filter(|array| array.element_type() == ggufkit::format::spec::ValueType::STRING);
    let mut found = texts
        .iter()
        .flat_map(|array| (0_u64..).zip(array.iter()))
        .filter(|(at, value)| passes(Some(*at)) && value_has(value, wanted))
        .map(|(at, _)| Some(at));
    if back { found.last().or(key) } else { found.next() }
}
