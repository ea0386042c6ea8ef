//! The way back: of a change that was interrupted, and of one that was done.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ggufkit_format::{Shift, Span};

use super::disk::{Disk, Watch};
use super::error::InPlaceError;
use super::proof::{self, Fit, Id};
use super::record::{Kept, Record};
use super::standing::{self, Standing, journal, last, mark, next, real, standing};
use crate::platform;

/// Times that a move which a signal interrupts is looked at anew.
const TRIES: u32 = 100;

/// A change as its record tells it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Change {
    /// What all changes of one call have in common.
    pub id: u64,
    /// How many files of the model the call changed.
    pub files: u64,
    /// When it was made, in seconds since 1970.
    pub time: u64,
    /// Bytes that are written back.
    pub bytes: u64,
    /// How many stretches these are.
    pub places: u64,
    /// Bytes that the file system moves back without touching them.
    pub moved: u64,
    /// Length of the file, with the change and without it.
    pub len: (u64, u64),
}

impl Change {
    fn of(record: &Record) -> Self {
        let moved = match record.shift {
            Some(Shift::Insert(span)) => record.size.saturating_sub(span.start),
            Some(Shift::Remove(span)) => record.size.saturating_sub(span.end()),
            None => 0,
        };
        Self {
            id: record.change,
            files: record.files,
            time: record.time,
            bytes: record.lost_bytes(),
            places: record.lost.len() as u64,
            moved,
            len: (record.len, record.size),
        }
    }
}

/// Takes back what an interrupted change did to the file at `path`; false when none was interrupted. Nothing is written before
/// the record is known to be whole, and to be of this file as it stands.
///
/// # Errors
/// See [`InPlaceError`]; the record stays where it is then.
pub fn recover(path: &Path, watch: &mut Watch<'_>) -> Result<bool, InPlaceError> {
    let path = &real(path).map_err(InPlaceError::at(path))?;
    let look = || standing(path).map_err(InPlaceError::io(path, "look beside"));
    if look()? == Standing::Quiet {
        return Ok(false);
    }
    let mut disk = Disk::open(path, watch)?;
    // Who had the file until now may be done with it.
    let record = match look()? {
        Standing::Quiet => return Ok(false),
        Standing::Stale => {
            disk.unmark().map_err(InPlaceError::io(path, "write to"))?;
            return Ok(false);
        }
        Standing::Lost(record) => return Err(InPlaceError::Elsewhere { path: path.to_owned(), record }),
        Standing::Pending(record) => record,
    };
    match proven(path, &record, &disk.file)? {
        Some(kept) => back(&mut disk, &kept, &record)?,
        // It is whole on the disk before the file is touched.
        None => {
            let failed = || InPlaceError::io(path, "write beside");
            disk.unmark().map_err(failed())?;
            // A copy has the mark of a file whose change may be about to begin, behind that very record.
            if standing::is_ours(&record, path, &disk.file) {
                disk.remove(&record).and_then(|()| disk.sync_folder()).map_err(failed())?;
            }
        }
    }
    Ok(true)
}

/// What keeps the file at `path` from being read: the change that is under way or was interrupted, or why [`recover`] does not
/// take it back. `None` where nothing does. Nothing is written.
///
/// # Errors
/// See [`InPlaceError`].
pub fn pending(path: &Path) -> Result<Option<Change>, InPlaceError> {
    let path = &real(path).map_err(InPlaceError::at(path))?;
    match standing(path).map_err(InPlaceError::io(path, "look beside"))? {
        Standing::Quiet | Standing::Stale => Ok(None),
        Standing::Lost(record) => Err(InPlaceError::Elsewhere { path: path.to_owned(), record }),
        Standing::Pending(record) => {
            let file = File::open(path).map_err(InPlaceError::io(path, "open"))?;
            let kept = proven(path, &record, &file)?;
            Ok(kept.map(|kept| Change::of(&kept.record)))
        }
    }
}

/// A record that is whole and of this file as it stands; `None` for one that was not written to its end.
fn proven(path: &Path, record: &Path, file: &File) -> Result<Option<Kept>, InPlaceError> {
    let Some(kept) = standing::read(record, file, true)? else { return Ok(None) };
    match proof::between(&kept, file).map_err(InPlaceError::io(path, "read"))? {
        Fit::Same => Ok(Some(kept)),
        Fit::Unfit => Err(InPlaceError::Unfit { path: path.to_owned(), record: record.to_owned() }),
        Fit::Other(alike) => {
            Err(InPlaceError::OtherFile { path: path.to_owned(), record: record.to_owned(), alike })
        }
    }
}

