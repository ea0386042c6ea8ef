//! Finding names among very many, and the names that occur twice.
//!
//! A hostile file may hold a million keys or tensors. One pass hashes their names and sorts the hashes; after that a
//! look-up is a binary search, and equal names stand side by side. Names with equal hashes are compared byte by byte, so
//! hashes that were made to collide cost a sort of those names and no more.

use std::hash::{BuildHasher as _, Hasher as _};

use foldhash::fast::FixedState;
use ggufkit_format::{Kv, Tensor, Value};

use crate::model::{Model, Part};

/// A record of a head that has a name.
pub trait Named: Sized {
    /// The records of a file.
    fn all<'a>(part: &Part<'a>) -> &'a [Self];
    /// The name of one of them.
    fn name<'a>(&self, part: &Part<'a>) -> &'a [u8];
}

impl<T> Clone for Place<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Place<'_, T> {}

impl Named for Kv {
    fn all<'a>(part: &Part<'a>) -> &'a [Self] {
        part.view.index().kvs()
    }

    fn name<'a>(&self, part: &Part<'a>) -> &'a [u8] {
        part.view.key(self).0
    }
}

impl Named for Tensor {
    fn all<'a>(part: &Part<'a>) -> &'a [Self] {
        part.view.index().tensors()
    }

    fn name<'a>(&self, part: &Part<'a>) -> &'a [u8] {
        part.view.name(self).0
    }
}

/// A record with its place in the model.
#[derive(Debug)]
pub struct Place<'a, T> {
    /// The number of the file that holds it among the model's files, from 0.
    pub file: usize,
    /// That file.
    pub part: Part<'a>,
    /// Its position among the file's records, from 0.
    pub index: usize,
    /// The record.
    pub record: &'a T,
}

/// The records of a model, by their names.
#[derive(Clone, Debug)]
pub struct Lookup<'a, T> {
    /// The files, each with the number of records before it.
    parts: Vec<(Part<'a>, usize)>,
    /// Hash of the name and number of the record, sorted.
    places: Vec<(u64, u32)>,
    records: core::marker::PhantomData<&'a T>,
}

fn hash(name: &[u8]) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    hasher.write(name);
    hasher.finish()
}

impl<'a, T: Named + 'a> Lookup<'a, T> {
    /// Hashes the names of a model's records.
    #[must_use]
    pub fn new(model: &Model<'a>) -> Self {
        let mut parts = Vec::with_capacity(model.len());
        let mut places = Vec::new();
        let mut number = 0..u32::MAX;
        let mut before = 0;
        for part in model.parts() {
            let records = T::all(&part);
            // More than 2^32 names would need a head of tens of GB; what lies beyond is not found.
            places.extend(records.iter().zip(&mut number).map(|(record, at)| (hash(record.name(&part)), at)));
            parts.push((part, before));
            before += records.len();
        }
        places.sort_unstable();
        Self { parts, places, records: core::marker::PhantomData }
    }

    /// The first record with this name.
    #[must_use]
    pub fn find(&self, name: &[u8]) -> Option<Place<'a, T>> {
        let wanted = hash(name);
        let from = self.places.partition_point(|(hash, _)| *hash < wanted);
        let equal =
            self.places.get(from..).unwrap_or_default().iter().take_while(|(hash, _)| *hash == wanted);
        equal.map(|(_, number)| *number).find(|number| self.name(*number) == name).and_then(|n| self.at(n))
    }

    /// The records whose name occurred before in the same file, each behind the first of that name, in the order of the
    /// file.
    pub fn duplicates(&self) -> impl ExactSizeIterator<Item = [Place<'a, T>; 2]> + '_ {
        let mut again: Vec<(u32, u32)> = Vec::new();
        for run in self.places.chunk_by(|a, b| a.0 == b.0).filter(|run| run.len() > 1) {
            let mut run: Vec<u32> = run.iter().map(|(_, number)| *number).collect();
            run.sort_by(|a, b| self.name(*a).cmp(self.name(*b)).then(a.cmp(b)));
            let same = |a: &u32, b: &u32| self.file(*a) == self.file(*b) && self.name(*a) == self.name(*b);
            for equal in run.chunk_by(same) {
                let Some((first, rest)) = equal.split_first() else { continue };
                again.extend(rest.iter().map(|number| (*number, *first)));
            }
        }
        again.sort_unstable();
        Duplicates { lookup: self, pairs: again.into_iter() }
    }

    /// The file that holds a record, as a number from 1.
    fn file(&self, number: u32) -> usize {
        self.parts.partition_point(|(_, start)| *start <= number as usize)
    }

    fn at(&self, number: u32) -> Option<Place<'a, T>> {
        let file = self.file(number).checked_sub(1)?;
        let (part, start) = *self.parts.get(file)?;
        let index = (number as usize).checked_sub(start)?;
        Some(Place { file, part, index, record: T::all(&part).get(index)? })
    }

    fn name(&self, number: u32) -> &'a [u8] {
        self.at(number).map_or(&[], |place| place.record.name(&place.part))
    }
}

