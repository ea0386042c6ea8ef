//! Which tensors belong together, and the pass over their values.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::num::NonZeroUsize;

use ggufkit::format::shorten;
use ggufkit::format::spec::TensorType;
use ggufkit::inspect::tensors::{Row, Table};
use ggufkit::io::DynSource;
use ggufkit::values::compare::{Difference, Pair, Side, compare};
use ggufkit::values::origin::{Change, Model, NoOrigin, Verdict, verdict};
use ggufkit::values::{NoValues, Weights};

use super::super::data::{Budget, Files};
use super::super::progress::Bar;
use super::super::tensors::SelectArgs;
use super::rename::Rename;
use super::source::Opened;
use crate::failure::{Failed, Failure};
use crate::frame::Document;

/// A tensor that both have.
pub(super) struct Compared {
    pub(super) name: Box<[u8]>,
    /// Its name in B, where that is another.
    pub(super) renamed: Option<Box<[u8]>>,
    /// What it is made of in a source.
    pub(super) made_of: Vec<String>,
    /// What of the conversion was taken into account.
    pub(super) changes: Vec<Change>,
    pub(super) types: [TensorType; 2],
    /// Whether it has rows and columns.
    matrix: bool,
    pub(super) difference: Difference,
    /// Whether it is further off than it may be, where there is a bound.
    pub(super) over: Option<bool>,
}

impl Compared {
    /// What is known before values are looked at.
    fn of(name: &[u8], types: [TensorType; 2], dims: &[u64]) -> Self {
        Self {
            name: name.into(),
            renamed: None,
            made_of: Vec::new(),
            changes: Vec::new(),
            types,
            matrix: dims.len() > 1,
            difference: Difference::default(),
            over: None,
        }
    }

    /// Whether it is further off than `max`, a relative error. Nothing is where all pairs are equal, as those of no elements are;
    /// what is left out of the measures, or measured by zeros, is within no bound.
    pub(super) fn is_over(&self, max: f64) -> bool {
        let one = &self.difference;
        one.equal < one.count && (one.not_finite > 0 || one.relative().is_none_or(|error| error > max))
    }
}

/// What came of it.
#[derive(Default)]
pub(super) struct Answer {
    pub(super) tensors: Vec<Compared>,
    /// Over all of them.
    pub(super) all: Difference,
    /// Names that only one of them has.
    pub(super) only: [Vec<Vec<u8>>; 2],
    /// Tensors that conversion makes, and that no source has.
    pub(super) made: Vec<Vec<u8>>,
    /// Tensors of one name and two shapes.
    pub(super) reshaped: Vec<(Vec<u8>, [Vec<u64>; 2])>,
    pub(super) failures: Vec<Failed>,
    /// What a person is told beside.
    pub(super) notes: Vec<String>,
    /// Whether B comes from the source, where there is one.
    pub(super) verdict: Option<Verdict>,
}

/// How the passes are made.
pub(super) struct How<'a> {
    pub(super) select: &'a SelectArgs,
    pub(super) threads: NonZeroUsize,
    /// Whether the worst blocks of each tensor are told.
    pub(super) worst: bool,
}

/// Tensors that are taken up together: each has something that is only needed while it is compared.
const AT_ONCE: usize = 512;

/// Two tensors that belong together: what is known of them beforehand, and their values.
struct Matched<'d, A> {
    known: Compared,
    first: A,
    second: Weights<'d, DynSource>,
}

