//! One of the two models: its records in the order of its files.

use ggufkit_format::spec::keys;
use ggufkit_format::{ByteStr, Endian, Kv, Tensor, Value, View};

use super::Options;
use super::array::same_value;
use crate::lookup::Lookup;
use crate::model::{Model, Part};

/// A key that says nothing about the model: how the data is aligned.
const OF_LAYOUT: &[u8] = b"general.alignment";

impl<T> Clone for Record<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Record<'_, T> {}

/// A record of one of the models.
#[derive(Debug)]
pub struct Record<'a, T> {
    /// The file, from 0.
    pub file: usize,
    /// Its position in the file, from 0.
    pub index: usize,
    /// How often its name occurred before.
    pub occurrence: u32,
    /// Its key or name.
    pub name: ByteStr<'a>,
    /// The record.
    pub record: &'a T,
}

/// One of the two models.
#[derive(Clone, Debug)]
pub struct Side<'a> {
    /// Its files.
    pub parts: Vec<Part<'a>>,
    /// The key-values that are compared.
    pub kvs: Vec<Record<'a, Kv>>,
    /// The tensors that are compared.
    pub tensors: Vec<Record<'a, Tensor>>,
    /// Key-values that are passed over because that was asked for.
    pub ignored_kvs: u64,
    /// The same of tensors.
    pub ignored_tensors: u64,
    /// Padding keys that hold nothing but room, which are compared with nothing: their bytes, in the order of the files.
    pub room: Vec<Room>,
}

/// A key that holds nothing but room in the head.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// The file, from 0.
    pub file: usize,
    /// The key's position in the file, from 0.
    pub index: usize,
    /// Bytes of room.
    pub bytes: u64,
}

impl<'a> Side<'a> {
    pub(super) fn new(model: &Model<'a>, options: &Options<'_>, sets: bool) -> Self {
        let mut side = Self {
            parts: model.parts().collect(),
            kvs: Vec::new(),
            tensors: Vec::new(),
            ignored_kvs: 0,
            ignored_tensors: 0,
            room: Vec::new(),
        };
        let ignored = |name: &[u8]| options.ignore.is_some_and(|ignore| ignore(name));
        let first = Lookup::<Kv>::new(&Model::single(model.first()));
        for (file, part) in side.parts.iter().enumerate() {
            if options.metadata {
                for (index, (name, record)) in part.view.kvs().enumerate() {
                    let of_split = sets && name.0.starts_with(b"split.");
                    // A later file of a set may repeat what the first says.
                    let repeated = file > 0
                        && first.find(name.0).is_some_and(|found| {
                            same_value(found.part.view.value(found.record), part.view.value(record))
                        });
                    if of_split || repeated || (options.semantic && name.0 == OF_LAYOUT) {
                        continue;
                    }
                    if ignored(name.0) {
                        side.ignored_kvs += 1;
                        continue;
                    }
                    let text = part.view.value(record).as_bytes();
                    let room = text.and_then(|text| keys::room(name.0, text)).filter(|_| !options.exact);
                    if let Some(bytes) = room {
                        side.room.push(Room { file, index, bytes });
                        continue;
                    }
                    side.kvs.push(Record { file, index, occurrence: 0, name, record });
                }
            }
            if options.tensors || options.layout {
                for (index, (name, record)) in part.view.tensors().enumerate() {
                    if ignored(name.0) {
                        side.ignored_tensors += 1;
                        continue;
                    }
                    side.tensors.push(Record { file, index, occurrence: 0, name, record });
                }
            }
        }
        side
    }

    /// Records that are passed over because that was asked for.
    #[must_use]
    pub fn ignored(&self) -> u64 {
        self.ignored_kvs + self.ignored_tensors
    }

    /// Bytes of room that are kept in the heads.
    #[must_use]
    pub fn room(&self) -> u64 {
        self.room.iter().fold(0, |sum, room| sum.saturating_add(room.bytes))
    }

    /// The view of a file.
    #[must_use]
    pub fn view(&self, file: usize) -> Option<View<'a>> {
        self.parts.get(file).map(|part| part.view)
    }

    /// The value of a key-value.
    #[must_use]
    pub fn value(&self, kv: &Record<'a, Kv>) -> Option<Value<'a>> {
        Some(self.view(kv.file)?.value(kv.record))
    }

    /// The dimensions of a tensor.
    #[must_use]
    pub fn dims(&self, tensor: &Record<'a, Tensor>) -> &'a [u64] {
        self.view(tensor.file).map_or(&[], |view| view.index().dims(tensor.record))
    }

    /// The byte order of a file.
    #[must_use]
    pub fn endian(&self, file: usize) -> Endian {
        self.view(file).map_or(Endian::Little, |view| view.index().header().endian)
    }
}
