//! Changing a file in place: no byte moves that need not move, and nothing is lost.
//!
//! Before the first byte of the file is touched, all that will be lost of it is written beside it and made to reach the
//! disk: the record `.NAME.ggufkit-journal`. When the change is done the record gets another name,
//! `.NAME.ggufkit-undo`; that is the moment from which the file is the new one. Whatever stops the change before, the
//! next call of [`recover`] puts the old bytes back; what stops that, the call after it. [`undo`] is the same way back,
//! taken on purpose.
//!
//! # What holds
//!
//! 1. *A byte of the file is touched only behind a record that is on the disk, name and all, and says so.* That it is whole
//!    it says by a word that is written when everything else has reached the disk; a record without the word, however long it
//!    is and whatever it holds, is of a change that has not begun. All names that were taken away before are gone for good by
//!    then.
//! 2. *The way back is gone only by a record that is proven.* It is a file itself, of the owner of the model, of this user, or
//!    of who owns the machine; its bytes are those that were written; it keeps exactly what such a change loses, so that the
//!    way back makes up no byte and no length; the file has the number and the time of birth that it names; its length is one
//!    that the change comes through; what the change does not touch is there, at its old place or its new one; and, where
//!    nothing is moved, what it does touch is the old or the new, sector by sector. (Of the bytes that stay only some are kept
//!    in mind: a file that differs in none of them becomes the old one but for what it has in between.) Where one of these
//!    fails nothing is written, and the error says which: who wants the file as it stands says so ([`discard`]).
//! 3. *A file whose change is under way is known under all of its names.* It carries a mark (an extended attribute) from before
//!    its first byte is touched until the change is done or taken back, so that a hard link, and a file that was renamed
//!    meanwhile, are not taken for whole. Where files cannot be marked those with several names are changed by one sector at
//!    most, which no one sees in part.
//! 4. *One at a time.* A change, the way back, and a new file in the place of an old one ([`replace`](crate::replace)) hold the
//!    file's lock from before they look at it until they are done.
//! 5. *Readers may trust* a file for which [`is_pending`] says no, before they read and after: [`Stamp`]s that are equal.
//!
//! # Moving
//!
//! Where a head grows or shrinks, the file system moves the data: whole blocks are put in or taken out at the seam
//! (`fallocate` on ext4 and XFS), which costs the same for any size. The kernel keeps no promise of doing that in one
//! piece when power fails. It moves one stretch after the other and carries a hole along; in a file that has no other it tells
//! how far the moving came, and is taken out.
//!
//! A change within one sector is one write, which is done or not: it needs no record to be safe. Its record is called
//! `.NAME.ggufkit-next` until it is, and tells by the bytes of that sector whether the change came to the file: where it did
//! not, the change before it is still the last.

mod back;
mod disk;
mod error;
mod exact;
mod proof;
mod record;
mod standing;

pub use back::{Change, Discarded, discard, is_before, kept_change, last_change, pending, recover, undo};
pub use disk::{Step, Watch, unwatched};
pub use error::InPlaceError;
pub use exact::exact;

use std::fs;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io;
use std::path::Path;
use std::time::SystemTime;

use ggufkit_format::{InPlace, Shift, Span};

use self::disk::Disk;
use self::proof::Id;
use self::record::Record;
use self::standing::{Standing, journal, last, next, standing};
use crate::file::FileSource;
use crate::platform;

pub(crate) use self::disk::Held;
pub(crate) use self::standing::real;

/// What disks write as one: all of it or nothing.
const SECTOR: u64 = 512;

/// The bytes that a file system moves at a time: a power of two, or `None` where it moves none.
#[must_use]
pub fn block_size(source: &FileSource) -> Option<u64> {
    platform::movable_block(source.file())
}

/// Whether a change of the file at `path` was interrupted, or is under way: its bytes are neither the old nor the new.
///
/// # Errors
/// The system's.
pub fn is_pending(path: &Path) -> io::Result<bool> {
    match real(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        other => Ok(matches!(standing(&other?)?, Standing::Pending(_) | Standing::Lost(_))),
    }
}

/// How it stands with a file's changes at one moment. What was read between two that are equal, and not of a change
/// under way, is of one file and not of two.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stamp {
    pending: bool,
    last: [Option<(Id, Option<SystemTime>)>; 2],
}

impl Stamp {
    /// How it stands now.
    ///
    /// # Errors
    /// The system's.
    pub fn of(path: &Path) -> io::Result<Self> {
        let pending = is_pending(path)?;
        let path = real(path).unwrap_or_else(|_| path.to_owned());
        let of = |record| fs::symlink_metadata(record).ok();
        let last = [last(&path), next(&path)].map(of);
        Ok(Self { pending, last: last.map(|last| last.map(|last| (Id::of(&last), last.modified().ok()))) })
    }

