//! Two models beside each other.

use std::io;

use ggufkit_format::{ByteStr, Kv, Tensor, shorten};
use ggufkit_inspect::diff::{Diff, Options, Record, Side};
use ggufkit_inspect::tensors::Table;
use ggufkit_inspect::{Lookup, Model, one_line};
use ggufkit_io::TensorReader;
use ggufkit_values::compare::{Difference, Pair, compare as measure};
use serde::Serialize;

use super::query::Query;
use super::refusal::Refusal;
use super::session::Session;
use super::shape::{Num, Place, type_of};
use super::values::{threads, weights};
use super::zh::Said;
use super::{Answer, json};

/// Differences that are told; the others are counted.
const MAX_CHANGES: usize = 5000;
/// Tensors that are paired.
const MAX_PAIRS: usize = 20_000;
/// Names of one model alone that are told.
const MAX_ALONE: usize = 2000;
/// Longest name by which tensors are paired, in bytes.
const MAX_NAME: usize = 4096;
/// Characters of a value.
const VALUE: usize = 300;

/// Does something with two models, whose files have these numbers in the session.
fn with_both(
    session: &Session,
    query: &Query<'_>,
    work: impl FnOnce([&Model<'_>; 2], [&[usize]; 2]) -> Answer,
) -> Answer {
    let (_, first) = session.opened(query, "a")?;
    let (_, second) = session.opened(query, "b")?;
    session.with_model(first, |a, numbers_a| {
        session.with_model(second, |b, numbers_b| work([a, b], [numbers_a, numbers_b]))
    })
}

#[derive(Serialize)]
struct Differences {
    same: Option<bool>,
    changes: Vec<Change>,
    left_out: usize,
    /// How many of all, listed or not, are of the kind `unread`: no differences.
    unread: usize,
}

/// How something differs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Added,
    Removed,
    Changed,
    Retyped,
    Reshaped,
    Moved,
    /// One side has it, and the other was not read to its end.
    Unread,
}

impl Kind {
    pub(super) const ALL: [Self; 7] =
        [Self::Added, Self::Removed, Self::Changed, Self::Retyped, Self::Reshaped, Self::Moved, Self::Unread];
}

/// Where something differs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum What {
    Header,
    Metadata,
    Tensor,
    Layout,
}

impl What {
    pub(super) const ALL: [Self; 4] = [Self::Header, Self::Metadata, Self::Tensor, Self::Layout];
}

#[derive(Serialize)]
struct Change {
    kind: Kind,
    what: What,
    name: String,
    a: Option<String>,
    b: Option<String>,
    a_span: Option<Place>,
    b_span: Option<Place>,
}

/// What is told of a record of either side.
type Told = (String, Place);

pub(super) fn diff(session: &Session, query: &Query<'_>) -> Answer {
    let read = ["a", "b"].map(|side| session.opened(query, side).map(|(_, opened)| session.reach(opened)));
    let [read_a, read_b] = read;
    let (read_a, read_b) = (read_a?, read_b?);
    with_both(session, query, |[a, b], [numbers_a, numbers_b]| {
        let diff = Diff::new(a, b, &Options::ALL);
        let mut list = List { changes: Vec::new(), left_out: 0, unread: 0 };
        // The alignment is what a key says: where that may stand unread, it is no difference.
        let keys_read = read_a.keys.reach.is_whole() && read_b.keys.reach.is_whole();
        list.header(&diff, |field| keys_read || field != "alignment");
        let kv = |side: &Side<'_>, numbers: &[usize], at: usize| {
            side.kvs.get(at).map(|record| (name(&record.name), told_kv(side, numbers, record)))
        };
        let tensor = |side: &Side<'_>, numbers: &[usize], at: usize| {
            side.tensors.get(at).map(|record| (name(&record.name), told_tensor(side, numbers, record)))
        };
        let metadata = Found {
            what: What::Metadata,
            removed: &diff.metadata.removed,
            added: &diff.metadata.added,
            moved: &diff.metadata.moved,
            whole: [read_a.keys.reach.is_whole(), read_b.keys.reach.is_whole()],
        };
        let changed =
            diff.metadata.changed.iter().map(|change| {
                (if change.retyped { Kind::Retyped } else { Kind::Changed }, change.a, change.b)
            });
        list.records(&metadata, changed, |at| kv(&diff.a, numbers_a, at), |at| kv(&diff.b, numbers_b, at));
        let tensors = Found {
            what: What::Tensor,
            removed: &diff.tensors.removed,
            added: &diff.tensors.added,
            moved: &diff.tensors.moved,
            whole: [read_a.tensors.reach.is_whole(), read_b.tensors.reach.is_whole()],
        };
        let changed =
            diff.tensors.pairs.iter().filter(|pair| pair.differs()).map(|change| {
                (if change.reshaped { Kind::Reshaped } else { Kind::Retyped }, change.a, change.b)
            });
        let (of_a, of_b) = (|at| tensor(&diff.a, numbers_a, at), |at| tensor(&diff.b, numbers_b, at));
        list.records(&tensors, changed, of_a, of_b);
        for change in &diff.layout.offsets {
            list.both(Kind::Moved, What::Layout, of_a(change.a), of_b(change.b));
        }
        if let Some((files_a, files_b)) = diff.layout.files {
            let texts = (files_a.to_string(), files_b.to_string());
            list.push(
                Kind::Changed,
                What::Layout,
                "files".to_owned(),
                Some(texts.0),
                Some(texts.1),
                None,
                None,
            );
        }
        // Heads tell that models differ; that their data is the same they cannot tell.
        let same = (list.changes.len() + list.left_out > list.unread).then_some(false);
        json(&Differences { same, changes: list.changes, left_out: list.left_out, unread: list.unread })
    })
}

