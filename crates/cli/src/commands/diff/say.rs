//! What a diff says to people, as items: the terminal and Markdown show the same ones.

use ggufkit::format::spec::keys;
use ggufkit::format::{Kv, Tensor, Value};
use ggufkit::inspect::diff::{
    ArrayDiff, Data, DataDifference, Diff, Line, Owner, Record, TensorChange, TextDiff, differing,
};
use ggufkit::inspect::{type_label, units};

use super::value;
use crate::out::{self, Ink};

/// Lines of a text diff, and elements of an array, that are shown of each without `--all`.
const FEW_LINES: usize = 40;
const FEW_ELEMENTS: usize = 5;

/// Comparisons of lines that all text diffs may cost together.
const WORK: u64 = 100_000_000;

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

fn key(kv: &Record<'_, Kv>) -> String {
    match kv.occurrence {
        0 => name(kv.name.0),
        again => format!("{} (occurrence {})", name(kv.name.0), u64::from(again) + 1),
    }
}

fn metadata(diff: &Diff<'_>, much: Much) -> Section {
    let found = &diff.metadata;
    let mut taker = Taker::new(much);
    let mut work = WORK;
    let wide = if much.all { usize::MAX / 8 } else { much.wide };
    for (mark, side, list) in [(Mark::Removed, &diff.a, &found.removed), (Mark::Added, &diff.b, &found.added)]
    {
        taker.kind();
        for kv in list.iter().filter_map(|at| side.kvs.get(*at)) {
            taker.take(|| {
                let value = side.value(kv).map(|value| match value {
                    Value::String(text) => keys::room(kv.name.0, text.0)
                        .map(|bytes| format!("{} bytes of room", units::count(bytes)))
                        .unwrap_or_else(|| value::text(value, much.wide)),
                    _ => value::text(value, much.wide),
                });
                Some(Item {
                    mark,
                    name: key(kv),
                    what: type_label(kv.record),
                    values: value.map_or(Values::None, Values::One),
                    below: Vec::new(),
                })
            });
        }
    }
    taker.kind();
    for change in &found.changed {
        taker.take(|| {
            let (a, b) = (diff.a.kvs.get(change.a)?, diff.b.kvs.get(change.b)?);
            let (old, new) = (diff.a.value(a)?, diff.b.value(b)?);
            let (of_a, of_b) = (type_label(a.record), type_label(b.record));
            let what = if of_a == of_b { of_a } else { format!("{of_a} → {of_b}") };
            let (values, below) = match (old, new) {
                (Value::String(old), Value::String(new)) => {
                    if let (Some(old), Some(new)) = (keys::room(a.name.0, old.0), keys::room(b.name.0, new.0))
                    {
                        let room = |bytes| format!("{} bytes of room", units::count(bytes));
                        let values = Values::Both(room(old), room(new));
                        return Some(Item {
                            mark: Mark::Changed,
                            name: key(a),
                            what,
                            values,
                            below: Vec::new(),
                        });
                    }
                    let lines = [old.0, new.0].iter().any(|text| text.contains(&b'\n'));
                    match (old.to_str(), new.to_str()) {
                        (Some(old), Some(new)) if lines => lines_of(old, new, &mut work, much, wide),
                        _ => (both(Value::String(old), Value::String(new), wide), Vec::new()),
                    }
                }
                (Value::Array(old), Value::Array(new)) if !change.retyped => elements(old, new, much),
                (old, new) => (both(old, new, wide), Vec::new()),
            };
            Some(Item { mark: Mark::Changed, name: key(a), what, values, below })
        });
    }
    taker.kind();
    for one in &found.duplicated {
        taker.take(|| {
            let kv = one.a.and_then(|at| diff.a.kvs.get(at)).or_else(|| diff.b.kvs.get(one.b?))?;
            let text = format!("is there {} → {} times", one.count_a, one.count_b);
            Some(Item {
                mark: Mark::Changed,
                name: name(kv.name.0),
                what: String::new(),
                values: Values::One(text),
                below: Vec::new(),
            })
        });
    }
    taker.kind();
    for (at_a, at_b) in &found.moved {
        taker.take(|| {
            let (a, b) = (diff.a.kvs.get(*at_a)?, diff.b.kvs.get(*at_b)?);
            Some(moved(key(a), a.index, b.index))
        });
    }
    let counts = [
        (found.removed.len(), "removed"),
        (found.added.len(), "added"),
        (found.changed.len(), "changed"),
        (found.moved.len(), "moved"),
    ];
    section("metadata", &counts, taker.items, taker.more)
}

