//! Why a file was not written.

use std::fmt;
use std::io;
use std::path::PathBuf;

use ggufkit_format::{PlanError, Span, shorten};

use super::resume::LeftByOther;

/// Why a plan was not carried out. Nothing is at the target then, or what was there before.
#[derive(Debug)]
#[non_exhaustive]
pub enum SinkError {
    /// The plan makes no sense for this source.
    Plan(PlanError),
    /// There is a file at the target, and nobody said that it may be replaced.
    Exists(PathBuf),
    /// The target is the source, under this name or another.
    IsSource(PathBuf),
    /// What was to be replaced is not the file that was read any more, or not as it was read.
    Changed(PathBuf),
    /// A file that was read was written to meanwhile, so that what was copied may be of two states of it.
    SourceChanged(PathBuf),
    /// The source could not be read.
    Read {
        /// What was to be read.
        span: Span,
        /// What the system said.
        source: io::Error,
    },
    /// The source ended before it said it would: it shrank.
    Ended {
        /// What was to be read.
        span: Span,
        /// Bytes of it that came.
        read: u64,
    },
    /// The target could not be written.
    Write {
        /// The target.
        path: PathBuf,
        /// What was being done: "write", "sync".
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// There is not room for what is to be written.
    NoRoom {
        /// The target, or the first of several.
        path: PathBuf,
        /// Bytes that are needed.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
    /// The file is in its place and whole, and the system could not promise that its name survives a loss of power.
    NotDurable {
        /// The target.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// An earlier run that was another one has left something: it is neither continued nor thrown away.
    LeftByOther(Box<LeftByOther>),
    /// Whoever watches the progress asked to stop.
    Stopped(io::Error),
}

impl SinkError {
    /// The target that it is about, where it is about one.
    #[must_use]
    pub fn path(&self) -> Option<&std::path::Path> {
        match self {
            Self::Exists(path)
            | Self::IsSource(path)
            | Self::Changed(path)
            | Self::SourceChanged(path)
            | Self::Write { path, .. }
            | Self::NoRoom { path, .. }
            | Self::NotDurable { path, .. } => Some(path),
            Self::LeftByOther(left) => left.paths.first().map(PathBuf::as_path),
            _ => None,
        }
    }
}

impl fmt::Display for SinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |path: &PathBuf| crate::shown::Shown(path).to_string();
        match self {
            Self::Plan(error) => error.fmt(f),
            Self::Exists(path) => write!(f, "{} exists", shown(path)),
            Self::IsSource(path) => write!(f, "{} is the file that is being read", shown(path)),
            Self::Changed(path) => write!(f, "{} has changed since it was read", shown(path)),
            Self::SourceChanged(path) => {
                write!(f, "{} was changed while it was read; nothing was written", shown(path))
            }
            Self::Read { span, source } => write!(f, "cannot read {span} of the source: {source}"),
            Self::Ended { span, read } => {
                write!(f, "the source ended while {span} was read: {read} of {} bytes came", span.len)
            }
            Self::Write { path, doing, source } => write!(f, "cannot {doing} {}: {source}", shown(path)),
            Self::NoRoom { path, needed, free } => {
                write!(f, "{}: {needed} bytes are needed, and {free} are free", shown(path))
            }
            Self::NotDurable { path, source } => {
                write!(f, "{} is written, but its folder cannot be synced: {source}", shown(path))
            }
            Self::LeftByOther(left) => {
                let [file, list] = &left.paths;
                let name = if left.name.is_empty() {
                    String::new()
                } else {
                    format!(" ({})", shorten(left.name.as_bytes(), 40))
                };
                let (file, list, bytes) = (shown(file), shown(list), left.bytes);
                let what = left.other.what();
                write!(
                    f,
                    "{bytes} bytes of an earlier run{name} are in {file}, and {what}: delete it and {list} to begin anew"
                )
            }
            Self::Stopped(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SinkError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Plan(source) => Some(source),
            Self::Read { source, .. } | Self::Write { source, .. } | Self::NotDurable { source, .. } => {
                Some(source)
            }
            _ => None,
        }
    }
}

impl From<PlanError> for SinkError {
    fn from(error: PlanError) -> Self {
        Self::Plan(error)
    }
}