/// What was found to differ of one sort of record, by the records' numbers on their sides.
struct Found<'f> {
    what: What,
    removed: &'f [usize],
    added: &'f [usize],
    moved: &'f [(usize, usize)],
    /// Whether either side was read to its end. What was not found on another one is not called absent there.
    whole: [bool; 2],
}

struct List {
    changes: Vec<Change>,
    left_out: usize,
    unread: usize,
}

impl List {
    #[allow(clippy::too_many_arguments, reason = "the fields of a change, in their order")]
    fn push(
        &mut self,
        kind: Kind,
        what: What,
        name: String,
        a: Option<String>,
        b: Option<String>,
        a_span: Option<Place>,
        b_span: Option<Place>,
    ) {
        self.unread += usize::from(kind == Kind::Unread);
        if self.changes.len() >= MAX_CHANGES {
            self.left_out += 1;
            return;
        }
        self.changes.push(Change { kind, what, name, a, b, a_span, b_span });
    }

    fn alone(&mut self, kind: Kind, what: What, one: Option<(String, Told)>, first: bool) {
        let Some((name, (text, place))) = one else { return };
        match first {
            true => self.push(kind, what, name, Some(text), None, Some(place), None),
            false => self.push(kind, what, name, None, Some(text), None, Some(place)),
        }
    }

    fn both(&mut self, kind: Kind, what: What, a: Option<(String, Told)>, b: Option<(String, Told)>) {
        let (Some((name, (text_a, place_a))), Some((_, (text_b, place_b)))) = (a, b) else { return };
        self.push(kind, what, name, Some(text_a), Some(text_b), Some(place_a), Some(place_b));
    }

    /// The differences of one sort of record, which `a` and `b` tell of.
    fn records(
        &mut self,
        found: &Found<'_>,
        changed: impl Iterator<Item = (Kind, usize, usize)>,
        a: impl Fn(usize) -> Option<(String, Told)>,
        b: impl Fn(usize) -> Option<(String, Told)>,
    ) {
        let [whole_a, whole_b] = found.whole;
        for at in found.removed {
            self.alone(if whole_b { Kind::Removed } else { Kind::Unread }, found.what, a(*at), true);
        }
        for at in found.added {
            self.alone(if whole_a { Kind::Added } else { Kind::Unread }, found.what, b(*at), false);
        }
        for (kind, at_a, at_b) in changed {
            self.both(kind, found.what, a(at_a), b(at_b));
        }
        for (at_a, at_b) in found.moved {
            self.both(Kind::Moved, found.what, a(*at_a), b(*at_b));
        }
    }

    fn header(&mut self, diff: &Diff<'_>, is_known: impl Fn(&str) -> bool) {
        for change in diff.header.iter().filter(|change| is_known(change.field)) {
            let name = change.field.to_owned();
            let texts = (change.a.clone(), change.b.clone());
            self.push(Kind::Changed, What::Header, name, Some(texts.0), Some(texts.1), None, None);
        }
    }
}

fn name(name: &ByteStr<'_>) -> String {
    shorten(name.0, VALUE)
}

fn told_kv(side: &Side<'_>, numbers: &[usize], record: &Record<'_, Kv>) -> Told {
    let (text, _) = side.value(record).map(|value| one_line(&value, VALUE)).unwrap_or_default();
    let ty = type_of(&record.record.payload, record.record.value_type.to_string());
    let file = numbers.get(record.file).copied().unwrap_or_default();
    (format!("{text} ({ty})"), Place::new(file, record.record.span))
}

fn told_tensor(side: &Side<'_>, numbers: &[usize], record: &Record<'_, Tensor>) -> Told {
    let dims: Vec<String> = side.dims(record).iter().map(u64::to_string).collect();
    let file = numbers.get(record.file).copied().unwrap_or_default();
    (format!("{} [{}]", record.record.tensor_type, dims.join(", ")), Place::new(file, record.record.span))
}

#[derive(Serialize)]
struct Pairs {
    pairs: Vec<Named>,
    /// Pairs that are not told, since there are so many.
    left_out: usize,
    only_a: Alone,
    only_b: Alone,
}

