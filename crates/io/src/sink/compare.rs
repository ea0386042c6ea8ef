//! Whether a file is what its plan says, byte for byte: what is asked before anything that it was made of is deleted.

use std::fmt;
use std::io;

use ggufkit_format::{Piece, Plan, ReadAt, Span};

use super::{BUFFER, Progress, Stage, Watch};
use crate::file::{FileSource, read_full};
use crate::platform;

/// Why a file is not known to be its plan's.
#[derive(Debug)]
#[non_exhaustive]
pub enum Differs {
    /// It has another length.
    Length {
        /// The plan's.
        expected: u64,
        /// The file's, where it has one.
        found: Option<u64>,
    },
    /// A byte differs, somewhere in this span of the file.
    Bytes(Span),
    /// The source, or the file, cannot be read.
    Read(io::Error),
}

impl fmt::Display for Differs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { expected, found: Some(found) } => {
                write!(f, "it has {found} bytes where {expected} were written")
            }
            Self::Length { expected, found: None } => {
                write!(f, "it has no known length where {expected} bytes were written")
            }
            Self::Bytes(span) => write!(f, "its bytes at {span} are not those that were written"),
            Self::Read(error) => write!(f, "it cannot be compared: {error}"),
        }
    }
}

impl std::error::Error for Differs {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read(error) => Some(error),
            _ => None,
        }
    }
}

/// Reads all of `file` again and compares it with what `plan` makes out of `source`. The file is read from the disk, not
/// from what the system still holds of it in memory, where the system lets go of that.
///
/// # Errors
/// See [`Differs`].
pub fn compare<S>(plan: &Plan, source: &S, file: &FileSource, watch: &mut Watch<'_>) -> Result<(), Differs>
where
    S: ReadAt<Error = io::Error> + ?Sized,
{
    let found = file.size();
    if found != Some(plan.len()) {
        return Err(Differs::Length { expected: plan.len(), found });
    }
    platform::forget_cached(file.file());
    let mut buffers = (Vec::new(), Vec::new());
    let mut at = 0_u64;
    for piece in plan.pieces() {
        let mut inside = 0;
        while inside < piece.len() {
            watch(Progress { stage: Stage::Write, done: at, total: plan.len() }).map_err(Differs::Read)?;
            let len = piece.len().saturating_sub(inside).min(BUFFER);
            let here = Span::new(at, len);
            let want = usize::try_from(len).unwrap_or(0);
            buffers.0.resize(want, 0);
            if read_full(file, &mut buffers.0, at).map_err(Differs::Read)? < want {
                return Err(Differs::Bytes(here));
            }
            let same = match piece {
                Piece::Literal(bytes) => {
                    Span::new(inside, len).slice(bytes, 0).is_some_and(|bytes| bytes == buffers.0)
                }
                Piece::Zeros(_) => buffers.0.iter().all(|byte| *byte == 0),
                Piece::Copy(span) => {
                    buffers.1.resize(want, 0);
                    let from = span.start.saturating_add(inside);
                    let read = read_full(source, &mut buffers.1, from).map_err(Differs::Read)?;
                    read == want && buffers.0 == buffers.1
                }
            };
            if !same {
                return Err(Differs::Bytes(here));
            }
            inside = inside.saturating_add(len);
            at = at.saturating_add(len);
        }
    }
    Ok(())
}
