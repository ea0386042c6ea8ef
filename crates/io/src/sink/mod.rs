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
use std::io::{self, BufWriter, Read as _, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use ggufkit_format::{Piece, Plan, ReadAt, Span};

use crate::file::{FileSource, read_full};
use crate::platform;

/// Bytes that are copied between two calls of the progress.
const STEP: u64 = 64 << 20;

/// Bytes of the buffer where the system cannot copy by itself.
const BUFFER: u64 = 1 << 20;

/// Blocks that file systems share between files (btrfs, XFS), or a multiple of them.
pub(crate) const SHARED: u64 = 4096;

/// Copies below this length are read and written: asking the system to copy costs more.
const SMALL: u64 = 64 << 10;

/// Bytes that are read at once where small copies follow each other closely.
const WINDOW: usize = 256 << 10;

/// Bytes between two copies that follow each other closely.
const CLOSE: u64 = 4 << 10;

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

/// Makes the file of `plan` at `target` out of `source`; `replace` permits that a file is there. The
/// target is never the source; see [`replace`].
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
    if source.is_at(target).map_err(|source| failed(target, "look at", source))? {
        return Err(SinkError::IsSource(target.to_owned()));
    }
    put(plan, source, target, replace, false, watch)
}

/// Puts the file of `plan` in the place of `source`, which is what it was until the new one is whole. Other names of the
/// source, where it has any, still lead to the old one.
///
/// # Errors
/// See [`SinkError`].
pub fn replace(plan: &Plan, source: &FileSource, watch: &mut Watch<'_>) -> Result<(), SinkError> {
    put(plan, source, source.path(), true, true, watch)
}

fn failed(target: &Path, doing: &'static str, source: io::Error) -> SinkError {
    match source.kind() {
        io::ErrorKind::AlreadyExists => SinkError::Exists(target.to_owned()),
        _ => SinkError::Write { path: target.to_owned(), doing, source },
    }
}

/// `itself`: the target is the source, and has to be so to the end; else it must not be.
fn put(
    plan: &Plan,
    source: &FileSource,
    target: &Path,
    replace: bool,
    itself: bool,
    watch: &mut Watch<'_>,
) -> Result<(), SinkError> {
    let failed = |doing| move |source: io::Error| failed(target, doing, source);
    plan.verify(source.size().unwrap_or(u64::MAX))?;
    part::may_stand_at(target, replace).map_err(failed("write"))?;
    let mut work = Work::new(plan, target.to_owned(), watch);
    work.tell(Stage::Create)?;
    let part = PartFile::create(target).map_err(failed("create"))?;
    // Before there is a byte in it: what others may not read in the source they may not read here either.
    if let Ok(metadata) = source.file().metadata() {
        platform::copy_permissions(&metadata, part.file()).map_err(failed("set the permissions of"))?;
    }
    let direct = direct(source);
    let mut to = BufWriter::with_capacity(WINDOW, part.file());
    for piece in plan.pieces() {
        match (piece, &direct) {
            (Piece::Copy(span), Some(from)) if span.len >= SMALL => {
                to.flush().map_err(failed("write"))?;
                work.hand_over(from, part.file(), *span)?;
            }
            _ => work.piece(piece, source, &mut to)?,
        }
    }
    to.flush().map_err(failed("write"))?;
    drop(to);
    work.tell(Stage::Sync)?;
    part.sync().map_err(failed("sync"))?;
    work.tell(Stage::Place)?;
    let allowed = || match source.is_at(target).map_err(failed("look at"))? {
        true if !itself => Err(SinkError::IsSource(target.to_owned())),
        // What is there by now is somebody's work, and what was read is not what is there.
        false if itself => Err(SinkError::Changed(target.to_owned())),
        _ if itself && !source.is_as_opened().map_err(failed("look at"))? => {
            Err(SinkError::Changed(target.to_owned()))
        }
        _ => Ok(()),
    };
    part.commit_if(replace, allowed)?.map_err(failed("put in place"))?;
    let durable = work.tell(Stage::SyncFolder).map_err(|error| match error {
        SinkError::Stopped(error) => error,
        other => io::Error::other(other),
    });
    durable
        .and_then(|()| platform::sync_folder(target))
        .map_err(|source| SinkError::NotDurable { path: target.to_owned(), source })
}