    /// Whether a change is under way, or was interrupted.
    #[must_use]
    pub const fn is_pending(&self) -> bool {
        self.pending
    }
}

/// What the changes have in common that are made, and taken back, together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    /// The number of the call: [`Change::id`].
    pub id: u64,
    /// How many files of one model it changes: [`Change::files`].
    pub files: u64,
}

impl Call {
    /// A call that changes so many files of a model.
    #[must_use]
    pub fn of(files: u64) -> Self {
        // The hasher's keys come from the system's randomness.
        let id = std::collections::hash_map::RandomState::new().build_hasher().finish().max(1);
        Self { id, files }
    }
}

/// Lets go of what was kept to take the last change of the file at `path` back, and of records that were set aside; the value
/// is how many bytes these had. What is kept of a change under way stays.
///
/// # Errors
/// See [`InPlaceError`].
pub fn forget(path: &Path) -> Result<u64, InPlaceError> {
    let path = &match real(path) {
        // What was kept of a file that is gone can go too.
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
        other => other.map_err(InPlaceError::at(path))?,
    };
    let failed = |doing| InPlaceError::io(path, doing);
    if standing(path).map_err(failed("look beside"))? == Standing::Stale {
        // Without the record nobody could tell that the change which the mark is of was done.
        let mut watch = unwatched;
        Disk::look(path, &mut watch)?.unmark().map_err(failed("write to"))?;
    }
    delete_idle(path).map_err(failed("delete what is beside"))
}

fn delete_idle(path: &Path) -> io::Result<u64> {
    let mut bytes = 0_u64;
    for record in standing::idle(path) {
        let metadata = match fs::symlink_metadata(&record) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            other => other?,
        };
        fs::remove_file(&record)?;
        bytes = bytes.saturating_add(metadata.len());
    }
    Ok(bytes)
}

/// A file was put at `path`: what is kept beside it there is of another one, which is gone or has another name by now.
pub(crate) fn settle(path: &Path) {
    // Where it does not go it is of no use: it names the file that it was made for.
    let _ = fs::remove_file(last(path));
    let _ = fs::remove_file(next(path));
    let journal = journal(path);
    if standing::is_there(&journal).unwrap_or(false)
        && let Ok(aside) = standing::aside(path)
    {
        let _ = fs::rename(journal, aside);
    }
}

/// Changes the file that `source` was opened from; `all_names` permits that other names of it change with it. `call` is what this
/// change has in common with others.
///
/// # Errors
/// See [`InPlaceError`].
pub fn change(
    how: &InPlace,
    source: &FileSource,
    all_names: bool,
    call: Call,
    watch: &mut Watch<'_>,
) -> Result<(), InPlaceError> {
    let path = &real(source.path()).map_err(InPlaceError::at(source.path()))?;
    let failed = |doing| InPlaceError::io(path, doing);
    let mut disk = Disk::open(path, watch)?;
    match standing(path).map_err(failed("look beside"))? {
        Standing::Quiet => {}
        Standing::Stale => disk.unmark().map_err(failed("write to"))?,
        Standing::Pending(_) | Standing::Lost(_) => return Err(InPlaceError::Pending(path.to_owned())),
    }
    let metadata = disk.file.metadata().map_err(failed("look at"))?;
    let size = metadata.len();
    if !source.is_at(path).map_err(failed("look at"))? || !source.is_as_opened().map_err(failed("look at"))? {
        return Err(InPlaceError::Changed(path.to_owned()));
    }
    let names = platform::names(&metadata);
    if names > 1 && !all_names {
        return Err(InPlaceError::Linked { path: path.to_owned(), names });
    }
    back::settle_next(&mut disk)?;
    // From here on through the handle that has the lock: where locks are laws no other one reads.
    let writes = exact::writes(how, &mut |span| disk.read(span)).map_err(failed("read"))?;
    if writes.is_empty() && how.shift.is_none() && how.len == size {
        return Ok(());
    }
    let pieces = how.writes.iter().map(|(at, piece)| (*at, piece.clone())).collect();
    let lost = InPlace::new(how.shift, pieces, how.len, size).lost;
    let block = platform::movable_block(&disk.file);
    let stays =
        proof::stays(&disk.file, size, &lost, how.shift, block.unwrap_or(SECTOR)).map_err(failed("read"))?;
    let record = Record {
        change: call.id,
        files: call.files,
        time: SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |now| now.as_secs()),
        id: Id::of(&metadata),
        size,
        len: how.len,
        shift: how.shift,
        stays,
        new: writes.iter().map(|(at, bytes)| Span::new(*at, bytes.len() as u64)).collect(),
        hashes: proof::hashes(&writes),
        lost,
    };
    if let ([(at, bytes)], None) = (writes.as_slice(), how.shift)
        && how.len == size
        && at / SECTOR == at.saturating_add(bytes.len() as u64).saturating_sub(1) / SECTOR
    {
        return within_sector(&mut disk, &record, *at, bytes);
    }
    if let Some(shift) = how.shift {
        // Bytes that were not given a place on the disk yet are no data to the file system.
        disk.sync().map_err(failed("sync"))?;
        let (Shift::Insert(span) | Shift::Remove(span)) = shift;
        // In a file with holes the one that is carried through could not be told from the others.
        let dense = back::segments(&disk.file, span.start, size).map_err(failed("look at"))?;
        if block.is_none() || dense != [Span::between(span.start, size)] {
            return Err(InPlaceError::Unmovable(path.to_owned()));
        }
    }
    begin(&mut disk, &record, names)?;
    if let Err((doing, source)) = forward(&mut disk, &record, &writes) {
        let unmovable = doing == MOVE && is_unsupported(&source);
        let journal = journal(path);
        let kept = standing::read(&journal, &disk.file, true).ok().flatten();
        return Err(match kept.map(|kept| back::go_back(&mut disk, &kept, &journal)) {
            Some(Ok(())) if unmovable => InPlaceError::Unmovable(path.to_owned()),
            Some(Ok(())) => InPlaceError::Io { path: path.to_owned(), doing, source },
            _ => InPlaceError::Interrupted { path: path.to_owned(), source },
        });
    }
    let durable = disk.sync_folder();
    // Without the mark sooner or later: the record that is left says that the change was done.
    let _ = disk.unmark();
    durable.map_err(|source| InPlaceError::NotDurable { path: path.to_owned(), source })
}

