//! The fields of a head, and the walk over them, as lines.

use std::collections::VecDeque;
use std::io::{self, Write as _};

use ggufkit::format::spec::{Lang, keys};
use ggufkit::format::{Detail, Field, FieldValue, Path, View};
use ggufkit::inspect::hex::{Kind, Note, Select, note, steps};
use ggufkit::inspect::units;

use super::page::{Bytes, Page};
use super::palette::{FAINT, of_kind};
use crate::commands::explain::wrap::{Run, fill, fill_owned};
use crate::out::{self, Ink, Out};

/// What is shown, and how.
#[derive(Clone)]
pub(super) struct Show {
    pub(super) select: Select,
    pub(super) detail: Detail,
    /// Fields around those that were selected.
    pub(super) context: usize,
    /// Whether long runs of bytes are shown whole.
    pub(super) full: bool,
    pub(super) lang: Lang,
    /// Where the reading stopped, if it did.
    pub(super) stopped: Option<String>,
}

/// A stretch of the head under one heading.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Header,
    Kv(u64),
    Tensor(u64),
    Padding,
    Unparsed,
}

impl Section {
    const fn of(path: &Path) -> Self {
        match path {
            Path::Header(_) => Self::Header,
            Path::Kv { index, .. } => Self::Kv(*index),
            Path::Tensor { index, .. } => Self::Tensor(*index),
            Path::Padding | Path::Data => Self::Padding,
            Path::Unparsed => Self::Unparsed,
        }
    }
}

/// Prints the fields that are wanted; returns how many they were. `apart` tells whether lines stand above.
pub(super) fn fields(
    out: &mut Out,
    page: &Page,
    view: &View<'_>,
    show: &Show,
    mut apart: bool,
) -> io::Result<u64> {
    let mut scratch = String::new();
    let mut before: VecDeque<Field<'_>> = VecDeque::new();
    let (mut found, mut after, mut section) = (0, 0, None);
    // End of what was printed last, to mark what was left out between.
    let mut printed: Option<u64> = None;
    for field in view.fields(show.select.detail(show.detail)) {
        let picked = show.select.picks(&field, &mut scratch);
        if !picked && after == 0 {
            if show.context > 0 {
                before.push_back(field);
                if before.len() > show.context {
                    before.pop_front();
                }
            }
            continue;
        }
        let earlier: Vec<Field<'_>> = if picked { before.drain(..).collect() } else { Vec::new() };
        for one in earlier.iter().chain(std::iter::once(&field)) {
            let new = Some(Section::of(&one.path));
            if section != new {
                section = new;
                heading(out, view, one, show.lang, std::mem::replace(&mut apart, true))?;
            } else if printed.is_some_and(|end| end < one.span.start) {
                let mark = out.paint(Ink::Faint, "⋮");
                writeln!(out, "{mark}")?;
            }
            self::field(out, page, view, one, show)?;
            printed = Some(one.span.end());
        }
        (found, after) = if picked { (found + 1, show.context) } else { (found, after - 1) };
    }
    Ok(found)
}

/// The line above a record.
fn heading(out: &mut Out, view: &View<'_>, field: &Field<'_>, lang: Lang, apart: bool) -> io::Result<()> {
    let index = view.index();
    if apart {
        writeln!(out)?;
    }
    let (title, meaning) = match Section::of(&field.path) {
        Section::Header => ("header".to_owned(), String::new()),
        // One field, which says by itself what it is.
        Section::Padding | Section::Unparsed => return Ok(()),
        Section::Kv(at) => {
            let Some(kv) = usize::try_from(at).ok().and_then(|at| index.kvs().get(at)) else { return Ok(()) };
            let key = view.key(kv);
            let meaning = keys::lookup(key.0).map_or(String::new(), |info| info.meaning.get(lang).to_owned());
            (format!("kv[{at}] {}", out::fit(key.0, 80)), meaning)
        }
        Section::Tensor(at) => {
            let Some(tensor) = usize::try_from(at).ok().and_then(|at| index.tensors().get(at)) else {
                return Ok(());
            };
            let dims: Vec<String> = index.dims(tensor).iter().take(8).map(u64::to_string).collect();
            let name = out::fit(view.name(tensor).0, 80);
            let shape = format!("{} [{}]", tensor.tensor_type, dims.join(", "));
            (format!("tensors[{at}] {name}"), shape)
        }
    };
    let mut runs = vec![Run::new(anstyle::Style::new().bold(), title)];
    if !meaning.is_empty() {
        runs.push(Run::plain("  "));
        runs.push(Run::new(FAINT, meaning));
    }
    let width = out.width();
    for line in fill(&runs, width) {
        print_line(out, &line)?;
    }
    Ok(())
}

/// A line of runs.
pub(super) fn print_line(out: &mut Out, line: &[Run]) -> io::Result<()> {
    for run in line {
        let text = out.styled(run.style, &run.text).to_string();
        write!(out, "{text}")?;
    }
    writeln!(out)
}