/// What became of the record of a file that is taken as it stands: [`discard`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Discarded {
    /// No change was interrupted.
    Nothing,
    /// The file said that one was, and says so no more; a record that is another file's is where it was.
    Mark,
    /// This is what the record is called now.
    Aside(PathBuf),
}

/// Leaves the file at `path` as it stands: what was kept of a change that was interrupted gets another name, under which
/// nobody looks for it. The record of another file, of which this one is a copy, stays: it is all that file has.
///
/// # Errors
/// See [`InPlaceError`].
pub fn discard(path: &Path, watch: &mut Watch<'_>) -> Result<Discarded, InPlaceError> {
    let path = &real(path).map_err(InPlaceError::at(path))?;
    let failed = || InPlaceError::io(path, "write beside");
    if standing(path).map_err(InPlaceError::io(path, "look beside"))? == Standing::Quiet {
        return Ok(Discarded::Nothing);
    }
    let mut disk = Disk::look(path, watch)?;
    let done = match standing(path).map_err(InPlaceError::io(path, "look beside"))? {
        Standing::Pending(record) if standing::is_ours(&record, path, &disk.file) => {
            let aside = standing::aside(path).map_err(failed())?;
            disk.rename(&record, &aside).map_err(failed())?;
            Discarded::Aside(aside)
        }
        Standing::Pending(_) | Standing::Lost(_) => Discarded::Mark,
        Standing::Quiet | Standing::Stale => Discarded::Nothing,
    };
    disk.unmark().and_then(|()| disk.sync_folder()).map_err(failed())?;
    Ok(done)
}

/// What [`undo`] would take back of the file at `path`. Nothing is written, and what would keep it from that is an error here too.
///
/// # Errors
/// Those of [`undo`].
pub fn last_change(path: &Path, all_names: bool) -> Result<Change, InPlaceError> {
    let path = &real(path).map_err(InPlaceError::at(path))?;
    let mut watch = super::unwatched;
    let disk = Disk::open(path, &mut watch)?;
    Ok(Change::of(&undoable(path, &disk.file, all_names)?.0.record))
}

/// What is kept of the last change of the file at `path`, whether or not it can be taken back; `None` where nothing is.
///
/// # Errors
/// See [`InPlaceError`].
pub fn kept_change(path: &Path) -> Result<Option<Change>, InPlaceError> {
    let path = &real(path).map_err(InPlaceError::at(path))?;
    let last = last(path);
    let there = |record| standing::is_there(record).map_err(InPlaceError::io(path, "look beside"));
    if !there(&last)? && !there(&next(path))? {
        return Ok(None);
    }
    let file = File::open(path).map_err(InPlaceError::io(path, "open"))?;
    Ok(read_last(path, &file)?.map(|kept| Change::of(&kept.record)))
}

/// Whether the file at `path`, which has no record of a change that others have one of, is as it was before that change: it was
/// stopped before it came to this file, and nothing was written to the file since.
///
/// # Errors
/// See [`InPlaceError`].
pub fn is_before(path: &Path, change: &Change) -> Result<bool, InPlaceError> {
    let path = &real(path).map_err(InPlaceError::at(path))?;
    let failed = || InPlaceError::io(path, "look at");
    let file = File::open(path).map_err(InPlaceError::io(path, "open"))?;
    let next = next(path);
    if standing::is_there(&next).map_err(failed())?
        && let Ok(Some(kept)) = standing::read(&next, &file, false)
        && kept.record.change == change.id
    {
        return Ok(begun_next(path, &file)?.is_none());
    }
    // Records count seconds: what was written in the same one may have been written after.
    let written = file.metadata().and_then(|metadata| metadata.modified()).map_err(failed())?;
    let written = written.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |at| at.as_secs());
    Ok(written < change.time)
}

/// The record of the last change; `None` where there is none, or where the power went before it was all on the disk.
fn read_last(path: &Path, file: &File) -> Result<Option<Kept>, InPlaceError> {
    if let Some(kept) = begun_next(path, file)? {
        return Ok(Some(kept));
    }
    let last = last(path);
    match standing::is_there(&last).map_err(InPlaceError::io(path, "look beside"))? {
        true => standing::read(&last, file, false),
        false => Ok(None),
    }
}

