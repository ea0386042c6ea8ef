//! Carrying out a [`Plan`]: a new file out of bytes and stretches of another.
//!
//! A write is complete or did not happen. The file is put together beside its place, synced, and then given its name;
//! power may fail at any byte before that and nothing is at the target, or what was there. Only who gives nothing up may
//! leave the syncing to the system ([`Terms`]). The source is never written
//! to. Several files are made all together or not at all ([`save_all`]), out of one file or several
//! ([`Joined`](crate::Joined)). [`PartFile`] is that way alone, for files that are not made by a plan. What takes hours to make may
//! be kept beside its place and continued ([`save_or_resume`]).

mod ahead;
mod compare;
mod copy;
mod error;
mod part;
mod resume;
mod work;

pub use compare::{Differs, compare};
pub use error::SinkError;
pub use part::PartFile;
pub(crate) use part::may_stand_at;
pub use resume::{Kept, Left, LeftByOther, OtherRun, Resume, Section, left_of, look};

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use ggufkit_format::{Piece, Plan, PlanError, ReadAt, Span};

use self::work::{Direct, Work};
use crate::file::FileSource;
use crate::identity::FileId;
use crate::joined::Files;
use crate::platform;

/// Blocks that file systems share between files (btrfs, XFS), or a multiple of them.
pub(crate) const SHARED: u64 = 4096;

/// Bytes of the buffer where the system cannot copy by itself.
const BUFFER: u64 = 1 << 20;

/// Copies below this length are read and written: asking the system to copy costs more.
const SMALL: u64 = 64 << 10;

/// Bytes that are read at once where small copies follow each other closely.
const WINDOW: usize = 256 << 10;

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

/// What a writing may do, and what it waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Terms {
    /// A file may be at the target: it is replaced.
    pub replace: bool,
    /// The files are on the disk before they have their names, and their names before the call returns. Without it a file at
    /// a new name is the system's to write out, as those of `cp` are: should power fail within the next half minute, there
    /// may be less at that name than a whole file. What replaces a file is synced in any case.
    pub sync: bool,
}

/// Makes the file of `plan` at `target` out of `source`; `replace` permits that a file is there. The
/// target is never the source, nor one of its files; see [`replace`](crate::replace).
///
/// The file has the permissions of the source (of its first file). Between files the system copies by itself where that may share
/// blocks or spare a network (`copy_file_range` on Linux); elsewhere two threads read and write.
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
    S: Files + Sync + ?Sized,
{
    save_all(&[Output { plan, target: target.as_ref() }], source, Terms { replace, sync: true }, watch)
}

/// Makes several files out of `source`, all of them or none: none has its name before all are whole and, by the [`Terms`],
/// on the disk.
///
/// What that comes to: naming is a call to the system for each file. Where one of them fails after others have been named
/// (somebody has put a file there meanwhile), those that were named go again, unless `terms` permit files to be there:
/// what they replaced is gone, and they are whole.
///
/// # Errors
/// See [`SinkError`].
pub fn save_all<S>(
    outputs: &[Output<'_>],
    source: &S,
    terms: Terms,
    watch: &mut Watch<'_>,
) -> Result<(), SinkError>
where
    S: Files + Sync + ?Sized,
{
    save_or_resume(outputs, source, terms, None, watch).map(|_| ())
}

/// What was made.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Saved {
    /// Bytes that were taken over from an earlier call.
    pub taken: u64,
    /// What tells of each output whether a path leads to it, where the system tells.
    pub files: Vec<Option<FileId>>,
}