/// A change that the disk makes as one. Its record takes the place of that of the change before when it is done: until then
/// it is that one which can be taken back.
fn within_sector(
    disk: &mut Disk<'_, '_>,
    record: &Record,
    at: u64,
    bytes: &[u8],
) -> Result<(), InPlaceError> {
    let path = disk.path.clone();
    let next = next(&path);
    if fs::symlink_metadata(last(&path)).is_ok_and(|there| there.is_dir()) {
        // The record could not have its name in the end.
        let source = io::ErrorKind::IsADirectory.into();
        return Err(InPlaceError::Io { path, doing: "write beside", source });
    }
    // A name that was taken away must not come back with the power, and undo the change before this one under it.
    if let Err(source) = disk.record(&next, record).and_then(|_| disk.sync_folder()) {
        let _ = disk.remove(&next);
        return Err(InPlaceError::Io { path, doing: "write beside", source });
    }
    let written = disk.write(at, bytes).map_err(InPlaceError::io(&path, "write"));
    let durable = written.is_ok().then(|| disk.sync_bytes());
    // Where this fails it is known by its bytes which of the two records is the last one's.
    let _ = back::settle_next(disk);
    written?;
    durable.unwrap_or(Ok(())).map_err(|source| InPlaceError::NotDurable { path, source })
}

const MOVE: &str = "move the bytes of";

fn is_unsupported(error: &io::Error) -> bool {
    // A block that the system names may not be the one that the file system moves by.
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput)
}

/// Puts the record beside the file, and the mark on it: everything before the first byte is touched.
fn begin(disk: &mut Disk<'_, '_>, record: &Record, names: u64) -> Result<(), InPlaceError> {
    let path = disk.path.clone();
    let journal = journal(&path);
    let failed = |source| InPlaceError::Io { path: path.clone(), doing: "write beside", source };
    let begun = (|| {
        let kept = disk.record(&journal, record).map_err(failed)?;
        disk.sync_folder().map_err(failed)?;
        if !back::mark_file(disk, record, &journal)? && names > 1 {
            return Err(InPlaceError::Unmarkable { path: path.clone(), names });
        }
        disk.arm(&kept).map_err(failed)
    })();
    if begun.is_err() {
        // Nothing was done to the file yet.
        let _ = disk.unmark();
        let _ = disk.remove(&journal);
    }
    begun
}

/// Everything between the record and the moment from which the file is the new one.
fn forward(
    disk: &mut Disk<'_, '_>,
    record: &Record,
    writes: &[(u64, Vec<u8>)],
) -> Result<(), (&'static str, io::Error)> {
    if let Some(shift) = record.shift {
        disk.shift(shift).map_err(|error| (MOVE, error))?;
    }
    for (at, bytes) in writes {
        disk.write(*at, bytes).map_err(|error| ("write", error))?;
    }
    disk.resize(record.len).map_err(|error| ("resize", error))?;
    disk.sync().map_err(|error| ("sync", error))?;
    let (from, to) = (journal(&disk.path), last(&disk.path));
    disk.rename(&from, &to).map_err(|error| ("write beside", error))
}