fn moved(name: String, from: usize, to: usize) -> Item {
    let values = Values::Both(format!("#{from}"), format!("#{to}"));
    Item { mark: Mark::Moved, name, what: String::new(), values, below: Vec::new() }
}

fn both(a: Value<'_>, b: Value<'_>, wide: usize) -> Values {
    let (a, b) = value::both(a, b, wide);
    Values::Both(a, b)
}

/// A text of lines.
fn lines_of(a: &str, b: &str, work: &mut u64, much: Much, wide: usize) -> (Values, Vec<Below>) {
    let diff = TextDiff::of(a, b, work);
    let count = |n: usize| format!("{} {}", units::count(n as u64), if n == 1 { "line" } else { "lines" });
    let values = Values::Both(count(diff.lines_a), count(diff.lines_b));
    let most = if much.all { usize::MAX } else { FEW_LINES };
    let mut below = Vec::new();
    let total: usize = diff.hunks.iter().map(|hunk| hunk.lines.len()).sum();
    let mut shown = 0_usize;
    for hunk in &diff.hunks {
        if shown >= most {
            break;
        }
        let span = |(from, len): (usize, usize)| format!("{from},{len}");
        below.push(Below { sign: '@', text: format!("@@ -{} +{} @@", span(hunk.a), span(hunk.b)) });
        let room = wide.saturating_sub(1);
        let mut at = 0;
        while let Some(line) = hunk.lines.get(at) {
            if shown >= most {
                break;
            }
            // Lines in the place of others are shown where they part from them.
            let old = hunk.lines.iter().skip(at).take_while(|line| matches!(line, Line::Old(_))).count();
            if old == 0 {
                let (sign, text) = match line {
                    Line::New(text) => ('+', text),
                    Line::Both(text) | Line::Old(text) => (' ', text),
                };
                below.push(Below { sign, text: harmless(text.as_bytes(), room) });
                (at, shown) = (at + 1, shown + 1);
                continue;
            }
            let news = hunk.lines.iter().skip(at + old);
            let new = news.take_while(|line| matches!(line, Line::New(_))).count();
            let text = |place: usize| match hunk.lines.get(place) {
                Some(Line::Old(text) | Line::New(text) | Line::Both(text)) => text.as_bytes(),
                None => &[],
            };
            let (mut olds, mut new_lines) = (Vec::new(), Vec::new());
            for place in 0..old.max(new).min(most) {
                let (one, other) = match (place < old, place < new) {
                    (true, true) => parted(text(at + place), text(at + old + place), room),
                    (true, false) => (harmless(text(at + place), room), String::new()),
                    _ => (String::new(), harmless(text(at + old + place), room)),
                };
                if place < old {
                    olds.push(Below { sign: '-', text: one });
                }
                if place < new {
                    new_lines.push(Below { sign: '+', text: other });
                }
            }
            let room_left = most.saturating_sub(shown);
            let both: Vec<Below> = olds.into_iter().chain(new_lines).collect();
            shown = shown.saturating_add(both.len().min(room_left));
            below.extend(both.into_iter().take(room_left));
            at += old + new;
        }
    }
    if total > shown {
        let rest = format!("… {} more lines (--all)", units::count((total - shown) as u64));
        below.push(Below { sign: ' ', text: rest });
    }
    (values, below)
}

/// A line of a text; backslashes are as they are, since templates are full of them.
fn harmless(text: &[u8], wide: usize) -> String {
    let line = match std::str::from_utf8(text) {
        Ok(text) => out::one_line(text).into_owned(),
        Err(_) => out::plain(text).to_string(),
    };
    cut(&line, wide)
}