/// The record of a change within one sector that was stopped behind its write. One of a change that never came to the file,
/// or of another file, is nothing.
fn begun_next(path: &Path, file: &File) -> Result<Option<Kept>, InPlaceError> {
    let failed = || InPlaceError::io(path, "look beside");
    let next = next(path);
    if !standing::is_there(&next).map_err(failed())? {
        return Ok(None);
    }
    let kept = match standing::read(&next, file, false) {
        Err(error @ InPlaceError::Io { .. }) => return Err(error),
        other => other.ok().flatten(),
    };
    let Some(kept) = kept else { return Ok(None) };
    let id = Id::of(&file.metadata().map_err(failed())?);
    let begun = kept.record.id.is(id) && proof::has_begun(&kept, file).map_err(failed())?;
    Ok(begun.then_some(kept))
}

/// Gives the record of a change within one sector its name, where the change was done, and removes it where it was not.
pub(super) fn settle_next(disk: &mut Disk<'_, '_>) -> Result<(), InPlaceError> {
    let path = disk.path.clone();
    let next = next(&path);
    if !standing::is_there(&next).map_err(InPlaceError::io(&path, "look beside"))? {
        return Ok(());
    }
    let settled = match begun_next(&path, &disk.file)? {
        Some(_) => disk.rename(&next, &last(&path)),
        None => disk.remove(&next),
    };
    settled.map_err(InPlaceError::io(&path, "write beside"))
}

/// The record of the last change, where it can be taken back, and how many names the file has.
fn undoable(path: &Path, file: &File, all_names: bool) -> Result<(Kept, u64), InPlaceError> {
    if !matches!(
        standing(path).map_err(InPlaceError::io(path, "look beside"))?,
        Standing::Quiet | Standing::Stale
    ) {
        return Err(InPlaceError::Pending(path.to_owned()));
    }
    let kept = read_last(path, file)?.ok_or_else(|| InPlaceError::NothingToUndo(path.to_owned()))?;
    match proof::is_new(&kept.record, file).map_err(InPlaceError::io(path, "read"))? {
        true => {}
        false => return Err(InPlaceError::ChangedSince(path.to_owned())),
    }
    let names = platform::names(&file.metadata().map_err(InPlaceError::io(path, "look at"))?);
    match names > 1 && !all_names {
        true => Err(InPlaceError::Linked { path: path.to_owned(), names }),
        false => Ok((kept, names)),
    }
}

/// Takes back the last change of the file at `path`, which then is what it was before it; `all_names` permits that other names
/// of it change with it.
///
/// # Errors
/// See [`InPlaceError`]: [`InPlaceError::NothingToUndo`] when there was none, [`InPlaceError::ChangedSince`] when something
/// else has changed the file since.
pub fn undo(path: &Path, all_names: bool, watch: &mut Watch<'_>) -> Result<Change, InPlaceError> {
    let path = &real(path).map_err(InPlaceError::at(path))?;
    let failed = |doing| InPlaceError::io(path, doing);
    let mut disk = Disk::open(path, watch)?;
    let (kept, names) = undoable(path, &disk.file, all_names)?;
    settle_next(&mut disk)?;
    let (journal, last) = (journal(path), last(path));
    disk.unmark().map_err(failed("write to"))?;
    // From here on it is the record of a change under way, as good as one.
    disk.sync_record(&kept.file).and_then(|()| disk.arm(&kept.file)).map_err(failed("write beside"))?;
    let marked = mark_file(&mut disk, &kept.record, &journal)?;
    if names > 1 && !marked {
        return Err(InPlaceError::Unmarkable { path: path.to_owned(), names });
    }
    if let Err(error) = disk.rename(&last, &journal) {
        let _ = disk.unmark();
        return Err(failed("write beside")(error));
    }
    let interrupted = |source| InPlaceError::Interrupted { path: path.to_owned(), source };
    disk.sync_folder().map_err(interrupted)?;
    back(&mut disk, &kept, &journal)?;
    Ok(Change::of(&kept.record))
}

/// Marks the file under all of its names as one whose change is under way; false where files cannot be marked.
pub(super) fn mark_file(
    disk: &mut Disk<'_, '_>,
    record: &Record,
    journal: &Path,
) -> Result<bool, InPlaceError> {
    let Some(mark) = mark(record.change, journal) else { return Ok(false) };
    match disk.mark(Some(&mark)) {
        Ok(()) => Ok(true),
        Err(error) if cannot_mark(&error) => Ok(false),
        Err(error) => {
            let _ = disk.unmark();
            Err(InPlaceError::io(&disk.path, "mark")(error))
        }
    }
}

