//! Carrying out a [`Plan`]: a new file out of bytes and stretches of another.
//!
//! A write is complete or did not happen. The file is put together beside its place, synced, and then given its name;
//! power may fail at any byte before that and nothing is at the target, or what was there. The source is never written
//! to. [`PartFile`] is that way alone, for files that are not made by a plan.

mod error;
mod part;

pub use error::SinkError;
pub use part::PartFile;

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use ggufkit_format::{Piece, Plan, ReadAt, Span};

use crate::file::{FileSource, read_full};
use crate::platform;

/// Bytes that are copied between two calls of the progress.
const STEP: u64 = 64 << 20;

/// Bytes of the buffer where the system cannot copy by itself.
const BUFFER: u64 = 1 << 20;

/// Copies below this length are read and written: asking the system to copy costs more.
const SMALL: u64 = 64 << 10;

/// What is about to be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Stage {
    /// The part file is created.
    Create,
    /// Bytes are written.
    Write,
    /// The bytes are made to reach the disk.
    Sync,
    /// The file is given its name.
    Place,
    /// The name is made to reach the disk.
    SyncFolder,
}

/// How far the work is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// What is about to be done.
    pub stage: Stage,
    /// Bytes that are written.
    pub done: u64,
    /// Bytes that there will be.
    pub total: u64,
}

/// Who is told how far the work is, before each step; an error stops it, and nothing is left of it.
pub type Watch<'a> = dyn FnMut(Progress) -> io::Result<()> + 'a;

/// A watch that looks on.
///
/// # Errors
/// None.
pub fn unwatched(_: Progress) -> io::Result<()> {
    Ok(())
}

/// Makes the file of `plan` at `target` out of `source`; `replace` permits that a file is there.
///
/// The file has the permissions of the source. Where the system can copy between files by itself (`copy_file_range` on
/// Linux, where file systems even share the blocks), it does.
///
/// # Errors
/// See [`SinkError`]: with all but [`SinkError::NotDurable`] the target is as it was before.
///
/// ```no_run
/// use ggufkit_format::{Plan, Span};
/// use ggufkit_io::{FileSource, sink};
///
/// let source = FileSource::open("model.gguf")?;
/// let mut plan = Plan::new();
/// plan.copy(Span::new(0, 4096))?;
/// sink::save(&plan, &source, "head.gguf", false, &mut sink::unwatched)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn save(
    plan: &Plan,
    source: &FileSource,
    target: impl AsRef<Path>,
    replace: bool,
    watch: &mut Watch<'_>,
) -> Result<(), SinkError> {
    let target = target.as_ref();
    let failed = |doing| {
        move |source: io::Error| match source.kind() {
            io::ErrorKind::AlreadyExists => SinkError::Exists(target.to_owned()),
            _ => SinkError::Write { path: target.to_owned(), doing, source },
        }
    };
    plan.verify(source.size().unwrap_or(u64::MAX))?;
    if source.is_at(target).map_err(failed("look at"))? {
        return Err(SinkError::IsSource(target.to_owned()));
    }
    part::may_stand_at(target, replace).map_err(failed("write"))?;
    let mut work = Work { watch, done: 0, total: plan.len(), target: target.to_owned(), buffer: Vec::new() };
    work.tell(Stage::Create)?;
    let part = PartFile::create(target).map_err(failed("create"))?;
    // Before there is a byte in it: what others may not read in the source they may not read here either.
    if let Ok(metadata) = source.file().metadata() {
        platform::copy_permissions(&metadata, part.file()).map_err(failed("set the permissions of"))?;
    }
    let direct = direct(source);
    for piece in plan.pieces() {
        match (piece, &direct) {
            (Piece::Copy(span), Some(from)) if span.len >= SMALL => {
                work.hand_over(from, part.file(), *span)?
            }
            _ => work.piece(piece, source, &mut part.file())?,
        }
    }
    work.tell(Stage::Sync)?;
    part.file().sync_all().map_err(failed("sync"))?;
    work.tell(Stage::Place)?;
    part.commit(replace).map_err(failed("put in place"))?;
    let durable = work.tell(Stage::SyncFolder).map_err(|error| match error {
        SinkError::Stopped(error) => error,
        other => io::Error::other(other),
    });
    durable
        .and_then(|()| platform::sync_folder(target))
        .map_err(|source| SinkError::NotDurable { path: target.to_owned(), source })
}