/// Writes the file of `plan` to any writer, out of any source: for programs whose files are in memory, in an archive or on
/// the far side of a network, where nothing can be put in place at the end. Between files there is [`save`].
///
/// # Errors
/// See [`SinkError`]. What was written by then is the writer's to undo.
pub fn write_plan<S, W>(plan: &Plan, source: &S, to: &mut W, watch: &mut Watch<'_>) -> Result<(), SinkError>
where
    S: ReadAt<Error = io::Error> + ?Sized,
    W: Write,
{
    plan.verify(source.size().unwrap_or(u64::MAX))?;
    let mut work = Work::new(plan, PathBuf::from("-"), watch);
    let mut to = BufWriter::with_capacity(WINDOW, to);
    for piece in plan.pieces() {
        work.piece(piece, source, &mut to)?;
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
    /// The bytes that were done when the watch was last told.
    told: Option<u64>,
    total: u64,
    target: PathBuf,
    buffer: Vec<u8>,
    /// Bytes of the source that were read together with a small copy, and what they are.
    window: Vec<u8>,
    there: Span,
    /// Where the last small copy ended.
    last: u64,
}

impl<'a, 'b> Work<'a, 'b> {
    fn new(plan: &Plan, target: PathBuf, watch: &'a mut Watch<'b>) -> Self {
        Self {
            watch,
            done: 0,
            told: None,
            total: plan.len(),
            target,
            buffer: Vec::new(),
            window: Vec::new(),
            there: Span::default(),
            last: 0,
        }
    }

    fn tell(&mut self, stage: Stage) -> Result<(), SinkError> {
        // Of a million small pieces few are worth a word.
        if stage == Stage::Write {
            if self.told.is_some_and(|told| self.done.saturating_sub(told) < BUFFER) {
                return Ok(());
            }
            self.told = Some(self.done);
        }
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
            Piece::Copy(span) if span.len < SMALL => {
                self.tell(Stage::Write)?;
                self.look_ahead(*span, source)?;
                let window = std::mem::take(&mut self.window);
                let bytes = span.slice(&window, self.there.start).unwrap_or_default();
                let written = self.write(bytes, to);
                self.window = window;
                written
            }
            Piece::Copy(span) => self.chunks(*span, to, &mut |buffer, at| read_full(source, buffer, at)),
        }
    }

    /// Makes the window hold a small span: with what follows it, where the last one ended closely before.
    fn look_ahead<S>(&mut self, span: Span, source: &S) -> Result<(), SinkError>
    where
        S: ReadAt<Error = io::Error> + ?Sized,
    {
        let close = span.start.checked_sub(self.last).is_some_and(|gap| gap <= CLOSE);
        self.last = span.end();
        if span.start >= self.there.start && span.end() <= self.there.end() {
            return Ok(());
        }
        self.window.resize(WINDOW, 0);
        let exact = span.len as usize;
        // What lies behind the span is not needed yet, so an error there is none yet.
        let wants = [WINDOW, exact];
        let mut result = Ok(0);
        for want in wants.into_iter().skip(usize::from(!close)) {
            result = read_full(source, self.window.get_mut(..want).unwrap_or_default(), span.start);
            if result.is_ok() {
                break;
            }
        }
        let read = result.map_err(|source| SinkError::Read { span, source })?;
        self.there = Span::new(span.start, read as u64);
        if read < exact {
            self.there = Span::default();
            return Err(SinkError::Ended { span, read: read as u64 });
        }
        Ok(())
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
            let mut want = span.end().saturating_sub(at).min(STEP);
            // File systems that share blocks do so where they begin at multiples of a block in both files.
            if let Some(past @ 1..) = at.checked_rem(SHARED).filter(|_| at.abs_diff(self.done) % SHARED == 0)
            {
                want = want.min(SHARED.saturating_sub(past));
            }
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