/// Pairs of records of the same name.
struct Duplicates<'l, 'a, T> {
    lookup: &'l Lookup<'a, T>,
    /// A record, and the first of its name.
    pairs: std::vec::IntoIter<(u32, u32)>,
}

impl<'a, T: Named + 'a> Iterator for Duplicates<'_, 'a, T> {
    type Item = [Place<'a, T>; 2];

    fn next(&mut self) -> Option<Self::Item> {
        let (again, first) = self.pairs.next()?;
        Some([self.lookup.at(first)?, self.lookup.at(again)?])
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.pairs.size_hint()
    }
}

impl<'a, T: Named + 'a> ExactSizeIterator for Duplicates<'_, 'a, T> {}

impl<'a> Lookup<'a, Kv> {
    /// The value of the first key-value with this key.
    #[must_use]
    pub fn get(&self, key: impl AsRef<[u8]>) -> Option<Value<'a>> {
        let place = self.find(key.as_ref())?;
        Some(place.part.view.value(place.record))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ggufkit_format::{ByteStr, Options, View, parse};
    use ggufkit_testkit::Builder;

    fn file(keys: &[&str]) -> Vec<u8> {
        keys.iter().zip(0_u32..).fold(Builder::new(), |file, (key, n)| file.kv(key, n)).bytes()
    }

    #[test]
    fn the_first_of_a_name_is_found_and_the_others_are_duplicates_of_their_own_file() {
        let (one, two) = (file(&["a", "b", "a", "a"]), file(&["b", "c", "c", "a"]));
        let indices = [&one, &two].map(|bytes| parse(bytes, Options::new()).into_result().unwrap());
        let parts: Vec<Part<'_>> = indices
            .iter()
            .zip([&one, &two])
            .map(|(index, bytes)| Part {
                label: ByteStr(b""),
                file_name: None,
                size: None,
                view: View::new(index, bytes),
            })
            .collect();
        let keys = Lookup::<Kv>::new(&Model::of_shards(&parts).unwrap());
        assert_eq!(keys.get("a").and_then(|v| v.as_u64()), Some(0));
        assert_eq!(keys.get("c").and_then(|v| v.as_u64()), Some(1));
        assert!(keys.get("d").is_none());
        let pair = |[first, again]: [Place<'_, Kv>; 2]| {
            assert_eq!(first.file, again.file);
            (again.record.name(&again.part).to_vec(), first.index, again.index)
        };
        let pairs: Vec<_> = keys.duplicates().map(pair).collect();
        assert_eq!(pairs, [(b"a".to_vec(), 0, 2), (b"a".to_vec(), 0, 3), (b"c".to_vec(), 1, 2)]);
    }
}