/// Writes the file of `plan` to any writer, out of any source.
///
/// # Errors
/// See [`SinkError`]. What was written by then is the writer's to undo.
pub fn write_plan<S, W>(plan: &Plan, source: &S, to: &mut W, watch: &mut Watch<'_>) -> Result<(), SinkError>
where
    S: ReadAt<Error = io::Error> + ?Sized,
    W: Write,
{
    plan.verify(source.size().unwrap_or(u64::MAX))?;
    let mut work = Work { watch, done: 0, total: plan.len(), target: PathBuf::from("-"), buffer: Vec::new() };
    for piece in plan.pieces() {
        work.piece(piece, source, to)?;
    }
    to.flush().map_err(|error| work.failed(error))
}

/// The source once more, with a cursor of its own, where that is sure to be the same file.
fn direct(source: &FileSource) -> Option<File> {
    source.size()?;
    let file = FileSource::open(source.path()).ok()?;
    source.is_at(file.path()).ok()?.then(|| file.into_file())
}

/// The state of one writing.
struct Work<'a, 'b> {
    watch: &'a mut Watch<'b>,
    done: u64,
    total: u64,
    target: PathBuf,
    buffer: Vec<u8>,
}

impl Work<'_, '_> {
    fn tell(&mut self, stage: Stage) -> Result<(), SinkError> {
        (self.watch)(Progress { stage, done: self.done, total: self.total }).map_err(SinkError::Stopped)
    }

    fn failed(&self, source: io::Error) -> SinkError {
        SinkError::Write { path: self.target.clone(), doing: "write", source }
    }

    fn write<W: Write>(&mut self, bytes: &[u8], to: &mut W) -> Result<(), SinkError> {
        to.write_all(bytes).map_err(|error| self.failed(error))?;
        self.done = self.done.saturating_add(bytes.len() as u64);
        Ok(())
    }

    fn piece<S, W>(&mut self, piece: &Piece, source: &S, to: &mut W) -> Result<(), SinkError>
    where
        S: ReadAt<Error = io::Error> + ?Sized,
        W: Write,
    {
        match piece {
            Piece::Literal(bytes) => {
                self.tell(Stage::Write)?;
                self.write(bytes, to)
            }
            Piece::Zeros(n) => self.chunks(Span::new(0, *n), to, &mut |buffer, _| {
                buffer.fill(0);
                Ok(buffer.len())
            }),
            Piece::Copy(span) => self.chunks(*span, to, &mut |buffer, at| read_full(source, buffer, at)),
        }
    }

    /// Writes so many bytes as the span has, filled in by `fill`, a buffer at a time.
    fn chunks<W: Write>(
        &mut self,
        span: Span,
        to: &mut W,
        fill: &mut dyn FnMut(&mut [u8], u64) -> io::Result<usize>,
    ) -> Result<(), SinkError> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut at = span.start;
        while at < span.end() {
            self.tell(Stage::Write)?;
            let want = span.end().saturating_sub(at).min(BUFFER) as usize;
            if buffer.len() < want {
                buffer.resize(want, 0);
            }
            let chunk = buffer.get_mut(..want).unwrap_or_default();
            let read = fill(chunk, at).map_err(|source| SinkError::Read { span, source })?;
            if read < want {
                let read = at.saturating_sub(span.start).saturating_add(read as u64);
                return Err(SinkError::Ended { span, read });
            }
            self.write(chunk, to)?;
            at = at.saturating_add(want as u64);
        }
        self.buffer = buffer;
        Ok(())
    }

    /// Lets the system copy a span.
    fn hand_over(&mut self, mut from: &File, mut to: &File, span: Span) -> Result<(), SinkError> {
        from.seek(SeekFrom::Start(span.start)).map_err(|source| SinkError::Read { span, source })?;
        let mut at = span.start;
        while at < span.end() {
            self.tell(Stage::Write)?;
            let want = span.end().saturating_sub(at).min(STEP);
            // Of both sides it is the target that fails, as a rule: a full disk.
            let copied = io::copy(&mut from.take(want), &mut to).map_err(|error| self.failed(error))?;
            at = at.saturating_add(copied);
            self.done = self.done.saturating_add(copied);
            if copied < want {
                return Err(SinkError::Ended { span, read: at.saturating_sub(span.start) });
            }
        }
        Ok(())
    }
}
