//! Why an operation cannot be carried out.

use std::fmt;

use ggufkit_format::Escaped;
use ggufkit_format::encode::EncodeError;

use crate::error::EditError;
use crate::value::ValueError;

/// Why an operation cannot be carried out.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum OperationError {
    /// There is no such key.
    NoKey(Vec<u8>),
    /// There is no such tensor.
    NoTensor(Vec<u8>),
    /// The vocabulary has no such token.
    NoToken(Vec<u8>),
    /// The vocabulary has this token more than once.
    SeveralTokens {
        /// The token.
        text: Vec<u8>,
        /// How often.
        count: u64,
    },
    /// A key or a tensor has this name more than once.
    Several {
        /// The name.
        name: Vec<u8>,
        /// How often.
        count: u64,
    },
    /// A key or a tensor with this name is there already.
    Taken(Vec<u8>),
    /// The key is new and not known, so somebody has to say what type it has.
    NoType(Vec<u8>),
    /// A value is none of its type.
    Value {
        /// The key.
        key: Vec<u8>,
        /// Why not.
        error: ValueError,
    },
    /// An array has no such element.
    NoElement {
        /// The key.
        key: Vec<u8>,
        /// The element.
        element: u64,
        /// Elements that it has; none where it is no array.
        len: Option<u64>,
    },
    /// A key has another value than it was asked to have.
    Differs(Vec<u8>),
    /// A key that was asked not to be there is there.
    There(Vec<u8>),
    /// A pattern is none.
    Pattern(String),
    /// The alignment is no positive number of 32 bits.
    Alignment,
    /// The document cannot be changed so.
    Edit(EditError),
}

impl fmt::Display for OperationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |bytes: &[u8]| Escaped(bytes).to_string();
        match self {
            Self::NoKey(key) => write!(f, "there is no key {}", shown(key)),
            Self::NoTensor(name) => write!(f, "there is no tensor {}", shown(name)),
            Self::NoToken(text) => write!(f, "the vocabulary has no token {}", shown(text)),
            Self::SeveralTokens { text, count } => {
                write!(f, "the vocabulary has the token {} {count} times", shown(text))
            }
            Self::Several { name, count } => {
                write!(f, "{} is there {count} times: which one is meant cannot be told", shown(name))
            }
            Self::Taken(name) => write!(f, "{} is there already", shown(name)),
            Self::NoType(key) => {
                write!(f, "{} is a key that is not known, so its type has to be said", shown(key))
            }
            Self::Value { key, error } => write!(f, "{}: {error}", shown(key)),
            Self::NoElement { key, len: Some(0), .. } => write!(f, "{} has no elements", shown(key)),
            Self::NoElement { key, element, len: Some(len) } => {
                write!(f, "{} has {len} elements, from [0] on, and no [{element}]", shown(key))
            }
            Self::NoElement { key, .. } => write!(f, "{} is no array", shown(key)),
            Self::Differs(key) => write!(f, "{} has another value than it was expected to have", shown(key)),
            Self::There(key) => write!(f, "{} is there, and was expected not to be", shown(key)),
            Self::Pattern(error) => f.write_str(error),
            Self::Alignment => f.write_str("an alignment is a whole number from 1 to 4294967295"),
            Self::Edit(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for OperationError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Value { error, .. } => Some(error),
            Self::Edit(error) => Some(error),
            _ => None,
        }
    }
}

impl From<EditError> for OperationError {
    fn from(error: EditError) -> Self {
        Self::Edit(error)
    }
}

impl From<EncodeError> for OperationError {
    fn from(error: EncodeError) -> Self {
        Self::Edit(error.into())
    }
}
