//! Why a file cannot be made.

use std::fmt;

use ggufkit_format::encode::EncodeError;
use ggufkit_format::layout::SizeError;
use ggufkit_format::spec::ValueType;
use ggufkit_format::{PlanError, shorten};

/// Why a [`Builder`](super::Builder) makes no file.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BuilderError {
    /// A key was given twice.
    DuplicateKey(Vec<u8>),
    /// Two tensors have one name.
    DuplicateName(Vec<u8>),
    /// Type and shape of a tensor give no size.
    Size {
        /// The tensor.
        name: Vec<u8>,
        /// Why not.
        error: SizeError,
    },
    /// The data has another length than type and shape give.
    DataLength {
        /// The tensor.
        name: Vec<u8>,
        /// Bytes that type and shape give.
        needed: u64,
        /// Bytes of the data.
        given: u64,
    },
    /// An element of an array is of another type than the array.
    Element {
        /// The key.
        key: Vec<u8>,
        /// The element's position.
        at: u64,
        /// The type of the array's elements.
        ty: ValueType,
    },
    /// An array of a type that the format does not have.
    ElementType {
        /// The key.
        key: Vec<u8>,
        /// The type.
        ty: ValueType,
    },
    /// Arrays in arrays, deeper than readers follow.
    TooDeep {
        /// The key.
        key: Vec<u8>,
        /// How deep they follow.
        limit: u32,
    },
    /// `general.alignment` is none: 0, below it, or no whole number.
    Alignment,
    /// Something cannot be written.
    Encode(EncodeError),
    /// The pieces make no file.
    Plan(PlanError),
}

impl fmt::Display for BuilderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = |text: &Vec<u8>| shorten(text, 80).to_string();
        match self {
            Self::DuplicateKey(key) => write!(f, "the key \"{}\" is given twice", short(key)),
            Self::DuplicateName(name) => write!(f, "two tensors are called \"{}\"", short(name)),
            Self::Size { name, error } => write!(f, "tensor \"{}\": {error}", short(name)),
            Self::DataLength { name, needed, given } => write!(
                f,
                "tensor \"{}\": type and shape ask for {needed} bytes, and the data has {given}",
                short(name)
            ),
            Self::Element { key, at, ty } => {
                write!(f, "element [{at}] in \"{}\" is not of the type of its array, {ty}", short(key))
            }
            Self::ElementType { key, ty } => write!(f, "\"{}\": {ty} is no type of elements", short(key)),
            Self::TooDeep { key, limit } => {
                write!(f, "\"{}\": arrays in arrays are nested more than {limit} deep", short(key))
            }
            Self::Alignment => f.write_str("general.alignment is no positive whole number"),
            Self::Encode(error) => error.fmt(f),
            Self::Plan(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BuilderError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Size { error, .. } => Some(error),
            Self::Encode(error) => Some(error),
            Self::Plan(error) => Some(error),
            _ => None,
        }
    }
}

impl From<EncodeError> for BuilderError {
    fn from(error: EncodeError) -> Self {
        Self::Encode(error)
    }
}

impl From<PlanError> for BuilderError {
    fn from(error: PlanError) -> Self {
        Self::Plan(error)
    }
}