/// Tensors that only one of the models has.
#[derive(Serialize, Default)]
struct Alone {
    count: usize,
    /// The first of them.
    names: Vec<String>,
}

impl Alone {
    fn push(&mut self, name: &ByteStr<'_>) {
        self.count = self.count.saturating_add(1);
        if self.names.len() < MAX_ALONE {
            self.names.push(shorten(name.0, MAX_NAME));
        }
    }
}

#[derive(Serialize)]
struct Named {
    name: String,
    a: usize,
    b: usize,
    bytes: u64,
}

/// The number of each file's first tensor among all of a model's.
fn firsts(model: &Model<'_>) -> Vec<usize> {
    let mut before = 0_usize;
    let count = |part: ggufkit_inspect::Part<'_>| {
        let first = before;
        before = before.saturating_add(part.view.index().tensors().len());
        first
    };
    model.parts().map(count).collect()
}

pub(super) fn pairs(session: &Session, query: &Query<'_>) -> Answer {
    with_both(session, query, |[a, b], _| {
        let (first_a, first_b) = (firsts(a), firsts(b));
        let (names_a, names_b) = (Lookup::<Tensor>::new(a), Lookup::<Tensor>::new(b));
        let table = Table::new(a);
        let mut out =
            Pairs { pairs: Vec::new(), left_out: 0, only_a: Alone::default(), only_b: Alone::default() };
        for row in table.iter() {
            match names_b.find(row.name.0) {
                Some(other) if out.pairs.len() < MAX_PAIRS && row.name.0.len() <= MAX_NAME => {
                    let size = |index: &ggufkit_format::Index, tensor| {
                        index.data_span(tensor).map_or(0, |span| span.len)
                    };
                    let bytes = size(row.part.view.index(), row.tensor)
                        .saturating_add(size(other.part.view.index(), other.record));
                    out.pairs.push(Named {
                        name: row.name.display().to_string(),
                        a: first_a.get(row.part_index).copied().unwrap_or_default() + row.index,
                        b: first_b.get(other.file).copied().unwrap_or_default() + other.index,
                        bytes,
                    });
                }
                Some(_) => out.left_out = out.left_out.saturating_add(1),
                None => out.only_a.push(&row.name),
            }
        }
        for (_, name, _) in b.tensors().filter(|(_, name, _)| names_a.find(name.0).is_none()) {
            out.only_b.push(&name);
        }
        json(&out)
    })
}

#[derive(Serialize)]
struct Compared {
    name: String,
    type_a: String,
    type_b: String,
    elements: u64,
    equal: u64,
    not_finite: u64,
    rmse: Num,
    relative: Num,
    max: Num,
    cosine: Num,
    snr_db: Num,
}

pub(super) fn compare(session: &Session, query: &Query<'_>) -> Answer {
    let wanted = query.needed("name")?;
    with_both(session, query, |models, numbers| {
        let mut found = Vec::new();
        for (model, numbers) in models.into_iter().zip(numbers) {
            let tensor = Table::new(model)
                .iter()
                .find(|row| row.name.0.len() <= MAX_NAME && row.name.display().to_string() == wanted);
            let row = tensor.ok_or_else(|| {
                Refusal::not_found(("not both have a tensor of this name", "并非两侧都有这个名称的张量"))
            })?;
            let file = numbers.get(row.part_index).and_then(|number| session.files.get(*number));
            let file = file.ok_or_else(|| {
                Refusal::not_found(("there is no file with this number", "没有这个编号的文件"))
            })?;
            let source = file.seekable()?;
            let reader = TensorReader::new(source, row.part.view);
            found.push((weights(source, &reader, row.tensor)?, row.dims, file));
        }
        let [(first, dims, file), (second, other_dims, other_file)] = found.as_slice() else {
            return Err(Refusal::not_found((
                "not both have a tensor of this name",
                "并非两侧都有这个名称的张量",
            )));
        };
        if dims != other_dims {
            return Err(Refusal::unsupported((
                "only tensors of one shape are compared",
                "只能比较形状相同的张量",
            )));
        }
        let pair =
            Pair::of(first, second).map_err(|error| Refusal::unsupported(Said::of(&error.to_string())))?;
        let mut result: io::Result<Difference> = Err(io::ErrorKind::UnexpectedEof.into());
        measure(&[pair], threads(), &|_| (), &mut |_, one| result = one);
        let result = result.map_err(|error| Refusal::io(&error))?;
        file.unchanged()?;
        other_file.unchanged()?;
        json(&Compared {
            name: wanted.to_owned(),
            type_a: first.tensor_type().to_string(),
            type_b: second.tensor_type().to_string(),
            elements: result.count,
            equal: result.equal,
            not_finite: result.not_finite,
            rmse: Num::or_nan(result.rmse()),
            relative: Num::or_nan(result.relative()),
            max: Num::or_nan(result.max.map(|(value, _)| value)),
            cosine: Num::or_nan(result.cosine()),
            snr_db: Num::or_nan(result.snr()),
        })
    })
}
