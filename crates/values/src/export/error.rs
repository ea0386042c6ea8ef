//! Why tensors are not put into a file.

use std::fmt;
use std::io;

use ggufkit_format::PlanError;
use ggufkit_io::npy::NpyError;
use ggufkit_io::npz::NpzError;
use ggufkit_io::safetensors::LayoutError;

use crate::NoValues;

/// Why tensors are not put into a file.
#[derive(Debug)]
#[non_exhaustive]
pub enum ExportError {
    /// NumPy has no such array.
    Npy(NpyError),
    /// An archive has no such member.
    Npz(NpzError),
    /// A safetensors file has no such tensor.
    Safetensors(LayoutError),
    /// A tensor's bytes cannot be brought into the byte order of the file.
    Values(NoValues),
    /// A tensor has no values: why not.
    Undecoded(String),
    /// A file of one tensor was asked for, and not one was chosen.
    OneTensor {
        /// How many were.
        count: usize,
    },
    /// The pieces make no file.
    Plan(PlanError),
    /// All together are longer than files can be.
    Io(io::Error),
}

impl ExportError {
    /// Whether the format has no type for a tensor's elements, which may be decoded to another one.
    #[must_use]
    pub fn is_type(&self) -> bool {
        matches!(self, Self::Npy(NpyError::NoType { .. }) | Self::Safetensors(LayoutError::NoType { .. }))
    }
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Npy(error) => error.fmt(f),
            Self::Npz(error) => error.fmt(f),
            Self::Safetensors(error) => error.fmt(f),
            Self::Values(error) => error.fmt(f),
            Self::Undecoded(why) => f.write_str(why),
            Self::OneTensor { count } => write!(f, "the file takes one tensor, and {count} were chosen"),
            Self::Plan(error) => error.fmt(f),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ExportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Npy(error) => error.source(),
            Self::Npz(error) => Some(error),
            Self::Safetensors(error) => Some(error),
            Self::Values(error) => error.source(),
            Self::Plan(error) => Some(error),
            Self::Io(error) => Some(error),
            Self::Undecoded(_) | Self::OneTensor { .. } => None,
        }
    }
}

impl From<NpyError> for ExportError {
    fn from(error: NpyError) -> Self {
        Self::Npy(error)
    }
}

impl From<NpzError> for ExportError {
    fn from(error: NpzError) -> Self {
        Self::Npz(error)
    }
}

impl From<LayoutError> for ExportError {
    fn from(error: LayoutError) -> Self {
        Self::Safetensors(error)
    }
}

impl From<PlanError> for ExportError {
    fn from(error: PlanError) -> Self {
        Self::Plan(error)
    }
}
