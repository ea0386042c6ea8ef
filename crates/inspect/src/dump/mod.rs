//! Everything that a head holds, with every place: one file's dump.
//!
//! A [`FileDump`] computes its entries while it is walked or serialised: an array of a quarter of a million tokens is
//! written element by element and never held. How much is shown is a [`Select`]. What a dump does not show, it does not
//! pretend to be absent: a section that was not asked for is left out, an array says how many elements it has and how
//! many are shown.
//!
//! What is shown whole can be made into a file again, bit for bit: a value of which JSON would leave something out (the types
//! of arrays in arrays, the bits of a NaN) has its bytes beside it, in `exact`.

mod entries;
mod exact;

pub use entries::{AnomalyEntry, HeaderEntry, KvEntry, TensorEntry};

use ggufkit_format::{ByteStr, View};
use serde::ser::{Serialize, SerializeMap as _, SerializeSeq as _, Serializer};

use crate::json::{JsonErrors, JsonText};
use crate::model::{Model, Part};
use crate::tensors::Table;

/// A test for keys or names.
pub type Filter<'f> = &'f dyn Fn(&[u8]) -> bool;

/// What of a file is shown.
#[derive(Clone, Copy)]
pub struct Select<'f> {
    /// Elements of an array that are shown, from the first; `None` for all.
    pub arrays: Option<u64>,
    /// Whether metadata is shown.
    pub metadata: bool,
    /// Whether tensors are shown.
    pub tensors: bool,
    /// Only the keys that pass.
    pub keys: Option<Filter<'f>>,
    /// Only the tensors whose names pass.
    pub names: Option<Filter<'f>>,
}

impl Select<'_> {
    /// Everything, arrays whole.
    pub const ALL: Self = Self { arrays: None, metadata: true, tensors: true, keys: None, names: None };
}

impl std::fmt::Debug for Select<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Select")
            .field("arrays", &self.arrays)
            .field("metadata", &self.metadata)
            .field("tensors", &self.tensors)
            .finish_non_exhaustive()
    }
}

/// One file's dump. See the [module](self).
#[derive(Debug)]
pub struct FileDump<'a> {
    /// The file as it was named.
    pub path: ByteStr<'a>,
    /// Length of the file in bytes, where it is known.
    pub size: Option<u64>,
    /// What ended the reading, as the caller tells it.
    pub error: Option<serde_json::Value>,
    view: Option<View<'a>>,
    select: Select<'a>,
    duplicates: Vec<bool>,
    table: Option<Table<'a>>,
}

impl<'a> FileDump<'a> {
    /// A dump of the head in `view`, or of nothing but `error` when no header could be read.
    #[must_use]
    pub fn new(
        path: ByteStr<'a>,
        size: Option<u64>,
        view: Option<View<'a>>,
        error: Option<serde_json::Value>,
        select: Select<'a>,
    ) -> Self {
        let duplicates = view.as_ref().map(duplicates).unwrap_or_default();
        let model = |view| Model::single(Part { label: ByteStr(b""), file_name: None, size, view });
        let table = view.filter(|_| select.tensors).map(|view| Table::new(&model(view)));
        Self { path, size, error, view, select, duplicates, table }
    }

    /// What is shown.
    #[must_use]
    pub const fn select(&self) -> Select<'a> {
        self.select
    }

    /// The head.
    #[must_use]
    pub const fn view(&self) -> Option<View<'a>> {
        self.view
    }

    /// The header, where it could be read.
    #[must_use]
    pub fn header(&self) -> Option<HeaderEntry> {
        let index = self.view?.index();
        let header = index.header();
        Some(HeaderEntry {
            magic: "GGUF",
            version: header.version,
            endian: header.endian.name(),
            dialect: header.dialect.to_string(),
            tensor_count: header.tensor_count,
            kv_count: header.kv_count,
            alignment: index.alignment(),
            alignment_source: index.alignment_source().name(),
            base: header.base,
            head_end: index.head_end(),
            data_start: index.data_start(),
        })
    }

    /// The key-values that are shown, in file order.
    pub fn metadata(&self) -> impl Iterator<Item = KvEntry<'a>> + '_ {
        let (view, select) = (self.view, self.select);
        let kvs = view.map(|view| view.index().kvs()).unwrap_or_default();
        kvs.iter().enumerate().filter_map(move |(index, kv)| {
            let view = view.filter(|_| select.metadata)?;
            let key = view.key(kv);
            select.keys.is_none_or(|wanted| wanted(key.as_bytes())).then(|| KvEntry {
                index,
                key,
                kv,
                value: view.value(kv),
                duplicate: self.duplicates.get(index).copied().unwrap_or(false),
                max: select.arrays,
            })
        })
    }

    /// The tensors that are shown, in file order.
    pub fn tensors(&self) -> impl Iterator<Item = TensorEntry<'a>> + '_ {
        let names = self.select.names;
        let rows = self.table.iter().flat_map(Table::iter);
        rows.filter(move |row| names.is_none_or(|wanted| wanted(row.name.as_bytes()))).map(TensorEntry)
    }

    /// What is odd about the head, whatever is shown of it.
    pub fn anomalies(&self) -> impl Iterator<Item = AnomalyEntry<'a>> + use<'a> {
        self.view.map(|view| view.index().anomalies()).unwrap_or_default().iter().map(AnomalyEntry)
    }

    /// Oddities past the number that is kept.
    #[must_use]
    pub fn anomalies_left_out(&self) -> u64 {
        self.view.map_or(0, |view| view.index().anomalies_left_out())
    }
}

impl Serialize for FileDump<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("path", &JsonText(self.path))?;
        map.serialize_entry("size", &self.size)?;
        map.serialize_entry("header", &self.header())?;
        if self.select.metadata {
            map.serialize_entry("metadata", &Each(|| self.metadata()))?;
        }
        if self.select.tensors {
            map.serialize_entry("tensors", &Each(|| self.tensors()))?;
        }
        map.serialize_entry("anomalies", &Each(|| self.anomalies()))?;
        if self.anomalies_left_out() > 0 {
            map.serialize_entry("anomalies_left_out", &self.anomalies_left_out())?;
        }
        map.serialize_entry("errors", &JsonErrors { path: self.path, errors: self.error.as_slice() })?;
        map.end()
    }
}

/// A sequence whose items are made while it is written.
struct Each<F>(F);

impl<I: Iterator<Item: Serialize>, F: Fn() -> I> Serialize for Each<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(None)?;
        for item in (self.0)() {
            seq.serialize_element(&item)?;
        }
        seq.end()
    }
}

/// For each key-value, whether its key occurs more than once.
fn duplicates(view: &View<'_>) -> Vec<bool> {
    let kvs = view.index().kvs();
    let key = |&at: &u32| kvs.get(at as usize).map(|kv| view.key(kv));
    let mut order: Vec<u32> = (0..u32::try_from(kvs.len()).unwrap_or(u32::MAX)).collect();
    order.sort_by_key(key);
    let mut out = vec![false; kvs.len()];
    for pair in order.windows(2) {
        if let [a, b] = pair
            && key(a) == key(b)
        {
            out[*a as usize] = true;
            out[*b as usize] = true;
        }
    }
    out
}

#[cfg(test)]
mod tests;