fn cut(line: &str, wide: usize) -> String {
    if line.len() <= wide || out::columns(line) <= wide {
        return line.to_owned();
    }
    let mut text: String = line.chars().take(wide).collect();
    while out::columns(&text) >= wide && text.pop().is_some() {}
    text.push('…');
    text
}

/// Two lines, cut so that the place where they part is seen.
fn parted(a: &[u8], b: &[u8], wide: usize) -> (String, String) {
    let (old, new) = (harmless(a, usize::MAX), harmless(b, usize::MAX));
    let common = old.chars().zip(new.chars()).take_while(|(a, b)| a == b).count();
    let before = wide / 3;
    if (out::columns(&old) <= wide && out::columns(&new) <= wide) || common <= before {
        return (cut(&old, wide), cut(&new, wide));
    }
    let rest = |text: &str| {
        let rest: String = text.chars().skip(common - before).collect();
        cut(&format!("…{rest}"), wide)
    };
    (rest(&old), rest(&new))
}

fn elements(
    a: ggufkit::format::ArrayRef<'_>,
    b: ggufkit::format::ArrayRef<'_>,
    much: Much,
) -> (Values, Vec<Below>) {
    let most = if much.all { usize::MAX } else { FEW_ELEMENTS };
    let wide = (much.wide / 2).max(12);
    let mut below = Vec::new();
    let list = |array: ggufkit::format::ArrayRef<'_>, from: u64, len: u64| {
        let shown = array.iter_from(from).take(usize::try_from(len).unwrap_or(usize::MAX).min(FEW_ELEMENTS));
        let items: Vec<String> = shown.map(|item| value::text(item, wide)).collect();
        let more = if len > items.len() as u64 { ", …" } else { "" };
        cut(&format!("{}{more}", items.join(", ")), much.wide)
    };
    let range = |from: u64, len: u64| match len {
        1 => format!("[{from}]"),
        _ => format!("[{from}..{}]", from.saturating_add(len)),
    };
    let s = |n: u64| if n == 1 { "" } else { "s" };
    let summary = match ArrayDiff::of(a, b) {
        ArrayDiff::Positions { differing: count } => {
            for (at, old, new) in differing(a, b).take(most) {
                let (old, new) = value::both(old, new, wide);
                below.push(Below { sign: ' ', text: format!("[{at}]  {old} → {new}") });
            }
            if count > most as u64 {
                let rest = units::count(count.saturating_sub(most as u64));
                below.push(Below { sign: ' ', text: format!("… {rest} more (--all)") });
            }
            let common = a.len().min(b.len());
            let verb = if count == 1 { "differs" } else { "differ" };
            let mut summary = format!("{} of {} elements {verb}", units::count(count), units::count(common));
            for (array, sign, word) in [(a, '-', "fewer"), (b, '+', "more")] {
                let more = array.len().saturating_sub(common);
                if more > 0 {
                    summary.push_str(&format!(", {} {word}", units::count(more)));
                    let text = format!("{}  {}", range(common, more), list(array, common, more));
                    below.push(Below { sign, text });
                }
            }
            summary
        }
        ArrayDiff::Runs(runs) => {
            for run in runs.iter().take(most) {
                if run.len_a > 0 {
                    let text = format!("{}  {}", range(run.at_a, run.len_a), list(a, run.at_a, run.len_a));
                    below.push(Below { sign: '-', text });
                }
                if run.len_b > 0 {
                    let text = format!("{}  {}", range(run.at_b, run.len_b), list(b, run.at_b, run.len_b));
                    below.push(Below { sign: '+', text });
                }
            }
            if runs.len() > most {
                let rest = units::count((runs.len() - most) as u64);
                below.push(Below { sign: ' ', text: format!("… {rest} more places (--all)") });
            }
            let sum = |len: fn(&ggufkit::inspect::diff::Run) -> u64| {
                runs.iter().map(len).fold(0, u64::saturating_add)
            };
            let (out_of, into) = (sum(|run| run.len_a), sum(|run| run.len_b));
            match (out_of, into) {
                (0, n) => format!("{} element{} put in", units::count(n), s(n)),
                (n, 0) => format!("{} element{} taken out", units::count(n), s(n)),
                (n, m) => format!("{} element{} out, {} in", units::count(n), s(n), units::count(m)),
            }
        }
    };
    (Values::One(summary), below)
}

