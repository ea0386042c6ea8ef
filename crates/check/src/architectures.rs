//! The tables of architectures, for programs that hold them against other software or make models from them.

use std::collections::BTreeSet;

use crate::facts::Facts;
use crate::rules::conventions::schema::arch::ALL;
use crate::rules::conventions::schema::params::Params;
use crate::rules::conventions::schema::{Coverage, Dim, Need, ROUTER, Row, Schema};
use crate::subject::Subject;

/// What is known of an architecture.
#[derive(Clone, Copy, Debug)]
pub struct Architecture(&'static Schema);

/// A tensor that a model has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Planned {
    /// Its whole name.
    pub name: String,
    /// Its dimensions, the row length first, `None` where no hyperparameter tells one; empty where the shape is not looked at.
    pub dims: Vec<Option<u64>>,
    /// Whether every model has it, whatever else it has.
    pub always: bool,
}

impl Architecture {
    /// All that there are tables of, by name.
    pub fn all() -> impl Iterator<Item = Self> {
        ALL.iter().copied().map(Self)
    }

    /// The value of `general.architecture`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Whether every tensor that a loader takes is listed.
    #[must_use]
    pub fn is_complete(self) -> bool {
        self.0.coverage == Coverage::Complete
    }

    /// The names of the tensors, those of layers with `{bid}` for the layer.
    #[must_use]
    pub fn tensors(self) -> Vec<String> {
        self.names(|_| true)
    }

    /// The names of those that every model has, whatever else it has.
    #[must_use]
    pub fn required(self) -> Vec<String> {
        self.names(|row| matches!(row.need, Need::Must))
    }

    fn names(self, wanted: fn(&Row) -> bool) -> Vec<String> {
        let globals = self.0.globals().filter(|row| wanted(row)).map(|row| row.name.to_owned());
        let layers = self.0.stacks.iter().flat_map(|stack| {
            let rows = stack.rows().filter(|row| wanted(row));
            rows.map(|row| format!("{}.{{bid}}.{}", stack.prefix, row.name))
        });
        globals.chain(layers).collect()
    }

    /// Whether a model may have experts, and need not.
    #[must_use]
    pub fn may_have_experts(self) -> bool {
        let rows = self.0.stacks.iter().flat_map(|stack| stack.rows());
        let mut routers = rows.filter(|row| row.name == ROUTER).peekable();
        routers.peek().is_some() && routers.all(|row| matches!(row.need, Need::May))
    }

    /// The tensors of the smallest model with these hyperparameters and this many layers, by the table; with `experts`, all
    /// layers that may have experts have them.
    #[must_use]
    pub fn model(self, subject: &Subject<'_>, layers: u64, experts: bool) -> Vec<Planned> {
        self.with(subject, |params, vocabulary| {
            let says = |key: &str| params.says(key);
            let globals: Vec<&'static Row> = self.0.globals().collect();
            let mut out: Vec<Planned> = (needed(&globals, experts, says).into_iter())
                .map(|row| planned(row.name.to_owned(), row, 0, params, vocabulary))
                .collect();
            for stack in self.0.stacks {
                let rows: Vec<&'static Row> = stack.rows().collect();
                for layer in 0..layers {
                    let rows = needed(&rows, experts, says).into_iter();
                    out.extend(
                        rows.map(|row| planned(stack.name(layer, row.name), row, layer, params, vocabulary)),
                    );
                }
            }
            out
        })
    }

    /// Every tensor of the table with these hyperparameters, those of layers in the first layer.
    #[must_use]
    pub fn listed(self, subject: &Subject<'_>) -> Vec<Planned> {
        self.with(subject, |params, vocabulary| {
            let globals =
                self.0.globals().map(|row| planned(row.name.to_owned(), row, 0, params, vocabulary));
            let layers = self.0.stacks.iter().flat_map(|stack| {
                stack.rows().map(|row| planned(stack.name(0, row.name), row, 0, params, vocabulary))
            });
            globals.chain(layers).collect()
        })
    }

    fn with<T>(self, subject: &Subject<'_>, then: impl FnOnce(&Params<'_, '_>, Option<u64>) -> T) -> T {
        let parts = subject.parts();
        let facts = Facts::new(subject, &parts, None);
        let tokens = facts.get("tokenizer.ggml.tokens").and_then(|value| Some(value.as_array()?.len()));
        then(&Params::new(&facts, self.0.name), tokens)
    }
}

fn planned(name: String, row: &Row, layer: u64, params: &Params<'_, '_>, vocabulary: Option<u64>) -> Planned {
    let size = |dim: &Dim| if *dim == Dim::Vocab { vocabulary } else { params.size(dim, layer) };
    Planned { name, dims: row.shape.iter().map(size).collect(), always: matches!(row.need, Need::Must) }
}

/// The rows of a layer, or of what occurs once, that a model has to have.
fn needed(rows: &[&'static Row], experts: bool, says: impl Fn(&str) -> bool) -> Vec<&'static Row> {
    let mut names: BTreeSet<&str> = rows
        .iter()
        .filter(|row| match row.need {
            Need::Must => true,
            Need::Where(key) => says(key),
            Need::WhereNot(key) => !says(key),
            _ => experts && row.name == ROUTER,
        })
        .map(|row| row.name)
        .collect();
    for conditional in [false, true] {
        for row in rows {
            let of_kind = match row.need {
                Need::Unless(_) => !conditional,
                Need::With(..) => conditional,
                _ => false,
            };
            if of_kind && row.need.is_needed(|name| names.contains(name), &says) {
                names.insert(row.name);
            }
        }
    }
    // A layer has something, also where nothing of it is asked for.
    if names.is_empty() {
        let plain = |row: &&&Row| row.name.ends_with(".weight") && !row.name.contains("qkv");
        names.extend(rows.iter().filter(plain).map(|row| row.name));
    }
    let mut seen = BTreeSet::new();
    rows.iter().copied().filter(|row| names.contains(row.name) && seen.insert(row.name)).collect()
}
