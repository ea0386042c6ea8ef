//! Why a file is no importance matrix, or none for a model.

use std::fmt;
use std::io;

use ggufkit_format::{ParseError, shorten};

/// Why there is no importance.
#[derive(Debug)]
#[non_exhaustive]
pub enum ImportanceError {
    /// The system refused.
    Io(io::Error),
    /// It begins like a GGUF file, and cannot be read as one.
    Head(ParseError),
    /// The file ends before what it says is in it.
    Ended {
        /// Where more was looked for.
        offset: u64,
        /// Bytes that are needed there.
        needed: u64,
    },
    /// There is more behind what it says is in it.
    Trailing {
        /// Where that begins.
        offset: u64,
        /// Bytes that are there.
        bytes: u64,
    },
    /// A count or a length makes no sense.
    Count {
        /// What is counted.
        what: &'static str,
        /// The number.
        found: i64,
        /// Where it stands.
        offset: u64,
    },
    /// There is no importance in it.
    Empty,
    /// A tensor's sums stand without counts, or the other way round, or are no 32-bit floats, or do not go together, or are there
    /// twice.
    Pair {
        /// The tensor that they are for.
        name: Vec<u8>,
        /// What is wrong.
        why: &'static str,
    },
    /// A number is not finite, or below zero.
    Number {
        /// The tensor that it is for.
        name: Vec<u8>,
        /// Its place.
        at: u64,
        /// The number.
        number: f32,
    },
    /// There are more or fewer numbers than the tensor has columns.
    Length {
        /// The tensor.
        name: Vec<u8>,
        /// Numbers that there are.
        found: u64,
        /// Numbers that it needs: columns times matrices.
        needed: u64,
    },
}

impl ImportanceError {
    /// A short stable word.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Io(_) => "imatrix-unreadable",
            Self::Head(_)
            | Self::Ended { .. }
            | Self::Trailing { .. }
            | Self::Count { .. }
            | Self::Empty
            | Self::Pair { .. } => "not-an-imatrix",
            Self::Number { .. } => "imatrix-number",
            Self::Length { .. } => "imatrix-length",
        }
    }
}

impl fmt::Display for ImportanceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = |name: &Vec<u8>| shorten(name, 80).to_string();
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Head(error) => error.fmt(f),
            Self::Ended { offset, needed } => write!(
                f,
                "is no importance matrix, or not all of one: it ends before the {needed} bytes at offset {offset:#x}"
            ),
            Self::Trailing { offset, bytes } => {
                write!(
                    f,
                    "is no importance matrix: {bytes} bytes more stand at offset {offset:#x}, behind its end"
                )
            }
            Self::Count { what, found, offset } => {
                write!(f, "is no importance matrix: {found} {what} at offset {offset:#x} make no sense")
            }
            Self::Empty => f.write_str("is no importance matrix: no tensor in it ends in .in_sum2"),
            Self::Pair { name, why } => write!(f, "importance of {}: {why}", short(name)),
            Self::Number { name, at, number } => {
                write!(f, "importance of {}: number {at} is {number}", short(name))
            }
            Self::Length { name, found, needed } => write!(
                f,
                "importance of {}: {found} numbers, and the tensor has {needed} columns in all its matrices",
                short(name)
            ),
        }
    }
}

impl std::error::Error for ImportanceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Head(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for ImportanceError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
