//! What can go wrong when a file is opened or read.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use ggufkit_format::ParseError;
use ggufkit_format::identify::Identity;
use ggufkit_io::DataError;

/// Why a file could not be opened or read, with the file's path.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The system refused.
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is no GGUF; `identity` says what it is instead.
    NotGguf {
        /// The file.
        path: PathBuf,
        /// What it is.
        identity: Box<Identity>,
    },
    /// The head is malformed, unsupported, or over a limit.
    Head {
        /// The file.
        path: PathBuf,
        /// Where and why; [`ParseError::fault`] tells who must act.
        source: ParseError,
    },
    /// A tensor's data cannot be read.
    Data {
        /// The file.
        path: PathBuf,
        /// Which tensor, and why.
        source: DataError,
    },
    /// No tensor has this name.
    NoTensor {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
    },
}

impl Error {
    /// The file that the error is about.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Io { path, .. }
            | Self::NotGguf { path, .. }
            | Self::Head { path, .. }
            | Self::Data { path, .. }
            | Self::NoTensor { path, .. } => path,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = ggufkit_format::Escaped(self.path().as_os_str().as_encoded_bytes());
        match self {
            Self::Io { source, .. } => write!(f, "{path}: {source}"),
            Self::NotGguf { identity, .. } => write!(f, "{path}: {}", identity.describe()),
            Self::Head { source, .. } => write!(f, "{path}: {source}"),
            Self::Data { source, .. } => write!(f, "{path}: {source}"),
            Self::NoTensor { name, .. } => {
                write!(f, "{path}: no tensor is called \"{}\"", ggufkit_format::Escaped(name.as_bytes()))
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Head { source, .. } => Some(source),
            Self::Data { source, .. } => Some(source),
            Self::NotGguf { .. } | Self::NoTensor { .. } => None,
        }
    }
}
