//! Carrying out a [`Plan`]: a new file out of bytes and stretches of another.
//!
//! A write is complete or did not happen. The file is put together beside its place, synced, and then given its name;
//! power may fail at any byte before that and nothing is at the target, or what was there. The source is never written
//! to. Several files are made all together or not at all ([`save_all`]), out of one file or several
//! ([`Joined`](crate::Joined)). [`PartFile`] is that way alone, for files that are not made by a plan.

mod compare;
mod error;
mod part;

pub use compare::{Differs, compare};
pub use error::SinkError;
pub use part::PartFile;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufWriter, Read as _, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use ggufkit_format::{Piece, Plan, PlanError, ReadAt, Span};

use crate::file::{FileSource, read_full};
use crate::identity::FileId;
use crate::joined::Files;
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

/// A file that is to be made, and where.
#[derive(Clone, Copy, Debug)]
pub struct Output<'a> {
    /// What it is made of.
    pub plan: &'a Plan,
    /// Where it will stand.
    pub target: &'a Path,
}

/// Makes the file of `plan` at `target` out of `source`; `replace` permits that a file is there. The
/// target is never the source, nor one of its files; see [`replace`](crate::replace).
///
/// The file has the permissions of the source (of its first file). Where the system can copy between files by itself
/// (`copy_file_range` on Linux, where file systems even share the blocks), it does.
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
pub fn save<S>(
    plan: &Plan,
    source: &S,
    target: impl AsRef<Path>,
    replace: bool,
    watch: &mut Watch<'_>,
) -> Result<(), SinkError>
where
    S: Files + ?Sized,
{
    save_all(&[Output { plan, target: target.as_ref() }], source, replace, watch)
}