impl How<'_> {
    /// The tensors of two models.
    pub(super) fn models<'d>(&self, a: &'d Document<'_>, b: &'d Document<'_>, renames: &[Rename]) -> Answer {
        let mut answer = Answer::default();
        let (Some(model_a), Some(model_b)) = (&a.model, &b.model) else { return answer };
        let (table_a, table_b) = (Table::new(model_a), Table::new(model_b));
        let renamed = |name: &[u8]| renames.iter().find_map(|rename| rename.apply(name));
        let idle = |rename: &&Rename| !table_b.iter().any(|row| rename.apply(row.name.0).is_some());
        let note = |rename: &Rename| format!("--rename {}: no tensor of B has such a name", rename.shown());
        answer.notes.extend(renames.iter().filter(idle).map(note));
        let mut by_name: HashMap<Cow<'_, [u8]>, (usize, usize)> = HashMap::new();
        let name_in_a = |row: &Row<'d>| renamed(row.name.0).map_or(Cow::Borrowed(row.name.0), Cow::Owned);
        for row in table_b.iter() {
            by_name.entry(name_in_a(&row)).or_insert((row.part_index, row.index));
        }
        // A row is large, and there may be a hundred thousand: the places of both are held.
        let mut pairs: Vec<[(usize, usize); 2]> = Vec::new();
        let row_of = |table: &Table<'d>, (part, at): (usize, usize)| table.row(part, at);
        let mut total = 0_u64;
        for row in table_a.iter().filter(|row| self.select.takes(row)) {
            let place = by_name.remove(row.name.0);
            match place.and_then(|place| Some((place, row_of(&table_b, place)?))) {
                Some((place, other)) if other.dims == row.dims => {
                    let bytes = row.size.unwrap_or(0).saturating_add(other.size.unwrap_or(0));
                    total = total.saturating_add(bytes);
                    pairs.push([(row.part_index, row.index), place]);
                }
                Some((_, other)) => {
                    answer.reshaped.push((row.name.0.to_vec(), [row.dims.to_vec(), other.dims.to_vec()]));
                }
                None => answer.only[0].push(row.name.0.to_vec()),
            }
        }
        if !self.select.is_any() {
            answer.only[1] = table_b
                .iter()
                .filter(|row| by_name.contains_key(&name_in_a(row)))
                .map(|row| row.name.0.to_vec())
                .collect();
        }
        drop(by_name);
        let files = [a, b].map(Files::of);
        let mut budgets = [&files[0], &files[1]].map(|files| Budget::new(files.size()));
        let bar = Bar::begin(b.label, total.min(files[0].size().saturating_add(files[1].size())));
        for pairs in pairs.chunks(AT_ONCE) {
            let mut matched = Vec::new();
            for [one, two] in pairs {
                let (Some(one), Some(two)) = (row_of(&table_a, *one), row_of(&table_b, *two)) else {
                    continue;
                };
                let [files_a, files_b] = &files;
                let [budget_a, budget_b] = &mut budgets;
                let first = answer.part(a, files_a.weights(&one), budget_a, one.name.0);
                let second = answer.part(b, files_b.weights(&two), budget_b, one.name.0);
                let (Some(first), Some(second)) = (first, second) else { continue };
                let known = Compared {
                    renamed: (one.name != two.name).then(|| two.name.0.into()),
                    ..Compared::of(one.name.0, [one.tensor_type(), two.tensor_type()], one.dims)
                };
                matched.push(Matched { known, first, second });
            }
            self.pass(&mut answer, matched, &bar, b);
        }
        bar.end();
        answer.of_one_state(a.changed().or_else(|| b.changed()))
    }

    /// The tensors of a model and those that they were made of.
    pub(super) fn source(&self, source: &Opened, b: &Document<'_>) -> Answer {
        let mut answer = Answer::default();
        let Some(model) = &b.model else { return answer };
        let (table, files, catalog) = (Table::new(model), Files::of(b), source.catalog());
        let heads = files.parts.first().and_then(|part| part.view()).map(Model::of).unwrap_or_default();
        let (mut of_source, mut budget) = (Budget::new(source.size()), Budget::new(files.size()));
        let mut used: HashSet<&str> = HashSet::new();
        let (mut matched, mut total) = (Vec::new(), 0_u64);
        for row in table.iter().filter(|row| self.select.takes(row)) {
            let name = row.name.0;
            let origin = match catalog.origin(&heads, name, row.dims) {
                Ok(origin) => origin,
                Err(NoOrigin::Nothing) => {
                    answer.only[1].push(name.to_vec());
                    continue;
                }
                Err(NoOrigin::Made) => {
                    answer.made.push(name.to_vec());
                    continue;
                }
                Err(NoOrigin::Shape { name: there, found }) => {
                    used.extend(catalog.names().find(|known| *known == there));
                    answer.reshaped.push((name.to_vec(), [found, row.dims.to_vec()]));
                    continue;
                }
                Err(error) => {
                    let text = format!("{}: {error}", shorten(name, 80));
                    answer.fail(b, "unsupported", "no-origin", text);
                    continue;
                }
            };
            used.extend(origin.names());
            if !of_source.take(origin.bytes()) {
                answer.fail(b, "malformed", "overlap", format!("{}: tensors share bytes", shorten(name, 80)));
                continue;
            }
            let Some(second) = answer.part(b, files.weights(&row), &mut budget, name) else { continue };
            total = total.saturating_add(origin.bytes()).saturating_add(second.span().len);
            let known = Compared {
                made_of: origin.names().iter().map(|name| (*name).to_owned()).collect(),
                changes: origin.changes().collect(),
                ..Compared::of(name, [origin.tensor_type(), row.tensor_type()], row.dims)
            };
            matched.push(Matched { known, first: origin, second });
        }
        if !self.select.is_any() {
            let left = catalog.names().filter(|name| !used.contains(name));
            answer.only[0] = left.map(|name| name.as_bytes().to_vec()).collect();
        }
        let bar = Bar::begin(b.label, total);
        self.pass(&mut answer, matched, &bar, b);
        bar.end();
        let matrices = answer.tensors.iter().filter(|one| one.matrix);
        let told = verdict(matrices.map(|one| (one.types[0], one.types[1], &one.difference)));
        answer.verdict = Some(told);
        answer.of_one_state(source.changed().or_else(|| b.changed()))
    }

    fn pass<'d, A: Side>(
        &self,
        answer: &mut Answer,
        matched: Vec<Matched<'d, A>>,
        bar: &Bar,
        b: &Document<'_>,
    ) {
        // Those that have as many elements: all of one shape.
        let apart = |one: Matched<'d, A>| ((one.first, one.second), Some(one.known));
        let (sides, mut known): (Vec<_>, Vec<_>) = matched.into_iter().map(apart).unzip();
        let paired =
            sides.iter().enumerate().filter_map(|(at, (one, two))| Some((at, Pair::of(one, two).ok()?)));
        let (places, pairs): (Vec<usize>, Vec<Pair<'_>>) = paired.unzip();
        compare(&pairs, self.threads, &|bytes| bar.more(bytes), &mut |at, result: io::Result<Difference>| {
            let Some(one) = places.get(at).and_then(|at| known.get_mut(*at)?.take()) else { return };
            match result {
                Ok(mut difference) => {
                    answer.all.add(&difference.without_places());
                    if !self.worst {
                        difference.worst = Vec::new();
                    }
                    difference.worst.shrink_to_fit();
                    answer.tensors.push(Compared { difference, ..one });
                }
                Err(error) => answer.fail(b, "io", "io", format!("{}: {error}", shorten(&one.name, 80))),
            }
        });
    }
}

