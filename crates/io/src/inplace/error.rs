//! Why a file was not changed in place.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::shown::Shown;

/// Why a file was not changed in place. With all but [`InPlaceError::Interrupted`] and [`InPlaceError::NotDurable`] it is
/// byte for byte what it was.
#[derive(Debug)]
#[non_exhaustive]
pub enum InPlaceError {
    /// Another process is changing it now.
    Busy(PathBuf),
    /// An earlier change of it was interrupted: [`recover`](super::recover) it first.
    Pending(PathBuf),
    /// It is not the file that was read, or not as it was read.
    Changed(PathBuf),
    /// Something else has changed it since the change that would be taken back.
    ChangedSince(PathBuf),
    /// It has other names, which would change with it.
    Linked {
        /// The file.
        path: PathBuf,
        /// How many names it has.
        names: u64,
    },
    /// The file system cannot move its bytes by blocks.
    Unmovable(PathBuf),
    /// There is no record of a last change that could be taken back.
    NothingToUndo(PathBuf),
    /// The change was made in more files of the set than it can be taken back in now.
    Partial {
        /// The set, by one of its files.
        path: PathBuf,
        /// In how many files it was made.
        files: u64,
        /// In how many of them it is still the last one.
        kept: u64,
    },
    /// The record is not what was written there.
    Damaged(PathBuf),
    /// What has the record's name is no file, or that of somebody who is neither the file's owner nor this user.
    Foreign(PathBuf),
    /// The record is of another file, which had this name.
    OtherFile {
        /// The file.
        path: PathBuf,
        /// Its record.
        record: PathBuf,
        /// Whether the file has the bytes of the other one all the same: it may be a copy of it, half changed.
        alike: bool,
    },
    /// The record is of this file, and something else has changed the file since.
    Unfit {
        /// The file.
        path: PathBuf,
        /// Its record.
        record: PathBuf,
    },
    /// The file says that a change of it was interrupted, under a name that has no record any more in its folder.
    Elsewhere {
        /// The file.
        path: PathBuf,
        /// Where the record would be.
        record: PathBuf,
    },
    /// It has other names, and its file system cannot say under all of them that a change is under way.
    Unmarkable {
        /// The file.
        path: PathBuf,
        /// How many names it has.
        names: u64,
    },
    /// The system refused, and the file is as it was.
    Io {
        /// The file.
        path: PathBuf,
        /// What was being done: "write".
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The change was begun and can neither be finished nor taken back now. What is needed for that is kept beside the
    /// file, for [`recover`](super::recover).
    Interrupted {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is changed, and the system could not promise that this survives a loss of power.
    NotDurable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl InPlaceError {
    /// The error of a file that cannot be looked at.
    pub fn at(path: &std::path::Path) -> impl Fn(io::Error) -> Self {
        Self::io(path, "look at")
    }

    pub(crate) fn read_only(path: &std::path::Path) -> Self {
        let source = io::Error::new(io::ErrorKind::PermissionDenied, "it is marked read-only");
        Self::Io { path: path.to_owned(), doing: "write to", source }
    }

    pub(crate) fn io(path: &std::path::Path, doing: &'static str) -> impl Fn(io::Error) -> Self {
        move |source| Self::Io { path: path.to_owned(), doing, source }
    }
}

impl fmt::Display for InPlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy(path) => write!(f, "{} is being changed by another process", Shown(path)),
            Self::Pending(path) => write!(f, "an earlier change of {} was interrupted", Shown(path)),
            Self::Changed(path) => write!(f, "{} has changed since it was read", Shown(path)),
            Self::ChangedSince(path) => write!(
                f,
                "{} was changed by something else since the change that would be taken back",
                Shown(path)
            ),
            Self::Linked { path, names } => {
                write!(f, "{} has {names} names (hard links), which would all change", Shown(path))
            }
            Self::Unmovable(path) => {
                write!(f, "the file system of {} cannot move bytes by blocks", Shown(path))
            }
            Self::NothingToUndo(path) => write!(f, "{} has no last change to take back", Shown(path)),
            Self::Partial { path, files, kept } => write!(
                f,
                "the last change of the set of {} was made in {files} of its files, and can be taken back in {kept} of them",
                Shown(path)
            ),
            Self::Damaged(path) => {
                write!(f, "{} is damaged, and nothing can be taken back by it", Shown(path))
            }
            Self::Foreign(path) => {
                write!(f, "{} is no record that the owner of the file, or you, have made", Shown(path))
            }
            Self::OtherFile { path, record, .. } => {
                write!(f, "{} is of another file than the one that is {} now", Shown(record), Shown(path))
            }
            Self::Unfit { path, record } => write!(
                f,
                "{} was changed by something else since the change that {} would take back",
                Shown(path),
                Shown(record)
            ),
            Self::Elsewhere { path, record } => write!(
                f,
                "a change of {} was interrupted when it had another name, and its record {} is not there",
                Shown(path),
                Shown(record)
            ),
            Self::Unmarkable { path, names } => write!(
                f,
                "{} has {names} names (hard links), and its file system cannot tell under all of them that a change is under \
                 way",
                Shown(path)
            ),
            Self::Io { path, doing, source } => write!(f, "cannot {doing} {}: {source}", Shown(path)),
            Self::Interrupted { path, source } => {
                write!(f, "the change of {} stopped in the middle: {source}", Shown(path))
            }
            Self::NotDurable { path, source } => {
                write!(f, "{} is changed, but may not be so after a loss of power: {source}", Shown(path))
            }
        }
    }
}

impl std::error::Error for InPlaceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } | Self::Interrupted { source, .. } | Self::NotDurable { source, .. } => {
                Some(source)
            }
            _ => None,
        }
    }
}