fn field(out: &mut Out, page: &Page, view: &View<'_>, field: &Field<'_>, show: &Show) -> io::Result<()> {
    let note = note(view, field, show.lang);
    let bytes = view.bytes(field.span).unwrap_or_default();
    let most = if show.full { bytes.len() } else { most(field) };
    let shown = if bytes.len() > most { bytes.get(..cut(field)).unwrap_or(bytes) } else { bytes };
    let mut span = field.span;
    if let FieldValue::Unparsed(_) = field.value {
        // It goes on to the end of the file, and that is no number to show here.
        span.len = shown.len() as u64;
    }
    let bytes = Bytes { span, shown, style: of_kind(Kind::of(field)) };
    let mut words = words(field, &note, show.lang);
    if let (FieldValue::Unparsed(_), Some(stopped)) = (&field.value, &show.stopped) {
        words.push(Run::plain(match show.lang {
            Lang::En => format!("; the reading stopped in {stopped}"),
            Lang::Zh => format!("；读取停在 {stopped}"),
        }));
    }
    page.bytes(out, &bytes, words)
}

/// Bytes of a field that are shown before it is folded.
const fn most(field: &Field<'_>) -> usize {
    match field.value {
        FieldValue::Elements(_) => 0,
        FieldValue::Padding(_) => 32,
        _ => 64,
    }
}

/// Bytes of a folded field that are shown.
const fn cut(field: &Field<'_>) -> usize {
    match field.value {
        FieldValue::Elements(_) => 0,
        FieldValue::Padding(_) => 16,
        FieldValue::Unparsed(_) => 64,
        _ => 48,
    }
}

/// `kv[3].value.length  u64 = 12 bytes follow`.
fn words(field: &Field<'_>, note: &Note, lang: Lang) -> Vec<Run> {
    let mut runs = vec![Run::plain(format!("{}  ", field.path))];
    said(&mut runs, field, note, lang);
    runs
}

fn said(runs: &mut Vec<Run>, field: &Field<'_>, note: &Note, lang: Lang) {
    if !note.ty.is_empty() {
        runs.push(Run::new(FAINT, note.ty.clone()));
        runs.push(Run::new(FAINT, if note.value.is_empty() { "" } else { " = " }));
    }
    if !note.value.is_empty() {
        runs.push(Run::new(of_kind(Kind::of(field)), note.value.clone()));
    }
    runs.push(Run::plain(note.tail(lang)));
}

/// The colours and what they stand for, where there are colours. Returns whether there are.
pub(super) fn legend(out: &mut Out) -> io::Result<bool> {
    if !out.color() {
        return Ok(false);
    }
    let kinds = [
        ("length, count, offset", Kind::Length),
        ("key, name", Kind::Key),
        ("type", Kind::Type),
        ("number", Kind::Number),
        ("text", Kind::Text),
        ("padding", Kind::Padding),
    ];
    let names: Vec<String> =
        kinds.iter().map(|(name, kind)| out.styled(of_kind(*kind), *name).to_string()).collect();
    writeln!(out, "{}", names.join("  "))?;
    Ok(true)
}

/// Prints the walk.
pub(super) fn walk(out: &mut Out, page: &Page, view: &View<'_>, show: &Show) -> io::Result<u64> {
    let mut scratch = String::new();
    let (mut found, mut section, mut read) = (0, None, 0_u64);
    for step in steps(*view, show.select.detail(show.detail), show.lang) {
        read = step.field.span.end();
        if !show.select.picks(&step.field, &mut scratch) {
            continue;
        }
        found += 1;
        let new = Some(Section::of(&step.field.path));
        if section != new {
            heading(out, view, &step.field, show.lang, section.is_some())?;
            section = new;
        }
        let mut lines = fill_owned(words(&step.field, &step.note, show.lang), page.step_room());
        if !step.next.is_empty() {
            let room = page.step_room().saturating_sub(2);
            for (i, line) in fill_owned(vec![Run::new(FAINT, step.next)], room).into_iter().enumerate() {
                let mark = Run::new(FAINT, if i == 0 { "→ " } else { "  " });
                lines.push(std::iter::once(mark).chain(line).collect());
            }
        }
        let shown = view.bytes(step.field.span).unwrap_or_default();
        let bytes = Bytes { span: step.field.span, shown, style: of_kind(Kind::of(&step.field)) };
        page.step(out, &format!("{:>6}", step.number), &bytes, &lines)?;
    }
    if show.select == Select::All {
        let (n, bytes) = (units::count(found), units::count(read.saturating_sub(view.index().header().base)));
        let last = match show.lang {
            Lang::En => format!("{n} steps, {bytes} bytes, each read once and in order"),
            Lang::Zh => format!("共 {n} 步，{bytes} 字节，顺序读取，每个字节只读一次"),
        };
        let last = out.paint(Ink::Head, last);
        writeln!(out, "\n{last}")?;
    }
    Ok(found)
}
