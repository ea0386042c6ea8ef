//! How far a model was read: whether all of its key-values, and all of its tensors, are there to be looked at.
//!
//! Of a head that breaks off, and of some of the shards of a model, nothing that was not found may be called absent: it may
//! stand where nobody looked. Whoever says "there is none" asks a [`Reach`] first.

use ggufkit_format::Index;
use serde::Serialize;

use crate::model::{Model, Part};

/// How much of something of a model was read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum Reach {
    /// All of it: what was not found is absent.
    Whole,
    /// A head breaks off before its end.
    UpTo {
        /// The file, among those of the model.
        file: usize,
        /// Where what was read of it ends.
        offset: u64,
    },
    /// Not even the header of a file could be read.
    NotRead {
        /// The file, among those of the model.
        file: usize,
    },
    /// It stands, or may stand, in shards of the model that are not here.
    Elsewhere {
        /// Shards that are not here, where their number is known.
        missing: Option<u64>,
    },
}

impl Reach {
    /// Whether all of it was read.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        matches!(self, Self::Whole)
    }

    /// How many key-values were read. Those of a split model are what its first shard holds.
    #[must_use]
    pub fn of_keys(model: &Model<'_>) -> Self {
        let all = |index: &Index| index.kvs().len() as u64 == index.header().kv_count;
        let elsewhere = || {
            let missing = missing(model)?;
            let has_first = model.parts().any(|part| number(&part, "split.no") == Some(0));
            (!has_first).then_some(Self::Elsewhere { missing: Some(missing) })
        };
        broken(model, all).or_else(elsewhere).unwrap_or(Self::Whole)
    }

    /// How many tensors were read.
    #[must_use]
    pub fn of_tensors(model: &Model<'_>) -> Self {
        let all = |index: &Index| {
            let header = index.header();
            // The table stands behind the key-values, so that of a head that ends there none of it was seen.
            index.kvs().len() as u64 == header.kv_count && index.tensors().len() as u64 == header.tensor_count
        };
        let elsewhere = || missing(model).map(|missing| Self::Elsewhere { missing: Some(missing) });
        broken(model, all).or_else(elsewhere).unwrap_or(Self::Whole)
    }
}

/// The first file whose head breaks off before `all` of something was read.
fn broken(model: &Model<'_>, all: impl Fn(&Index) -> bool) -> Option<Reach> {
    let mut parts = model.parts().map(|part| part.view.index()).enumerate();
    let (file, index) = parts.find(|(_, index)| !index.is_complete() && !all(index))?;
    Some(Reach::UpTo { file, offset: index.head_end() })
}

fn number(part: &Part<'_>, key: &str) -> Option<u64> {
    part.view.get(key)?.as_u64()
}

/// How many shards the files say that there are beside them.
fn missing(model: &Model<'_>) -> Option<u64> {
    let counts = model.parts().filter_map(|part| number(&part, "split.count"));
    counts.max()?.checked_sub(model.len() as u64).filter(|missing| *missing > 0)
}