/// Makes several files out of `source`, all of them or none: none has its name before all are whole and on the disk.
///
/// What that comes to: naming is a call to the system for each file. Where one of them fails after others have been named
/// (somebody has put a file there meanwhile), those that were named go again, unless `replace` permits files to be there:
/// what they replaced is gone, and they are whole.
///
/// # Errors
/// See [`SinkError`].
pub fn save_all<S>(
    outputs: &[Output<'_>],
    source: &S,
    replace: bool,
    watch: &mut Watch<'_>,
) -> Result<(), SinkError>
where
    S: Files + ?Sized,
{
    let sources = Sources::of(source)?;
    for output in outputs {
        sources.may_be_written(output.target)?;
    }
    put(outputs, source, replace, Check::None(&sources), watch)
}

/// Puts the file of `plan` in the place of `itself`, which is what it was until the new one is whole; `source` is what the
/// plan copies from.
pub(crate) fn replace_from<S>(
    plan: &Plan,
    source: &S,
    itself: &FileSource,
    watch: &mut Watch<'_>,
) -> Result<(), SinkError>
where
    S: Files + ?Sized,
{
    put(&[Output { plan, target: itself.path() }], source, true, Check::Itself(itself), watch)
}

fn failed(target: &Path, doing: &'static str, source: io::Error) -> SinkError {
    match source.kind() {
        io::ErrorKind::AlreadyExists => SinkError::Exists(target.to_owned()),
        _ => SinkError::Write { path: target.to_owned(), doing, source },
    }
}

/// The files of a source, by what all of their names have in common.
struct Sources(BTreeSet<FileId>);

impl Sources {
    fn of<S: Files + ?Sized>(source: &S) -> Result<Self, SinkError> {
        let files = (0..source.file_count()).filter_map(|number| source.file_at(number));
        let id = |file: &FileSource| FileId::of(file).map_err(|error| failed(file.path(), "look at", error));
        Ok(Self(files.map(id).collect::<Result<_, _>>()?))
    }

    /// Whether the target is none of them.
    fn may_be_written(&self, target: &Path) -> Result<(), SinkError> {
        match FileId::at(target).map_err(|source| failed(target, "look at", source))? {
            Some(id) if self.0.contains(&id) => Err(SinkError::IsSource(target.to_owned())),
            _ => Ok(()),
        }
    }
}

/// What a target has to be when it is given its file.
enum Check<'a> {
    /// None of the sources.
    None(&'a Sources),
    /// The source itself, as it was read.
    Itself(&'a FileSource),
}

impl Check<'_> {
    fn allows(&self, target: &Path) -> Result<(), SinkError> {
        let look = |source| failed(target, "look at", source);
        match self {
            Self::None(sources) => sources.may_be_written(target),
            // What is there by now may be somebody's work, and then it is not what was read.
            Self::Itself(source) => {
                let same = source.is_at(target).map_err(look)? && source.is_as_opened().map_err(look)?;
                if same { Ok(()) } else { Err(SinkError::Changed(target.to_owned())) }
            }
        }
    }
}

fn put<S>(
    outputs: &[Output<'_>],
    source: &S,
    replace: bool,
    check: Check<'_>,
    watch: &mut Watch<'_>,
) -> Result<(), SinkError>
where
    S: Files + ?Sized,
{
    let size = source.size().unwrap_or(u64::MAX);
    let mut total = 0_u64;
    for Output { plan, target } in outputs {
        plan.verify(size)?;
        part::may_stand_at(target, replace).map_err(|error| failed(target, "write", error))?;
        total = total.checked_add(plan.len()).ok_or(PlanError::TooLong)?;
    }
    let mut work = Work::new(total, watch);
    let mut direct = Direct::default();
    let mut parts = Vec::new();
    for output in outputs {
        parts.push((output.target, write_part(output, source, &mut work, &mut direct, parts.is_empty())?));
    }
    for (target, part) in &parts {
        work.tell(Stage::Sync)?;
        part.sync().map_err(|error| failed(target, "sync", error))?;
    }
    work.tell(Stage::Place)?;
    // Before the first one has its name: what is known by now to fail for one of them fails for all.
    for (target, _) in &parts {
        check.allows(target)?;
        part::may_stand_at(target, replace).map_err(|error| failed(target, "put in place", error))?;
    }
    let mut placed = Placed { targets: Vec::new(), stay: replace };
    for (target, part) in parts {
        let id = part.id().ok();
        part.commit_if(replace, || check.allows(target))?
            .map_err(|error| failed(target, "put in place", error))?;
        placed.targets.push((target, id));
    }
    placed.stay = true;
    let durable = work.tell(Stage::SyncFolder).map_err(|error| match error {
        SinkError::Stopped(error) => error,
        other => io::Error::other(other),
    });
    let not_durable = |target: &Path, source| SinkError::NotDurable { path: target.to_owned(), source };
    let Some(first) = outputs.first() else { return Ok(()) };
    durable.map_err(|error| not_durable(first.target, error))?;
    let mut folder = None;
    for Output { target, .. } in outputs {
        if folder != Some(target.parent()) {
            platform::sync_folder(target).map_err(|error| not_durable(target, error))?;
            folder = Some(target.parent());
        }
    }
    Ok(())
}

/// Files that have their names, of several that are to have them or not all together.
struct Placed<'a> {
    targets: Vec<(&'a Path, Option<FileId>)>,
    stay: bool,
}

impl Drop for Placed<'_> {
    fn drop(&mut self) {
        for (target, id) in self.targets.iter().filter(|_| !self.stay) {
            // What somebody else has put there by now is not ours to remove.
            if id.is_some() && FileId::at(target).ok() == Some(id.clone()) {
                let _ = std::fs::remove_file(target);
            }
        }
    }
}

/// Writes one file, without its name yet.
fn write_part<S>(
    output: &Output<'_>,
    source: &S,
    work: &mut Work<'_, '_>,
    direct: &mut Direct,
    first: bool,
) -> Result<PartFile, SinkError>
where
    S: Files + ?Sized,
{
    let Output { plan, target } = *output;
    let failed = |doing| move |source: io::Error| failed(target, doing, source);
    work.begin(target);
    work.tell(Stage::Create)?;
    let part = PartFile::create(target).map_err(failed("create"))?;
    if first
        && let (false, Some(free)) = (platform::shares_blocks(part.file()), platform::free_space(part.file()))
        && free < work.total
    {
        return Err(SinkError::NoRoom { path: target.to_owned(), needed: work.total, free });
    }
    // Before there is a byte in it: what others may not read in the source they may not read here either.
    if let Some(Ok(metadata)) = source.file_at(0).map(|file| file.file().metadata()) {
        platform::copy_permissions(&metadata, part.file()).map_err(failed("set the permissions of"))?;
    }
    let mut to = BufWriter::with_capacity(WINDOW, part.file());
    for piece in plan.pieces() {
        let Piece::Copy(whole) = piece else {
            work.piece(piece, source, &mut to)?;
            continue;
        };
        let mut rest = *whole;
        while rest.len >= SMALL
            && let Some((number, span)) = source.locate(rest)
        {
            let here = Span::new(rest.start, span.len);
            match direct.of(source, number).filter(|_| span.len >= SMALL) {
                Some(from) => {
                    to.flush().map_err(failed("write"))?;
                    work.hand_over(from, part.file(), span)?;
                }
                None => work.piece(&Piece::Copy(here), source, &mut to)?,
            }
            rest = Span::between(here.end(), rest.end());
        }
        if !rest.is_empty() {
            work.piece(&Piece::Copy(rest), source, &mut to)?;
        }
    }
    to.flush().map_err(failed("write"))?;
    drop(to);
    Ok(part)
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
    let mut work = Work::new(plan.len(), watch);
    let mut to = BufWriter::with_capacity(WINDOW, to);
    for piece in plan.pieces() {
        work.piece(piece, source, &mut to)?;
    }
    to.flush().map_err(|error| work.failed(error))
}

/// A file of the source once more, with a cursor of its own: the last one that was asked for.
#[derive(Default)]
struct Direct(Option<(usize, Option<File>)>);

impl Direct {
    /// The file with this number, where that is sure to be the same file and can be copied from.
    fn of<S: Files + ?Sized>(&mut self, source: &S, number: usize) -> Option<&File> {
        if self.0.as_ref().is_none_or(|(last, _)| *last != number) {
            self.0 = Some((number, source.file_at(number).and_then(Self::open)));
        }
        self.0.as_ref().and_then(|(_, file)| file.as_ref())
    }

    fn open(source: &FileSource) -> Option<File> {
        source.size()?;
        let file = FileSource::open(source.path()).ok()?;
        (FileId::of(source).ok()? == FileId::of(&file).ok()?).then(|| file.into_file())
    }
}

/// The state of one writing.
struct Work<'a, 'b> {
    watch: &'a mut Watch<'b>,
    /// Bytes of the file.
    done: u64,
    /// Bytes of the files before it.
    before: u64,
    /// The bytes that were done when the watch was last told.
    told: Option<u64>,
    /// Bytes of all files.
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
    fn new(total: u64, watch: &'a mut Watch<'b>) -> Self {
        Self {
            watch,
            done: 0,
            before: 0,
            told: None,
            total,
            target: PathBuf::from("-"),
            buffer: Vec::new(),
            window: Vec::new(),
            there: Span::default(),
            last: 0,
        }
    }

    /// Begins another file.
    fn begin(&mut self, target: &Path) {
        self.before = self.before.saturating_add(self.done);
        self.done = 0;
        self.target = target.to_owned();
    }

    fn tell(&mut self, stage: Stage) -> Result<(), SinkError> {
        let done = self.before.saturating_add(self.done);
        // Of a million small pieces few are worth a word.
        if stage == Stage::Write {
            if self.told.is_some_and(|told| done.saturating_sub(told) < BUFFER) {
                return Ok(());
            }
            self.told = Some(done);
        }
        (self.watch)(Progress { stage, done, total: self.total }).map_err(SinkError::Stopped)
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
            if let Some(past @ 1..) =
                at.checked_rem(SHARED).filter(|_| at.abs_diff(self.done).is_multiple_of(SHARED))
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
