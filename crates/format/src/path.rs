//! Logical paths: which field of the head a position belongs to.

use alloc::boxed::Box;
use core::fmt;

/// The logical place of a field, as findings and errors name it: `kv[17].value`, `tensors[0].offset`.
///
/// Indices count from 0 in file order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Path {
    /// A field of the header.
    Header(HeaderPart),
    /// A part of one metadata key-value.
    Kv {
        /// Position in the metadata, from 0.
        index: u64,
        /// Which part of the record.
        part: KvPart,
    },
    /// A part of one tensor-info record.
    Tensor {
        /// Position in the tensor table, from 0.
        index: u64,
        /// Which part of the record.
        part: TensorPart,
    },
    /// The bytes between the tensor table and the data section.
    Padding,
    /// The data section.
    Data,
    /// What could not be parsed.
    Unparsed,
}

/// Fields of the header, in file order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HeaderPart {
    /// The four bytes `GGUF`.
    Magic,
    /// The version, which also tells the byte order.
    Version,
    /// Number of tensor-info records.
    TensorCount,
    /// Number of metadata key-values.
    KvCount,
    /// The alignment that the *padded-header* dialect keeps here.
    Alignment,
    /// Padding of the *padded-header* dialect.
    Padding,
}

/// Parts of a metadata key-value, in file order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum KvPart {
    /// The record as a whole.
    Record,
    /// The key's length.
    KeyLength,
    /// The key's bytes.
    Key,
    /// The NUL after the key (dialects only).
    KeyNul,
    /// The id of the value's type.
    Type,
    /// The id of an array's element type; the element is the nested array itself, empty for the outermost.
    ElementType(Element),
    /// An array's count; see [`KvPart::ElementType`].
    Count(Element),
    /// The value, or an element of it.
    Value(Element),
    /// The length of a string value or element.
    Length(Element),
    /// The NUL after a string (dialects only).
    Nul(Element),
    /// Several elements of an array, from the first index up to (not including) the second.
    Elements(u64, u64),
}

/// Parts of a tensor-info record, in file order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TensorPart {
    /// The record as a whole.
    Record,
    /// The name's length.
    NameLength,
    /// The name's bytes.
    Name,
    /// The NUL after the name (dialects only).
    NameNul,
    /// The number of dimensions.
    DimCount,
    /// One dimension; 0 is the row length.
    Dim(u32),
    /// The id of the tensor type.
    Type,
    /// The offset of the data, relative to the data section.
    Offset,
    /// The tensor's data.
    Data,
}

/// An element of an array value: `[5]`, or `[1][2]` when arrays are nested.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Element {
    /// The value itself, no element.
    #[default]
    Whole,
    /// An element of the outermost array.
    At(u64),
    /// An element of a nested array: the indices from the outermost inwards.
    Nested(Box<[u64]>),
}

impl Element {
    /// From indices, the outermost first.
    #[must_use]
    pub fn from_indices(indices: &[u64]) -> Self {
        match indices {
            [] => Self::Whole,
            [one] => Self::At(*one),
            more => Self::Nested(more.into()),
        }
    }
}

impl Path {
    /// A part of the key-value at `index`.
    #[must_use]
    pub const fn kv(index: u64, part: KvPart) -> Self {
        Self::Kv { index, part }
    }

    /// A part of the tensor-info record at `index`.
    #[must_use]
    pub const fn tensor(index: u64, part: TensorPart) -> Self {
        Self::Tensor { index, part }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => Ok(()),
            Self::At(i) => write!(f, "[{i}]"),
            Self::Nested(indices) => indices.iter().try_for_each(|i| write!(f, "[{i}]")),
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(part) => f.write_str(match part {
                HeaderPart::Magic => "header.magic",
                HeaderPart::Version => "header.version",
                HeaderPart::TensorCount => "header.tensor_count",
                HeaderPart::KvCount => "header.kv_count",
                HeaderPart::Alignment => "header.alignment",
                HeaderPart::Padding => "header.padding",
            }),
            Self::Kv { index, part } => {
                write!(f, "kv[{index}]")?;
                match part {
                    KvPart::Record => Ok(()),
                    KvPart::KeyLength => f.write_str(".key.length"),
                    KvPart::Key => f.write_str(".key"),
                    KvPart::KeyNul => f.write_str(".key.nul"),
                    KvPart::Type => f.write_str(".type"),
                    KvPart::ElementType(at) => write!(f, ".value{at}.element_type"),
                    KvPart::Count(at) => write!(f, ".value{at}.count"),
                    KvPart::Value(at) => write!(f, ".value{at}"),
                    KvPart::Length(at) => write!(f, ".value{at}.length"),
                    KvPart::Nul(at) => write!(f, ".value{at}.nul"),
                    KvPart::Elements(from, to) => write!(f, ".value[{from}..{to}]"),
                }
            }
            Self::Tensor { index, part } => {
                write!(f, "tensors[{index}]")?;
                match part {
                    TensorPart::Record => Ok(()),
                    TensorPart::NameLength => f.write_str(".name.length"),
                    TensorPart::Name => f.write_str(".name"),
                    TensorPart::NameNul => f.write_str(".name.nul"),
                    TensorPart::DimCount => f.write_str(".n_dims"),
                    TensorPart::Dim(i) => write!(f, ".dims[{i}]"),
                    TensorPart::Type => f.write_str(".type"),
                    TensorPart::Offset => f.write_str(".offset"),
                    TensorPart::Data => f.write_str(".data"),
                }
            }
            Self::Padding => f.write_str("padding"),
            Self::Data => f.write_str("data"),
            Self::Unparsed => f.write_str("unparsed"),
        }
    }
}
