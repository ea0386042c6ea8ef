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
        let first = model.parts().position(|part| number(&part, "split.no") == Some(0));
        let elsewhere =
            || Some(Self::Elsewhere { missing: Some(missing(model)?) }).filter(|_| first.is_none());
        // What the others hold is not asked for where the first shard is here.
        let broken =
            broken(model, |file, index| first.is_some_and(|first| file != first) || index.has_all_kvs());
        broken.or_else(elsewhere).unwrap_or(Self::Whole)
    }

    /// How many tensors were read.
    #[must_use]
    pub fn of_tensors(model: &Model<'_>) -> Self {
        let elsewhere = || missing(model).map(|missing| Self::Elsewhere { missing: Some(missing) });
        broken(model, |_, index| index.has_all_tensors()).or_else(elsewhere).unwrap_or(Self::Whole)
    }
}

/// The first file whose head breaks off before `all` of something was read.
fn broken(model: &Model<'_>, all: impl Fn(usize, &Index) -> bool) -> Option<Reach> {
    let mut parts = model.parts().map(|part| part.view.index()).enumerate();
    let (file, index) = parts.find(|(file, index)| !index.is_complete() && !all(*file, index))?;
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

#[cfg(test)]
mod tests {
    use ggufkit_format::{ByteStr, Options, View, parse};
    use ggufkit_testkit::{Builder, Tensor};

    use super::*;

    fn shard(no: u16) -> Vec<u8> {
        let split =
            Builder::new().kv("split.no", no).kv("split.count", 2_u16).kv("split.tensors.count", 2_i32);
        split.tensor(Tensor::f32(format!("blk.{no}.attn_q.weight"), &[8])).bytes()
    }

    /// What is read of the keys and of the tensors of files.
    fn reached(files: &[&[u8]]) -> [Reach; 2] {
        let indices: Vec<Index> =
            files.iter().map(|file| parse(file, Options::new()).index.unwrap()).collect();
        let part = |(index, file)| Part {
            label: ByteStr(b"f"),
            file_name: None,
            size: None,
            view: View::new(index, file),
        };
        let parts: Vec<Part<'_>> = indices.iter().zip(files.iter().copied()).map(part).collect();
        let model = Model::of_shards(&parts).unwrap();
        [Reach::of_keys(&model), Reach::of_tensors(&model)]
    }

    #[test]
    fn the_keys_of_a_set_are_those_of_its_first_shard() {
        let (first, second) = (shard(0), shard(1));
        assert_eq!(reached(&[&first, &second]), [Reach::Whole, Reach::Whole]);
        // Inside of the third key of the second shard, whose number is read, and of its first, where it is not.
        let third = parse(&second, Options::new()).index.unwrap().kvs()[2].span.start;
        for (end, offset) in [(third + 10, third), (30, 24)] {
            let cut = &second[..end as usize];
            assert_eq!(reached(&[&first, cut]), [Reach::Whole, Reach::UpTo { file: 1, offset }]);
        }
        let cut = &first[..third as usize + 10];
        assert_eq!(reached(&[cut, &second]), [Reach::UpTo { file: 0, offset: third }; 2]);
        assert_eq!(reached(&[&second]), [Reach::Elsewhere { missing: Some(1) }; 2]);
    }
}