/// The same in a way that can be continued: where it ends early, whatever the reason, what was written stays beside the targets
/// as `.NAME.resume`, and the next call with the same [`Resume`] takes over the sections that are whole. Each has to prove
/// that it is what was written, and that it was made of what is in the source now. What a call with another [`Resume`] has left is
/// refused ([`SinkError::LeftByOther`]). At the targets there is nothing before the end,
/// but for a call that is killed while it gives several files their names: the next one finds those that have theirs, and
/// leaves them, as what was asked for.
/// Without a [`Resume`] it is [`save_all`].
///
/// # Errors
/// See [`SinkError`].
pub fn save_or_resume<S>(
    outputs: &[Output<'_>],
    source: &S,
    terms: Terms,
    resume: Option<&Resume<'_>>,
    watch: &mut Watch<'_>,
) -> Result<Saved, SinkError>
where
    S: Files + Sync + ?Sized,
{
    let sources = Sources::of(source)?;
    for output in outputs {
        sources.may_be_written(output.target)?;
    }
    put(outputs, source, terms, Check::None(&sources), resume, watch)
}

/// Puts the file of `plan` in the place of `itself`, which stands at `target`, is held, and is what it was until the new one
/// is whole; `source` is what the plan copies from.
pub(crate) fn replace_from<S>(
    plan: &Plan,
    source: &S,
    itself: &FileSource,
    target: &Path,
    watch: &mut Watch<'_>,
) -> Result<(), SinkError>
where
    S: Files + Sync + ?Sized,
{
    let terms = Terms { replace: true, sync: true };
    put(&[Output { plan, target }], source, terms, Check::Itself(itself), None, watch).map(|_| ())
}

pub(crate) fn failed(target: &Path, doing: &'static str, source: io::Error) -> SinkError {
    match source.kind() {
        io::ErrorKind::AlreadyExists => SinkError::Exists(target.to_owned()),
        _ => SinkError::Write { path: target.to_owned(), doing, source },
    }
}

/// The files of a source, by what all of their names have in common.
struct Sources(BTreeSet<FileId>);

impl Sources {
    fn of<S: Files + Sync + ?Sized>(source: &S) -> Result<Self, SinkError> {
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
    terms: Terms,
    check: Check<'_>,
    resume: Option<&Resume<'_>>,
    watch: &mut Watch<'_>,
) -> Result<Saved, SinkError>
where
    S: Files + Sync + ?Sized,
{
    let Terms { replace, sync } = terms;
    // Whether a file is there is looked at before the writing: one that comes meanwhile is refused or was allowed to go.
    let sync = sync || outputs.iter().any(|output| output.target.symlink_metadata().is_ok());
    let size = source.size().unwrap_or(u64::MAX);
    let (mut total, mut there) = (0_u64, 0_u64);
    let mut finished = Vec::new();
    for (number, output) in outputs.iter().enumerate() {
        let Output { plan, target } = output;
        plan.verify(size)?;
        let mut log = None;
        let mut mark = None;
        if let Some(resume) = resume {
            let sections = resume.sections.get(number).copied().unwrap_or_default();
            let at = |fault: resume::Fault| fault.at(target, "look at");
            let own = resume.mark(plan, source, sections).map_err(at)?;
            log = resume::placed(output, source, resume, number, &own).map_err(at)?;
            mark = Some(own);
        }
        if log.is_none() {
            part::may_stand_at(target, replace).map_err(|error| failed(target, "write", error))?;
        }
        // What stands at the target and is to be replaced takes its room until the new one has its name.
        let left = left_of(target);
        if let (Some(kept), Some(mark), None) = (&left.kept, &mark, &log) {
            kept.is_of(mark)?;
        }
        if resume.is_some() && (log.is_some() || !left.is_placed) {
            there = there.saturating_add(left.bytes.min(plan.len()));
        }
        finished.push((log, mark));
        total = total.checked_add(plan.len()).ok_or(PlanError::TooLong)?;
    }
    let mut work = Work::new(total, watch);
    let mut direct = Direct::default();
    let mut parts = Vec::new();
    let mut taken = 0_u64;
    let mut logs = Vec::new();
    for ((number, output), (log, mark)) in outputs.iter().enumerate().zip(finished) {
        if let Some(log) = log {
            work.begin(output.target);
            work.skip_to(output.plan.len());
            taken = taken.saturating_add(output.plan.len());
            logs.push(log);
            continue;
        }
        let first = parts.is_empty();
        let part = match resume.zip(mark) {
            None => write_part(output, source, &check, &mut work, &mut direct, first)?,
            Some((resume, mark)) => {
                let mut begun = resume::Begun::open(output, source, resume, number, &mark, &mut work)?;
                taken = taken.saturating_add(begun.begin());
                if first {
                    enough_room(output.target, begun.part(), work.total.saturating_sub(there))?;
                }
                permit(begun.part(), source, &check)
                    .map_err(|error| failed(output.target, "set the permissions of", error))?;
                begun.write(output, source, resume, number, &mut work, &mut direct)?;
                let (part, log) = begun.done();
                logs.push(log);
                part
            }
        };
        parts.push((output.target, part));
    }
    for (target, part) in parts.iter().filter(|_| sync) {
        work.tell(Stage::Sync)?;
        part.sync().map_err(|error| failed(target, "sync", error))?;
    }
    work.tell(Stage::Place)?;
    unchanged(source)?;
    // Before the first one has its name: what is known by now to fail for one of them fails for all.
    for (target, _) in &parts {
        check.allows(target)?;
        part::may_stand_at(target, replace).map_err(|error| failed(target, "put in place", error))?;
    }
    let mut placed = Placed { targets: Vec::new(), stay: replace };
    for (target, part) in parts {
        let id = part.id().ok();
        let allowed = || check.allows(target);
        let placed_it = match check {
            // Whoever replaces the source holds it already.
            Check::Itself(_) => part.commit_held(allowed),
            Check::None(_) => part.commit_if(replace, allowed),
        };
        placed_it?.map_err(|error| failed(target, "put in place", error))?;
        placed.targets.push((target, id));
    }
    placed.stay = true;
    let of = |target: &Path| {
        let own = placed.targets.iter().find(|(placed, _)| *placed == target);
        own.map_or_else(|| FileId::at(target).ok().flatten(), |(_, id)| id.clone())
    };
    let saved = Saved { taken, files: outputs.iter().map(|output| of(output.target)).collect() };
    logs.into_iter().for_each(resume::Log::forget);
    if !sync {
        return Ok(saved);
    }
    let durable = work.tell(Stage::SyncFolder).map_err(|error| match error {
        SinkError::Stopped(error) => error,
        other => io::Error::other(other),
    });
    let not_durable = |target: &Path, source| SinkError::NotDurable { path: target.to_owned(), source };
    let Some(first) = outputs.first() else { return Ok(saved) };
    durable.map_err(|error| not_durable(first.target, error))?;
    let mut folder = None;
    for Output { target, .. } in outputs {
        if folder != Some(target.parent()) {
            platform::sync_folder(target).map_err(|error| not_durable(target, error))?;
            folder = Some(target.parent());
        }
    }
    Ok(saved)
}

/// Whether what was copied is of one state of each file: one that was written to meanwhile may have had its data elsewhere
/// when it was copied than when it was planned.
fn unchanged<S: Files + Sync + ?Sized>(source: &S) -> Result<(), SinkError> {
    for file in (0..source.file_count()).filter_map(|number| source.file_at(number)) {
        if file.is_changed().map_err(|error| failed(file.path(), "look at", error))? {
            return Err(SinkError::SourceChanged(file.path().to_owned()));
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
    check: &Check<'_>,
    work: &mut Work<'_, '_>,
    direct: &mut Direct,
    first: bool,
) -> Result<PartFile, SinkError>
where
    S: Files + Sync + ?Sized,
{
    let Output { plan, target } = *output;
    let failed = |doing| move |source: io::Error| failed(target, doing, source);
    work.begin(target);
    work.tell(Stage::Create)?;
    let part = PartFile::create(target).map_err(failed("create"))?;
    if first {
        enough_room(target, &part, work.total)?;
    }
    permit(&part, source, check).map_err(failed("set the permissions of"))?;
    write_range((plan, &mut Place::default()), plan.len(), source, part.file(), work, direct)?;
    Ok(part)
}

/// Whether there is room for so many bytes more, where that can be told.
fn enough_room(target: &Path, part: &PartFile, needed: u64) -> Result<(), SinkError> {
    match platform::free_space(part.file()).filter(|_| !platform::shares_blocks(part.file())) {
        Some(free) if free < needed => Err(SinkError::NoRoom { path: target.to_owned(), needed, free }),
        _ => Ok(()),
    }
}

/// Before there is a byte in it: what others may not read in the source they may not read here either.
fn permit<S: Files + Sync + ?Sized>(part: &PartFile, source: &S, check: &Check<'_>) -> io::Result<()> {
    match check {
        Check::Itself(itself) => part.be_as(itself.file()),
        Check::None(_) => match source.file_at(0).map(|file| file.file().metadata()) {
            Some(Ok(metadata)) => part.permit_as(&metadata),
            _ => Ok(()),
        },
    }
}

/// Where a plan is written up to.
#[derive(Default)]
struct Place {
    /// The piece, and where it begins.
    piece: usize,
    start: u64,
    /// Bytes that are written.
    done: u64,
}

/// Writes the bytes of a plan from a place up to `end`; the file stands at the first.
fn write_range<S>(
    (plan, place): (&Plan, &mut Place),
    end: u64,
    source: &S,
    file: &File,
    work: &mut Work<'_, '_>,
    direct: &mut Direct,
) -> Result<(), SinkError>
where
    S: Files + Sync + ?Sized,
{
    let target = work.target.clone();
    let failed = |doing| move |source: io::Error| failed(&target, doing, source);
    let mut to = BufWriter::with_capacity(WINDOW, file);
    while let Some(piece) = plan.pieces().get(place.piece) {
        let here = Span::new(place.start, piece.len());
        if place.done >= here.end() {
            place.piece = place.piece.saturating_add(1);
            place.start = here.end();
            continue;
        }
        if place.done >= end {
            break;
        }
        let part = Span::between(
            place.done.saturating_sub(here.start),
            here.end().min(end).saturating_sub(here.start),
        );
        place.done = here.end().min(end);
        let whole = match piece {
            Piece::Copy(whole) => Span::new(whole.start.saturating_add(part.start), part.len),
            Piece::Literal(bytes) => {
                let bytes = part.slice(bytes, 0).unwrap_or_default().to_vec();
                work.piece(&Piece::Literal(bytes), source, &mut to)?;
                continue;
            }
            Piece::Zeros(_) => {
                work.piece(&Piece::Zeros(part.len), source, &mut to)?;
                continue;
            }
        };
        let mut rest = whole;
        while rest.len >= SMALL
            && let Some((number, span)) = source.locate(rest)
        {
            let here = Span::new(rest.start, span.len);
            match direct.of(source, number).filter(|_| span.len >= SMALL) {
                Some(from) => {
                    to.flush().map_err(failed.clone()("write"))?;
                    work.hand_over(from, file, span)?;
                }
                None => work.ahead(here, source, &mut to)?,
            }
            rest = Span::between(here.end(), rest.end());
        }
        if !rest.is_empty() {
            work.ahead(rest, source, &mut to)?;
        }
    }
    to.flush().map_err(failed("write"))
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