fn shape(dims: &[u64]) -> String {
    let mut text: Vec<String> = dims.iter().take(8).map(u64::to_string).collect();
    if dims.len() > 8 {
        text.push("…".to_owned());
    }
    format!("[{}]", text.join(", "))
}

fn tensor_name(tensor: &Record<'_, Tensor>) -> String {
    match tensor.occurrence {
        0 => name(tensor.name.0),
        again => format!("{} (occurrence {})", name(tensor.name.0), u64::from(again) + 1),
    }
}

fn tensors(diff: &Diff<'_>, much: Much) -> Section {
    let found = &diff.tensors;
    let mut taker = Taker::new(much);
    for (mark, side, list) in [(Mark::Removed, &diff.a, &found.removed), (Mark::Added, &diff.b, &found.added)]
    {
        taker.kind();
        for tensor in list.iter().filter_map(|at| side.tensors.get(*at)) {
            taker.take(|| {
                let what = format!("{} {}", tensor.record.tensor_type, shape(side.dims(tensor)));
                Some(Item { mark, name: tensor_name(tensor), what, values: Values::None, below: Vec::new() })
            });
        }
    }
    taker.kind();
    for (a, b) in &found.renamed {
        taker.take(|| {
            let (a, b) = (diff.a.tensors.get(*a)?, diff.b.tensors.get(*b)?);
            let what = format!("{} {}", a.record.tensor_type, shape(diff.a.dims(a)));
            let values = Values::One(format!("is called {}", tensor_name(b)));
            Some(Item { mark: Mark::Renamed, name: tensor_name(a), what, values, below: Vec::new() })
        });
    }
    taker.kind();
    for pair in found.pairs.iter().filter(|pair| pair.differs()) {
        taker.take(|| change(diff, pair));
    }
    taker.kind();
    for (at_a, at_b) in &found.moved {
        taker.take(|| {
            let (a, b) = (diff.a.tensors.get(*at_a)?, diff.b.tensors.get(*at_b)?);
            Some(moved(tensor_name(a), a.index, b.index))
        });
    }
    let count = |test: &dyn Fn(&TensorChange) -> bool| found.pairs.iter().filter(|pair| test(pair)).count();
    let counts = [
        (found.removed.len(), "removed"),
        (found.added.len(), "added"),
        (found.renamed.len(), "renamed"),
        (count(&|pair| pair.retyped), "of another type"),
        (count(&|pair| pair.reshaped), "of another shape"),
        (count(&|pair| matches!(pair.data, Data::Differs(_))), "with other data"),
        (found.moved.len(), "moved"),
    ];
    section("tensors", &counts, taker.items, taker.more)
}

fn change(diff: &Diff<'_>, pair: &TensorChange) -> Option<Item> {
    let (a, b) = (diff.a.tensors.get(pair.a)?, diff.b.tensors.get(pair.b)?);
    let (of_a, of_b) = (a.record.tensor_type.to_string(), b.record.tensor_type.to_string());
    let (shape_a, shape_b) = (shape(diff.a.dims(a)), shape(diff.b.dims(b)));
    let what = match (pair.retyped, pair.reshaped) {
        (false, false) => format!("{of_a} {shape_a}"),
        (true, false) => shape_a.clone(),
        (false, true) => of_a.clone(),
        (true, true) => String::new(),
    };
    let one = |ty: &str, shape: &str| match (pair.retyped, pair.reshaped) {
        (true, true) => format!("{ty} {shape}"),
        (true, false) => ty.to_owned(),
        _ => shape.to_owned(),
    };
    let (mut below, mut values) = (Vec::new(), Values::None);
    if pair.retyped || pair.reshaped {
        values = Values::Both(one(&of_a, &shape_a), one(&of_b, &shape_b));
    }
    match &pair.data {
        Data::Differs(difference) => {
            let plain = value::plain(a.record.tensor_type).is_some();
            below.extend(data(difference, plain).into_iter().map(|text| Below { sign: ' ', text }));
        }
        Data::Same if pair.reshaped => {
            below.push(Below { sign: ' ', text: "the data is the same".to_owned() })
        }
        _ => {}
    }
    Some(Item { mark: Mark::Changed, name: tensor_name(a), what, values, below })
}