/// Whether files cannot be marked here, or not this one: the system keeps small numbers of small attributes.
fn cannot_mark(error: &io::Error) -> bool {
    use io::ErrorKind as Kind;
    let kinds = [Kind::Unsupported, Kind::PermissionDenied, Kind::ArgumentListTooLong, Kind::InvalidInput];
    kinds.contains(&error.kind())
}

pub(super) fn back(disk: &mut Disk<'_, '_>, kept: &Kept, journal: &Path) -> Result<(), InPlaceError> {
    let path = disk.path.clone();
    go_back(disk, kept, journal).map_err(|source| InPlaceError::Interrupted { path, source })
}

/// Makes the file what it was, from wherever it is between then and what it was to be.
pub(super) fn go_back(disk: &mut Disk<'_, '_>, kept: &Kept, journal: &Path) -> io::Result<()> {
    let record = &kept.record;
    if let Some(shift) = record.shift {
        move_back(disk, record, shift)?;
    }
    kept.each_lost(&mut |at, bytes| disk.write(at, bytes))?;
    disk.resize(record.size)?;
    disk.sync()?;
    // The mark goes first: where it is there and the record is not, nobody could tell that the file is whole.
    disk.unmark()?;
    disk.remove(journal)?;
    disk.sync_folder()
}

/// Moves the bytes back that were moved, or those of them that were.
fn move_back(disk: &mut Disk<'_, '_>, record: &Record, shift: Shift) -> io::Result<()> {
    for _ in 0..TRIES {
        match step_back(disk, record, shift) {
            // How far it came is to be seen.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
    Err(io::ErrorKind::Interrupted.into())
}

fn step_back(disk: &mut Disk<'_, '_>, record: &Record, shift: Shift) -> io::Result<()> {
    disk.sync()?;
    let size = disk.size()?;
    let moved = shift.size_after(record.size);
    match shift {
        Shift::Insert(_) if size == record.size => Ok(()),
        Shift::Insert(span) if size == moved => match hole(&disk.file, span, size)? {
            // The file was made longer, and nothing moved yet.
            at if at >= record.size => disk.resize(record.size),
            at => disk.shift(Shift::Remove(Span::new(at, span.len))),
        },
        Shift::Remove(span) if size == record.size => match hole(&disk.file, span, size)? {
            // Nothing moved yet: at most the bytes that were to be taken out are gone.
            at if at == span.start => Ok(()),
            at => {
                if at >= moved {
                    disk.resize(moved)?;
                } else {
                    disk.shift(Shift::Remove(Span::new(at, span.len)))?;
                }
                disk.shift(Shift::Insert(span))
            }
        },
        Shift::Remove(span) if size == moved => disk.shift(Shift::Insert(span)),
        _ => Err(lost_track()),
    }
}

fn lost_track() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it cannot be told how far its bytes were moved")
}

/// Where in a file of `size` bytes the hole is that the file system carries through it, as long as `seam`, which is where it
/// sets out. All else behind that is data, so there is one hole at most.
///
/// A hole that has left the seam has a part behind it, wherever it is by now. Where there is none there it is at the seam
/// still, and what has been written into it, in how many pieces, does not count. At the end of the file the hole begins with
/// the first whole block behind it.
fn hole(file: &File, seam: Span, size: u64) -> io::Result<u64> {
    let behind = segments(file, seam.end(), size)?;
    if behind.iter().copied().eq([Span::between(seam.end(), size)].into_iter().filter(|one| !one.is_empty()))
    {
        return Ok(seam.start);
    }
    let now = segments(file, seam.start, size)?;
    let at = now
        .first()
        .filter(|first| first.start == seam.start)
        .map(|first| first.end())
        .ok_or_else(lost_track)?;
    let expected = [Span::between(seam.start, at), Span::between(at.saturating_add(seam.len), size)];
    match now.iter().eq(expected.iter().filter(|one| !one.is_empty())) {
        true => Ok(at),
        false => Err(lost_track()),
    }
}

/// Where a file of `size` bytes has data, from `at` on: the first three stretches tell all that is asked.
pub(super) fn segments(file: &File, at: u64, size: u64) -> io::Result<Vec<Span>> {
    let mut out = Vec::new();
    let mut at = at;
    while at < size && out.len() < 3 {
        let Some(span) = platform::next_data(file, at)? else { break };
        let span = Span::between(span.start, span.end().min(size));
        at = span.end();
        out.push(span);
    }
    Ok(out)
}
