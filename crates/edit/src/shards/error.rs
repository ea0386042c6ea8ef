//! Why files are not split or merged, and what will be other than it was.

use std::fmt;

use ggufkit_format::shorten;

use crate::error::EditError;
use crate::placement::DataProblem;

/// Columns of a name in a message.
const NAME: usize = 80;

/// Why there is no plan.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ShardsError {
    /// There is no file to plan from.
    NoFiles,
    /// Something would be lost, or cannot be done as asked.
    Refused(Vec<Refusal>),
    /// The pieces make no file.
    Edit(EditError),
}

/// One reason. Files are named by their place in the list, from 0.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// A head was not read to its end.
    IncompleteHead {
        /// The file.
        member: usize,
    },
    /// Version 1, or a mis-written layout: its records cannot be copied as they stand.
    Layout {
        /// The file.
        member: usize,
    },
    /// Another version than the first file has.
    Version {
        /// The file.
        member: usize,
        /// Its version.
        found: u32,
        /// The first file's.
        expected: u32,
    },
    /// Another byte order than the first file has.
    ByteOrder {
        /// The file.
        member: usize,
    },
    /// A file declares another alignment than the first one has.
    Alignment {
        /// The file.
        member: usize,
        /// Its alignment.
        found: u64,
        /// The first file's.
        expected: u64,
    },
    /// It cannot be told which bytes are a tensor's.
    Data {
        /// The file.
        member: usize,
        /// The tensor.
        name: Vec<u8>,
        /// What is wrong with it.
        problem: DataProblem,
    },
    /// Bytes follow the data and its padding, and belong to nothing.
    Trailing {
        /// The file.
        member: usize,
        /// How many.
        bytes: u64,
    },
    /// A key that the first shard does not have.
    ExtraKey {
        /// The file.
        member: usize,
        /// The key.
        key: Vec<u8>,
    },
    /// A key that an earlier shard has with another value.
    KeyDiffers {
        /// The file.
        member: usize,
        /// The key.
        key: Vec<u8>,
    },
    /// A tensor for which a file of its own is too large already.
    TensorTooLarge {
        /// The tensor.
        name: Vec<u8>,
        /// Bytes of the file that would hold nothing else.
        bytes: u64,
        /// The limit.
        limit: u64,
        /// Further tensors of which the same is true.
        more: u64,
    },
    /// The metadata alone are larger than a file may be.
    MetadataTooLarge {
        /// Bytes of the file that would hold nothing else.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// There are not enough tensors for so many files.
    TooFewTensors {
        /// Tensors that there are.
        tensors: u64,
        /// Files that are to hold some.
        shards: u64,
    },
    /// Two tensors have one name: in a set, no reader takes that.
    NameTwice {
        /// The name.
        name: Vec<u8>,
    },
    /// More files than a set can have.
    TooManyShards {
        /// Files that there would be.
        shards: u64,
    },
    /// More tensors than a set can count.
    TooManyTensors {
        /// Tensors that there are.
        tensors: u64,
    },
}

