//! What is odd in a head and does not stop a reader.
//!
//! The reader records; whether a file is right is another room's question.

use core::fmt;

use crate::path::Path;
use crate::span::Span;
use crate::spec::{TensorType, ValueType};

/// Something odd, with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Anomaly {
    /// What is odd.
    pub kind: AnomalyKind,
    /// The bytes it is about.
    pub span: Span,
    /// The field it is about.
    pub path: Path,
}

/// The kinds of oddities that a reading meets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum AnomalyKind {
    /// A key of length 0.
    EmptyKey,
    /// A tensor name of length 0.
    EmptyTensorName,
    /// Text that is not UTF-8.
    InvalidUtf8 {
        /// How many strings: 1 for a key, name or string value, more for an array.
        strings: u64,
    },
    /// A NUL inside a key or tensor name: readers that keep C strings cut the name there.
    NulInName,
    /// Bool bytes other than 0 and 1; they read as true.
    OddBool {
        /// How many.
        count: u64,
        /// The first such byte.
        first: u8,
    },
    /// An array of arrays: legal, and refused by llama.cpp.
    NestedArray,
    /// `general.alignment` is an integer of another type than u32; its value is used.
    AlignmentType(ValueType),
    /// `general.alignment` is not a power of two; it is used as it is.
    AlignmentNotPowerOfTwo(u64),
    /// `general.alignment` occurs again; the first one is used.
    AlignmentAgain,
    /// `general.alignment` cannot be used, and no tensor needs it.
    AlignmentUnusable,
    /// More dimensions than ggml's 4.
    ManyDimensions(u32),
    /// A tensor type that this reader does not know.
    UnknownTensorType(TensorType),
    /// A tensor type that the format removed; other projects reuse some of these ids.
    RemovedTensorType(TensorType),
    /// A big-endian file of version 1 or 2: the format permits big-endian from version 3 on.
    EarlyBigEndian,
    /// Padding of the dialect's header is not zero.
    HeaderPadding,
}

impl AnomalyKind {
    /// A short stable word, for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::EmptyKey => "empty-key",
            Self::EmptyTensorName => "empty-tensor-name",
            Self::InvalidUtf8 { .. } => "invalid-utf8",
            Self::NulInName => "nul-in-name",
            Self::OddBool { .. } => "odd-bool",
            Self::NestedArray => "nested-array",
            Self::AlignmentType(_) => "alignment-type",
            Self::AlignmentNotPowerOfTwo(_) => "alignment-not-power-of-two",
            Self::AlignmentAgain => "alignment-again",
            Self::AlignmentUnusable => "alignment-unusable",
            Self::ManyDimensions(_) => "many-dimensions",
            Self::UnknownTensorType(_) => "unknown-tensor-type",
            Self::RemovedTensorType(_) => "removed-tensor-type",
            Self::EarlyBigEndian => "early-big-endian",
            Self::HeaderPadding => "header-padding",
        }
    }
}

impl fmt::Display for AnomalyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyKey => f.write_str("the key is empty"),
            Self::EmptyTensorName => f.write_str("the tensor name is empty"),
            Self::InvalidUtf8 { strings: 1 } => f.write_str("the text is not UTF-8"),
            Self::InvalidUtf8 { strings } => write!(f, "{strings} strings are not UTF-8"),
            Self::NulInName => f.write_str("the name holds a NUL byte (\\0), where C programs cut it"),
            Self::OddBool { count: 1, first } => {
                write!(f, "the bool byte is {first}, not 0 or 1; it reads as true")
            }
            Self::OddBool { count, first } => {
                write!(f, "{count} bool bytes are not 0 or 1 (the first is {first}); they read as true")
            }
            Self::NestedArray => f.write_str("an array of arrays is legal, but llama.cpp does not load it"),
            Self::AlignmentType(ty) => write!(f, "general.alignment is a {ty}, not a u32"),
            Self::AlignmentNotPowerOfTwo(v) => write!(f, "general.alignment is {v}, not a power of two"),
            Self::AlignmentAgain => f.write_str("general.alignment occurs again; the first one is used"),
            Self::AlignmentUnusable => {
                f.write_str("general.alignment cannot be used; there is no tensor to align")
            }
            Self::ManyDimensions(n) => write!(f, "{n} dimensions, where ggml has at most 4"),
            Self::UnknownTensorType(ty) => write!(f, "tensor type {} is not known here", ty.0),
            Self::RemovedTensorType(ty) => write!(f, "tensor type {} was removed from the format", ty.0),
            Self::EarlyBigEndian => f.write_str("big-endian, which the format permits from version 3 on"),
            Self::HeaderPadding => f.write_str("the padding in the header is not zero"),
        }
    }
}
