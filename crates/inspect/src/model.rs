//! The thing that is looked at: a file, or the shards of one model.

use ggufkit_format::spec::ValueType;
use ggufkit_format::{ByteStr, Kv, Payload, Tensor, Value, View};

/// One file: a head as a view, and what is known about the file around it.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// What the file is called: a path as given, byte for byte, or `-`.
    pub label: ByteStr<'a>,
    /// The file's name without its folders, where it has one.
    pub file_name: Option<&'a str>,
    /// Length of the whole source in bytes, where it is known.
    pub size: Option<u64>,
    /// The head.
    pub view: View<'a>,
}

/// A model: one file, or the members of a shard set in their order. Never empty.
#[derive(Clone, Copy, Debug)]
pub struct Model<'a> {
    first: Part<'a>,
    rest: &'a [Part<'a>],
}

impl<'a> Model<'a> {
    /// A model of one file.
    #[must_use]
    pub const fn single(part: Part<'a>) -> Self {
        Self { first: part, rest: &[] }
    }

    /// A model of several shards, in the order of their numbers; `None` for none.
    #[must_use]
    pub fn of_shards(parts: &'a [Part<'a>]) -> Option<Self> {
        let (first, rest) = parts.split_first()?;
        Some(Self { first: *first, rest })
    }

    /// The first file: the one that holds a set's metadata.
    #[must_use]
    pub const fn first(&self) -> Part<'a> {
        self.first
    }

    /// All files.
    pub fn parts(&self) -> impl Iterator<Item = Part<'a>> + use<'a> {
        core::iter::once(self.first).chain(self.rest.iter().copied())
    }

    /// Number of files.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.rest.len() + 1
    }

    /// A model has at least one file.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        false
    }

    /// The key-values of all files, with the file they stand in.
    pub fn kvs(&self) -> impl Iterator<Item = (Part<'a>, ByteStr<'a>, &'a Kv)> + use<'a> {
        self.parts().flat_map(|part| part.view.kvs().map(move |(key, kv)| (part, key, kv)))
    }

    /// The tensors of all files, with the file they stand in.
    pub fn tensors(&self) -> impl Iterator<Item = (Part<'a>, ByteStr<'a>, &'a Tensor)> + use<'a> {
        self.parts().flat_map(|part| part.view.tensors().map(move |(name, tensor)| (part, name, tensor)))
    }

    /// The first key-value with this key, in the order of the files.
    #[must_use]
    pub fn find(&self, key: &str) -> Option<(Part<'a>, &'a Kv)> {
        self.parts().find_map(|part| part.view.find(key).map(|kv| (part, kv)))
    }

    /// The value of the first key-value with this key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Value<'a>> {
        self.find(key).map(|(part, kv)| part.view.value(kv))
    }

    /// `general.architecture`, where it is text.
    #[must_use]
    pub fn architecture(&self) -> Option<&'a str> {
        self.get("general.architecture").and_then(|v| v.as_str())
    }
}

/// The type of a value as the documents write it: `u32`, `string`, `[string; 128256]`, `[[i32; 2]; 3]`.
#[must_use]
pub fn type_label(kv: &Kv) -> String {
    match &kv.payload {
        Payload::Array(array) => format!("[{}; {}]", array.element_type, array.count),
        _ => kv.value_type.to_string(),
    }
}

/// Whether a type is a whole number of any width.
#[must_use]
pub const fn is_integer(ty: ValueType) -> bool {
    matches!(
        ty,
        ValueType::UINT8
            | ValueType::INT8
            | ValueType::UINT16
            | ValueType::INT16
            | ValueType::UINT32
            | ValueType::INT32
            | ValueType::UINT64
            | ValueType::INT64
    )
}