impl Refusal {
    /// A short stable word, for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::IncompleteHead { .. } => "incomplete-head",
            Self::Layout { .. } => "other-layout",
            Self::Version { .. } => "version-differs",
            Self::ByteOrder { .. } => "byte-order-differs",
            Self::Alignment { .. } => "alignment-differs",
            Self::Data { .. } => "tensor-data",
            Self::Trailing { .. } => "trailing-bytes",
            Self::ExtraKey { .. } => "extra-key",
            Self::KeyDiffers { .. } => "key-differs",
            Self::TensorTooLarge { .. } => "tensor-too-large",
            Self::MetadataTooLarge { .. } => "metadata-too-large",
            Self::TooFewTensors { .. } => "too-few-tensors",
            Self::NameTwice { .. } => "duplicate-tensor",
            Self::TooManyShards { .. } => "too-many-shards",
            Self::TooManyTensors { .. } => "too-many-tensors",
        }
    }

    /// The file that it is about, by its place in the list.
    #[must_use]
    pub const fn member(&self) -> Option<usize> {
        match self {
            Self::IncompleteHead { member }
            | Self::Layout { member }
            | Self::Version { member, .. }
            | Self::ByteOrder { member }
            | Self::Alignment { member, .. }
            | Self::Data { member, .. }
            | Self::Trailing { member, .. }
            | Self::ExtraKey { member, .. }
            | Self::KeyDiffers { member, .. } => Some(*member),
            _ => None,
        }
    }

    /// The key or tensor that it is about.
    #[must_use]
    pub fn name(&self) -> Option<&[u8]> {
        match self {
            Self::Data { name, .. } | Self::TensorTooLarge { name, .. } | Self::NameTwice { name } => {
                Some(name)
            }
            Self::ExtraKey { key, .. } | Self::KeyDiffers { key, .. } => Some(key),
            _ => None,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IncompleteHead { .. } => f.write_str("the head was not read to its end"),
            Self::Layout { .. } => f.write_str(
                "the file is of version 1 or in a mis-written layout: its records cannot be kept as they are",
            ),
            Self::Version { found, expected, .. } => {
                write!(f, "the file is of version {found}, the first one of version {expected}")
            }
            Self::ByteOrder { .. } => f.write_str("the file has another byte order than the first one"),
            Self::Alignment { found, expected, .. } => {
                write!(
                    f,
                    "the file declares an alignment of {found} bytes, that of the first one is {expected}"
                )
            }
            Self::Data { name, problem, .. } => {
                write!(f, "tensor \"{}\": {}", shorten(name, NAME), problem.reason)
            }
            Self::Trailing { bytes: 1, .. } => f.write_str("1 byte follows the data and belongs to nothing"),
            Self::Trailing { bytes, .. } => {
                write!(f, "{bytes} bytes follow the data and belong to nothing")
            }
            Self::ExtraKey { key, .. } => {
                write!(f, "the key \"{}\" is not in the first shard", shorten(key, NAME))
            }
            Self::KeyDiffers { key, .. } => {
                write!(f, "the key \"{}\" has another value in an earlier shard", shorten(key, NAME))
            }
            Self::TensorTooLarge { name, bytes, limit, more } => {
                write!(
                    f,
                    "tensor \"{}\" needs a file of {bytes} bytes for itself, and {limit} are allowed",
                    shorten(name, NAME)
                )?;
                match more {
                    0 => Ok(()),
                    1 => f.write_str("; so does 1 more tensor"),
                    n => write!(f, "; so do {n} more tensors"),
                }
            }
            Self::MetadataTooLarge { bytes, limit } => {
                write!(f, "the metadata alone need a file of {bytes} bytes, and {limit} are allowed")
            }
            Self::TooFewTensors { tensors, shards } => {
                write!(f, "{tensors} tensors are too few for {shards} files that hold some")
            }
            Self::NameTwice { name } => {
                write!(
                    f,
                    "two tensors are called \"{}\", which no reader takes in a set",
                    shorten(name, NAME)
                )
            }
            Self::TooManyShards { shards } => {
                write!(f, "there would be {shards} files; a set has at most {}", super::MAX_SHARDS)
            }
            Self::TooManyTensors { tensors } => {
                write!(f, "a set cannot count {tensors} tensors: split.tensors.count is an i32")
            }
        }
    }
}

impl fmt::Display for ShardsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFiles => f.write_str("there is no file"),
            Self::Refused(refusals) => match refusals.split_first() {
                Some((first, [])) => first.fmt(f),
                Some((first, more)) => write!(f, "{first}, and {} more", more.len()),
                None => Ok(()),
            },
            Self::Edit(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ShardsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Edit(error) => Some(error),
            _ => None,
        }
    }
}

impl From<EditError> for ShardsError {
    fn from(error: EditError) -> Self {
        Self::Edit(error)
    }
}

impl From<Refusal> for ShardsError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(vec![refusal])
    }
}

/// What will be other than it was, and loses nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Note {
    /// The data of a file is not in the canonical layout: in another order, with gaps, or without padding at its end. What
    /// is written is.
    LaidOutAnew {
        /// The file, by its place in the list.
        member: usize,
    },
    /// The data of a file is aligned otherwise than that of the first one.
    Aligned {
        /// The file.
        member: usize,
        /// Its alignment.
        from: u64,
        /// The alignment that is written.
        to: u64,
    },
    /// A key of a later shard that is kept.
    KeptKey {
        /// The file.
        member: usize,
        /// The key.
        key: Vec<u8>,
    },
}

impl Note {
    /// A short stable word, for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::LaidOutAnew { .. } => "laid-out-anew",
            Self::Aligned { .. } => "aligned-anew",
            Self::KeptKey { .. } => "kept-key",
        }
    }

    /// The file that it is about, by its place in the list.
    #[must_use]
    pub const fn member(&self) -> usize {
        match self {
            Self::LaidOutAnew { member } | Self::Aligned { member, .. } | Self::KeptKey { member, .. } => {
                *member
            }
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LaidOutAnew { .. } => f.write_str(
                "the data is in another order than the table, has gaps, or no padding at its end; it is written in order",
            ),
            Self::Aligned { from, to, .. } => {
                write!(f, "the data is aligned to {from} bytes; it is written aligned to {to}")
            }
            Self::KeptKey { key, .. } => {
                write!(f, "the key \"{}\", which the first shard does not have, is kept", shorten(key, NAME))
            }
        }
    }
}
