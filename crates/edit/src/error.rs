//! Why a change cannot be made.

use std::fmt;

use ggufkit_format::encode::EncodeError;
use ggufkit_format::{PlanError, Span};

use crate::placement::DataProblem;

/// Why a document cannot be changed or written as asked.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum EditError {
    /// The head was not read to its end: what follows it is not known, so it cannot be kept.
    IncompleteHead,
    /// There is no key-value with this number.
    NoKv(u64),
    /// There is no tensor with this number.
    NoTensor(u64),
    /// A value is no array, has no such element, or has elements of another type.
    NoElement {
        /// The key-value's number.
        kv: u64,
        /// The element's position.
        element: u64,
    },
    /// The data cannot be laid out anew.
    Data(Vec<DataProblem>),
    /// These bytes are not written as they stand in the source, so others cannot stand for them.
    NotCopied(Span),
    /// The file would be cut inside its head or its tensors.
    CutsData {
        /// Where it would end.
        at: u64,
        /// Where the last tensor ends.
        end: u64,
    },
    /// More padding than a head gets.
    Padding {
        /// Bytes that were asked for.
        asked: u64,
        /// Bytes that it gets at most.
        most: u64,
    },
    /// All keys that pad heads are there with values that are no padding.
    NoPaddingKey,
    /// Two tensors have one name, by which readers find one of them.
    SameName(Box<[u8]>),
    /// A change of several files, or one that is not known here.
    OtherChange,
    /// A value cannot be written.
    Encode(EncodeError),
    /// The pieces make no file.
    Plan(PlanError),
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IncompleteHead => f.write_str("the head was not read to its end"),
            Self::NoKv(index) => write!(f, "there is no kv[{index}]"),
            Self::NoTensor(index) => write!(f, "there is no tensors[{index}]"),
            Self::NoElement { kv, element } => write!(f, "kv[{kv}] has no element [{element}] of this type"),
            Self::Data(problems) => {
                f.write_str("the data cannot be laid out anew: ")?;
                match problems.split_first() {
                    Some((first, [])) => first.fmt(f),
                    Some((first, more)) => write!(f, "{first}, and {} more", more.len()),
                    None => Ok(()),
                }
            }
            Self::NotCopied(span) => write!(f, "the bytes at {span} are written anew, not copied"),
            Self::CutsData { at, end } => {
                write!(f, "the file would end at {at:#x}, before its tensors do at {end:#x}")
            }
            Self::Padding { asked, most } => {
                write!(f, "{asked} bytes of padding are more than the {most} that a head gets at most")
            }
            Self::NoPaddingKey => {
                f.write_str("the keys that pad heads are there, with values that are no padding")
            }
            Self::SameName(name) => {
                write!(f, "two tensors are called \"{}\"", ggufkit_format::shorten(name, 80))
            }
            Self::OtherChange => f.write_str("the change is not one of a single document"),
            Self::Encode(error) => error.fmt(f),
            Self::Plan(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for EditError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Encode(error) => Some(error),
            Self::Plan(error) => Some(error),
            _ => None,
        }
    }
}

impl From<EncodeError> for EditError {
    fn from(error: EncodeError) -> Self {
        Self::Encode(error)
    }
}

impl From<PlanError> for EditError {
    fn from(error: PlanError) -> Self {
        match error {
            PlanError::NotCopied(span) => Self::NotCopied(span),
            other => Self::Plan(other),
        }
    }
}
