//! Why a model is not quantized so.

use std::fmt;

use ggufkit_format::shorten;
use ggufkit_format::spec::TensorType;
use ggufkit_values::importance::ImportanceError;
use ggufkit_values::mixture;

use crate::error::EditError;
use crate::shards::ShardsError;

/// Why nothing is planned.
#[derive(Debug)]
#[non_exhaustive]
pub enum QuantizeError {
    /// The files are no model that can be taken whole.
    Shards(ShardsError),
    /// The pieces make no file.
    Edit(EditError),
    /// The importance cannot be read.
    Importance(ImportanceError),
}

/// What stands in the way of a tensor.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// It does not fit its type.
    Shape(mixture::Refusal),
    /// It is quantized already, and what is lost then is lost twice.
    Again {
        /// The tensor.
        name: Vec<u8>,
        /// Its type.
        from: TensorType,
        /// The type that it would have.
        to: TensorType,
    },
    /// Its values are integers, or are not known.
    NoValues {
        /// The tensor.
        name: Vec<u8>,
        /// Its type, or why not.
        why: String,
    },
    /// The type is of no use without importance, and there is none for the tensor.
    NoImportance {
        /// The tensor.
        name: Vec<u8>,
        /// The type that it would have.
        to: TensorType,
    },
    /// There are more or fewer numbers of importance than the tensor has columns.
    ImportanceLength {
        /// The tensor.
        name: Vec<u8>,
        /// Numbers that there are.
        found: u64,
        /// Columns times matrices.
        needed: u64,
    },
    /// The importance was counted for another number of matrices.
    ImportanceMatrices {
        /// The tensor.
        name: Vec<u8>,
        /// Matrices that there are counts for.
        found: u64,
        /// Matrices that the tensor has.
        needed: u64,
    },
    /// Nothing in a matrix counts, by its importance: it would become zeros.
    ImportanceFaint {
        /// The tensor.
        name: Vec<u8>,
        /// The matrix, of several.
        matrix: Option<u64>,
    },
    /// A number of importance is so large that what encoders compute with it is no number any more.
    ImportanceHuge {
        /// The tensor.
        name: Vec<u8>,
        /// The matrix, of several.
        matrix: Option<u64>,
        /// The column.
        column: u64,
        /// The number.
        number: f32,
    },
    /// The file is big-endian, and there is no rule for the bytes of the type.
    ByteOrder {
        /// The tensor.
        name: Vec<u8>,
        /// The type that it would have.
        to: TensorType,
    },
    /// Two tensors have one name: no reader takes that.
    NameTwice {
        /// The name.
        name: Vec<u8>,
    },
}

impl Refusal {
    /// A short stable word.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Shape(_) => "row-length",
            Self::Again { .. } => "requantize",
            Self::NoValues { .. } => "no-values",
            Self::NoImportance { .. } => "no-importance",
            Self::ImportanceLength { .. } => "imatrix-length",
            Self::ImportanceMatrices { .. } => "imatrix-matrices",
            Self::ImportanceFaint { .. } => "imatrix-zero",
            Self::ImportanceHuge { .. } => "imatrix-large",
            Self::ByteOrder { .. } => "no-byte-order-rule",
            Self::NameTwice { .. } => "duplicate-tensor",
        }
    }

    /// The tensor that it is about.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        match self {
            Self::Shape(refusal) => refusal.name(),
            Self::Again { name, .. }
            | Self::NoValues { name, .. }
            | Self::NoImportance { name, .. }
            | Self::ImportanceLength { name, .. }
            | Self::ImportanceMatrices { name, .. }
            | Self::ImportanceFaint { name, .. }
            | Self::ImportanceHuge { name, .. }
            | Self::ByteOrder { name, .. }
            | Self::NameTwice { name } => name,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = shorten(self.name(), 80);
        match self {
            Self::Shape(refusal) => refusal.fmt(f),
            Self::Again { from, to, .. } if to.info().is_some_and(|info| info.is_quantized()) => {
                write!(f, "{name}: is {from} already, and would be quantized once more, as {to}")
            }
            Self::Again { from, to, .. } => {
                write!(f, "{name}: is {from}, and would be written as {to}: what was lost does not come back")
            }
            Self::NoValues { why, .. } => write!(f, "{name}: {why}"),
            Self::NoImportance { to, .. } => {
                write!(f, "{name}: {to} is of no use without importance, and there is none for this tensor")
            }
            Self::ImportanceLength { found, needed, .. } => {
                write!(f, "{name}: the importance matrix has {found} numbers for it, and {needed} are needed")
            }
            Self::ImportanceMatrices { found, needed, .. } => {
                write!(f, "{name}: its importance was counted for {found} matrices, and it has {needed}")
            }
            Self::ImportanceFaint { matrix, .. } => {
                let of = matrix.map_or(String::new(), |matrix| format!(" of matrix {matrix}"));
                write!(
                    f,
                    "{name}: the importance of all columns{of} is zero, or next to it: nothing would be left of them"
                )
            }
            Self::ImportanceHuge { matrix, column, number, .. } => {
                let of = matrix.map_or(String::new(), |matrix| format!(" of matrix {matrix}"));
                write!(
                    f,
                    "{name}: the importance of column {column}{of} is {number:e}: what is computed with it overflows"
                )
            }
            Self::ByteOrder { to, .. } => {
                write!(f, "{name}: there is no rule for the bytes of {to} in a big-endian file")
            }
            Self::NameTwice { .. } => write!(f, "two tensors are called {name}"),
        }
    }
}

impl fmt::Display for QuantizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shards(error) => error.fmt(f),
            Self::Edit(error) => error.fmt(f),
            Self::Importance(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for QuantizeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Shards(error) => Some(error),
            Self::Edit(error) => Some(error),
            Self::Importance(error) => Some(error),
        }
    }
}

impl From<ShardsError> for QuantizeError {
    fn from(error: ShardsError) -> Self {
        Self::Shards(error)
    }
}

impl From<EditError> for QuantizeError {
    fn from(error: EditError) -> Self {
        Self::Edit(error)
    }
}

impl From<ImportanceError> for QuantizeError {
    fn from(error: ImportanceError) -> Self {
        Self::Importance(error)
    }
}