impl Answer {
    /// How many tensors each change was taken into account in.
    pub(super) fn changes(&self) -> BTreeMap<&'static str, u64> {
        let mut counts = BTreeMap::new();
        for change in self.tensors.iter().flat_map(|one| &one.changes) {
            let count: &mut u64 = counts.entry(change.name()).or_default();
            *count = count.saturating_add(1);
        }
        counts
    }

    /// The values of a tensor of a model, where it has some that may be read.
    fn part<'d>(
        &mut self,
        document: &Document<'_>,
        weights: Result<Weights<'d, DynSource>, NoValues>,
        budget: &mut Budget,
        name: &[u8],
    ) -> Option<Weights<'d, DynSource>> {
        match weights {
            Ok(weights) if budget.take(weights.span().len) => return Some(weights),
            Ok(_) => {
                self.fail(
                    document,
                    "malformed",
                    "overlap",
                    format!("{}: tensors share bytes", shorten(name, 80)),
                );
            }
            Err(error) => self.fail(document, "unsupported", "no-values", error.to_string()),
        }
        None
    }

    /// Of a file that was written to meanwhile no number is right.
    fn of_one_state(self, changed: Option<Failed>) -> Self {
        match changed {
            None => self,
            Some(failed) => Self { failures: vec![failed], ..Self::default() },
        }
    }

    fn fail(&mut self, document: &Document<'_>, kind: &'static str, code: &'static str, message: String) {
        let failure = Failure::Data { kind, code, message };
        self.failures.push(Failed { path: document.given.to_owned(), failure });
    }
}
