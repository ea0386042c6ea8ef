//! How far a model was read, as answers tell it: what they do not list is absent only where all was read.

use ggufkit_format::Index;
use ggufkit_inspect::{Model, Part, Reach};
use serde::Serialize;

use super::session::{File, Opened, Session};

/// What was read of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub(super) struct Read {
    pub(super) keys: Told,
    pub(super) tensors: Told,
}

/// How far one sort of record was read, and how many there should be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub(super) struct Told {
    /// With the file's number in the session.
    #[serde(flatten)]
    pub(super) reach: Reach,
    /// How many were read.
    read: u64,
    /// How many the headers that were read say that there are.
    declared: u64,
}

impl Session {
    /// How far a model was read.
    pub(super) fn reach(&self, opened: &Opened) -> Read {
        let (numbers, parts): (Vec<usize>, Vec<_>) = self.parts(opened).into_iter().unzip();
        let model = Model::of_shards(&parts);
        let number = |part: &Part<'_>| part.view.get("split.no").and_then(|value| value.as_u64());
        let has_first = parts.iter().any(|part| number(part) == Some(0));
        let of = |known: fn(&Model<'_>) -> Reach, first: bool| {
            let known = model.as_ref().map_or(Reach::Whole, known);
            // The keys of a set stand in its first shard: what the others are does not matter to them.
            let matters = |_: &usize| !(first && has_first);
            let headless = || self.headless(opened).filter(matters).map(|file| Reach::NotRead { file });
            let missing = || absent(opened, first);
            match known {
                Reach::UpTo { file, offset } => {
                    Reach::UpTo { file: numbers.get(file).copied().unwrap_or_default(), offset }
                }
                // What the heads know of other files, and what whoever opened them knows.
                Reach::Whole | Reach::NotRead { .. } => headless().or_else(missing).unwrap_or(Reach::Whole),
                Reach::Elsewhere { .. } => headless().unwrap_or(known),
            }
        };
        let sum = |of: fn(&Index) -> u64| {
            parts.iter().map(|part| of(part.view.index())).fold(0, u64::saturating_add)
        };
        Read {
            keys: Told {
                reach: of(Reach::of_keys, true),
                read: sum(|index| index.kvs().len() as u64),
                declared: sum(|index| index.header().kv_count),
            },
            tensors: Told {
                reach: of(Reach::of_tensors, false),
                read: sum(|index| index.tensors().len() as u64),
                declared: sum(|index| index.header().tensor_count),
            },
        }
    }

    /// The first file of a model whose header could not be read.
    fn headless(&self, opened: &Opened) -> Option<usize> {
        let is_headless = |number: &usize| self.files.get(*number).and_then(File::view).is_none();
        opened.files.iter().copied().find(is_headless)
    }
}

/// What stands in files of the set that were not opened: any of them, or the `first`.
fn absent(opened: &Opened, first: bool) -> Option<Reach> {
    let Some(set) = &opened.set else {
        return opened.files.is_empty().then_some(Reach::Elsewhere { missing: None });
    };
    // One that is there, and could not be opened, is as far away.
    let missing = u64::from(set.count()).saturating_sub(opened.files.len() as u64);
    let has_first = set.numbered().next().is_some_and(|(number, _)| number == 1);
    (missing > 0 && !(first && has_first)).then_some(Reach::Elsewhere { missing: Some(missing) })
}
