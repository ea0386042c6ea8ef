//! A writer of GGUF files that names every field's place.
//!
//! ```
//! use ggufkit_testkit::{Builder, Tensor};
//!
//! let mut file = Builder::new()
//!     .kv("general.architecture", "llama")
//!     .kv("tokens", vec!["a", "b"])
//!     .tensor(Tensor::f32("output.weight", &[4, 2]))
//!     .build();
//! assert_eq!(file.get("kv[0].key"), b"general.architecture");
//! assert_eq!(file.get("kv[1].value[1]"), b"b");
//! assert_eq!(file.span("tensors[0].data").start % 32, 0);
//! // Break exactly one field.
//! file.set_u64("tensors[0].offset", 17);
//! ```
//!
//! Names are the logical paths of the format crate (`kv[2].value[5].length`). [`Built`] tells which are leaves: the
//! leaves tile the whole file.

mod built;
mod tensor;
mod value;
mod write;

pub use built::{Built, Field};
pub use tensor::{BLOCKS, Block, Tensor, block};
pub use value::{Kind, Value};

use ggufkit_format::Endian;
use ggufkit_format::dialect::{ArrayHeader, Dialect, HeaderTrait, TypeIds};

/// A document to be written. Methods take and give it, so that a file is one expression.
#[derive(Clone, Debug)]
pub struct Builder {
    pub(crate) version: u32,
    pub(crate) endian: Endian,
    pub(crate) dialect: Dialect,
    pub(crate) alignment: u64,
    pub(crate) prefix: Vec<u8>,
    pub(crate) kvs: Vec<(Vec<u8>, Value)>,
    pub(crate) tensors: Vec<Tensor>,
    pub(crate) head_padding: bool,
    pub(crate) data: bool,
    pub(crate) final_padding: bool,
    pub(crate) trailing: Vec<u8>,
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl Builder {
    /// An empty document: version 3, little-endian, standard layout, laid out to 32, padded everywhere.
    #[must_use]
    pub fn new() -> Self {
        Self {
            version: 3,
            endian: Endian::Little,
            dialect: Dialect::STANDARD,
            alignment: 32,
            prefix: Vec::new(),
            kvs: Vec::new(),
            tensors: Vec::new(),
            head_padding: true,
            data: true,
            final_padding: true,
            trailing: Vec::new(),
        }
    }

    /// Version 1 (32-bit counts, lengths and dimensions), 2 or 3. Any other number is written with the layout of 3.
    #[must_use]
    pub fn version(mut self, version: u32) -> Self {
        self.version = version;
        self
    }

    /// Byte order of every number.
    #[must_use]
    pub fn endian(mut self, endian: Endian) -> Self {
        self.endian = endian;
        self
    }

    /// Writes every number big-endian.
    #[must_use]
    pub fn big_endian(self) -> Self {
        self.endian(Endian::Big)
    }

    /// The layout, traits and all. A *padded-header* gets the layout's alignment in its header.
    #[must_use]
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// Bytes before the magic. Spans count from the first of them; padding counts from the magic.
    #[must_use]
    pub fn prefix(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.prefix = bytes.into();
        self
    }

    /// Appends a key-value. Keys may be any bytes, and may occur again.
    #[must_use]
    pub fn kv(mut self, key: impl AsRef<[u8]>, value: impl Into<Value>) -> Self {
        self.kvs.push((key.as_ref().to_vec(), value.into()));
        self
    }

    /// Appends `general.alignment` as a u32 and lays the data out accordingly.
    #[must_use]
    pub fn alignment(self, alignment: u32) -> Self {
        self.kv("general.alignment", alignment).layout_alignment(alignment.into())
    }

    /// Lays the data out to this alignment without a word about it in the metadata.
    #[must_use]
    pub fn layout_alignment(mut self, alignment: u64) -> Self {
        self.alignment = alignment;
        self
    }

    /// Appends a tensor.
    #[must_use]
    pub fn tensor(mut self, tensor: Tensor) -> Self {
        self.tensors.push(tensor);
        self
    }

    /// Whether the gap between the tensor table and the data section is written. Without it the data follows at once.
    #[must_use]
    pub fn head_padding(mut self, on: bool) -> Self {
        self.head_padding = on;
        self
    }

    /// Ends the file after the padded head: tensors are described and their data is absent.
    #[must_use]
    pub fn without_data(mut self) -> Self {
        self.data = false;
        self
    }

    /// Whether padding follows the last tensor's data.
    #[must_use]
    pub fn final_padding(mut self, on: bool) -> Self {
        self.final_padding = on;
        self
    }

    /// Bytes after everything.
    #[must_use]
    pub fn trailing(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.trailing = bytes.into();
        self
    }

    /// What was asked for: the key-values in order.
    #[must_use]
    pub fn kvs(&self) -> &[(Vec<u8>, Value)] {
        &self.kvs
    }

    /// What was asked for: the tensors in order.
    #[must_use]
    pub fn tensors(&self) -> &[Tensor] {
        &self.tensors
    }

    /// The dialect that was asked for.
    #[must_use]
    pub fn layout(&self) -> Dialect {
        self.dialect
    }

    /// Each tensor's offset as it will be written: the one it was given, or the running sum of padded sizes.
    #[must_use]
    pub fn offsets(&self) -> Vec<u64> {
        let mut next = 0_u64;
        let mut out = Vec::with_capacity(self.tensors.len());
        for tensor in &self.tensors {
            let at = tensor.offset.unwrap_or(next);
            out.push(at);
            if tensor.offset.is_none() {
                next = write::align(at + tensor.data.len() as u64, self.alignment);
            }
        }
        out
    }

    /// Writes the file.
    #[must_use]
    pub fn build(&self) -> Built {
        write::file(self)
    }

    /// Writes the file and drops the names.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.build().into_bytes()
    }
}

/// Every dialect that somebody wrote or might write: the named ones, and each single trait that has no name of its own.
#[must_use]
pub fn dialects() -> Vec<(&'static str, Dialect)> {
    let standard = Dialect::STANDARD;
    let mut out = Dialect::CANDIDATES.to_vec();
    for (name, dialect) in [
        ("only a 32-byte header", Dialect { header: HeaderTrait::Alignment { padding: 4 }, ..standard }),
        ("only a 40-byte header", Dialect { header: HeaderTrait::Alignment { padding: 12 }, ..standard }),
        ("only short ids", Dialect { type_ids: TypeIds::Short, ..standard }),
        ("only nul strings", Dialect { nul_strings: true, ..standard }),
        ("only offset before type", Dialect { offset_before_type: true, ..standard }),
        ("only u64 count first", Dialect { array_header: ArrayHeader::CountFirst, ..standard }),
        ("only u32 count first", Dialect { array_header: ArrayHeader::ShortCountFirst, ..standard }),
        ("only u32 count", Dialect { array_header: ArrayHeader::ShortCount, ..standard }),
    ] {
        if !out.iter().any(|(_, known)| *known == dialect) {
            out.push((name, dialect));
        }
    }
    out
}