fn data(found: &DataDifference, plain: bool) -> Vec<String> {
    let mut out = Vec::new();
    if found.bytes > 0 {
        let word = if plain { "values" } else { "blocks" };
        let share = found.blocks as f64 * 100.0 / found.of_blocks.max(1) as f64;
        let share = if share >= 0.1 { format!(" ({share:.1} %)") } else { String::new() };
        out.push(format!(
            "{} of {} {word} {}{share}, in {} {}",
            units::count(found.blocks),
            units::count(found.of_blocks),
            if found.blocks == 1 { "differs" } else { "differ" },
            units::count(found.bytes),
            if found.bytes == 1 { "byte" } else { "bytes" },
        ));
        let place = if plain { "value" } else { "block" };
        let at = match found.at_a == found.at_b {
            true => format!("{:#x}", found.at_a),
            false => format!("{:#x} and {:#x}", found.at_a, found.at_b),
        };
        out.push(format!("first in {place} {}, at {at}", units::count(found.first_block)));
        out.push(format!("{} → {}", found.a, found.b));
    }
    for (missing, which) in [(found.missing_a, "first"), (found.missing_b, "second")] {
        if missing > 0 {
            out.push(format!("{} bytes of it are not in the {which} file", units::count(missing)));
        }
    }
    out
}

fn layout(diff: &Diff<'_>, much: Much) -> Section {
    let found = &diff.layout;
    let mut taker = Taker::new(much);
    let item = |name: String, values: Values| {
        Some(Item { mark: Mark::Changed, name, what: String::new(), values, below: Vec::new() })
    };
    if let Some((a, b)) = found.files {
        taker.take(|| item("number of files".to_owned(), Values::Both(a.to_string(), b.to_string())));
    }
    if let Some((file, at)) = found.head {
        let text = format!("differ at byte {at:#x}, where no value is");
        taker.take(|| item(format!("bytes of the head of file {}", file + 1), Values::One(text)));
    }
    taker.kind();
    for one in &found.offsets {
        taker.take(|| {
            let (a, b) = (diff.a.tensors.get(one.a)?, diff.b.tensors.get(one.b)?);
            let place = |tensor: &Record<'_, Tensor>| match a.file == b.file {
                true => format!("{:#x}", tensor.record.offset),
                false => format!("file {}", tensor.file + 1),
            };
            item(format!("data of {}", tensor_name(a)), Values::Both(place(a), place(b)))
        });
    }
    let gaps = || found.gaps.iter().filter(|gap| gap.differs);
    taker.kind();
    for gap in gaps() {
        taker.take(|| {
            let name = match gap.after {
                Owner::Head(_) => "bytes behind the head".to_owned(),
                Owner::End(_) => "bytes at the end".to_owned(),
                Owner::Tensor(at) => format!("bytes behind {}", tensor_name(diff.a.tensors.get(at)?)),
            };
            let (a, b) = (gap.a.span, gap.b.span);
            let values = match gap.first {
                Some(first) => {
                    let at = a.start.saturating_add(first);
                    Values::One(format!("{} bytes, which differ from {at:#x} on", units::count(a.len)))
                }
                None if a.len == b.len => Values::One(format!("{} bytes, which differ", units::count(a.len))),
                None => Values::Both(
                    format!("{} bytes", units::count(a.len)),
                    format!("{} bytes", units::count(b.len)),
                ),
            };
            item(name, values)
        });
    }
    let single = usize::from(found.files.is_some()) + usize::from(found.head.is_some());
    let counts = [
        (single, "changed"),
        (found.offsets.len(), "tensors elsewhere"),
        (gaps().count(), "other bytes between or behind"),
    ];
    section("layout", &counts, taker.items, taker.more)
}
