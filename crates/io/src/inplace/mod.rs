//! Changing a file in place: no byte moves that need not move, and nothing is lost.
//!
//! Before the first byte of the file is touched, all that will be lost of it is written beside it and made to reach the
//! disk: the record `.NAME.ggufkit-journal`. When the change is done the record gets another name,
//! `.NAME.ggufkit-undo`; that is the moment from which the file is the new one. Whatever stops the change before, the
//! next call of [`recover`] puts the old bytes back; what stops that, the call after it. [`undo`] is the same way back,
//! taken on purpose.
//!
//! Where a head grows or shrinks, the file system moves the data: whole blocks are put in or taken out at the seam
//! (`fallocate` on ext4 and XFS), which costs the same for any size. The kernel keeps no promise of doing that in one
//! piece when power fails. It moves one stretch after the other and carries a hole along; in a file that has no other it tells
//! how far the moving came, and is taken out.
//!
//! A change within one sector is one write, which is done or not: it needs no record to be safe, and is not held up by
//! one.

mod disk;
mod error;
mod record;

pub use disk::{Step, Watch, unwatched};
pub use error::InPlaceError;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use ggufkit_format::{InPlace, Piece, ReadAt as _, Shift, Span};

use self::disk::Disk;
use self::record::{Record, Unread, hash};
use crate::file::{FileSource, read_full};
use crate::platform;

/// What disks write as one: all of it or nothing.
const SECTOR: u64 = 512;

/// The bytes that a file system moves at a time: a power of two, or `None` where it moves none.
#[must_use]
pub fn block_size(source: &FileSource) -> Option<u64> {
    platform::movable_block(source.file())
}

fn journal(path: &Path) -> PathBuf {
    Disk::beside(path, "journal")
}

fn last(path: &Path) -> PathBuf {
    Disk::beside(path, "undo")
}

/// The file that a path leads to: what is kept beside it stands where it is, not where a link to it is.
fn real(path: &Path) -> io::Result<PathBuf> {
    match fs::symlink_metadata(path)?.is_symlink() {
        true => fs::canonicalize(path),
        false => Ok(path.to_owned()),
    }
}

/// Whether a change of the file at `path` was interrupted, or is under way: its bytes are neither the old nor the new.
///
/// # Errors
/// The system's.
pub fn is_pending(path: &Path) -> io::Result<bool> {
    let path = match real(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        other => other?,
    };
    match fs::symlink_metadata(journal(&path)) {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// Lets go of what was kept to take the last change of the file at `path` back.
pub(crate) fn forget(path: &Path) {
    // Whether or not it goes, it is of no use: it names the file that it was made for.
    let _ = fs::remove_file(last(path));
}

/// Changes the file that `source` was opened from; `all_names` permits that other names of it change with it.
///
/// # Errors
/// See [`InPlaceError`].
pub fn change(
    how: &InPlace,
    source: &FileSource,
    all_names: bool,
    watch: &mut Watch<'_>,
) -> Result<(), InPlaceError> {
    let path = source.path();
    let failed = |doing| InPlaceError::io(path, doing);
    let mut disk = Disk::open(path, watch)?;
    if is_pending(path).map_err(failed("look beside"))? {
        return Err(InPlaceError::Pending(path.to_owned()));
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
    let writes = writes(how, source).map_err(failed("read"))?;
    if writes.is_empty() && how.shift.is_none() && how.len == size {
        return Ok(());
    }
    let new = writes.iter().map(|(at, bytes)| (Span::new(*at, bytes.len() as u64), hash(bytes))).collect();
    let mut record = Record {
        inode: platform::inode(&metadata),
        size,
        len: how.len,
        shift: how.shift,
        new,
        lost: Vec::new(),
    };
    for span in &how.lost {
        record.lost.push((span.start, read(source, *span).map_err(failed("read"))?));
    }
    if let ([(at, bytes)], None) = (writes.as_slice(), how.shift)
        && how.len == size
        && at / SECTOR == at.saturating_add(bytes.len() as u64).saturating_sub(1) / SECTOR
    {
        let kept = disk.record(&last(path), &record.encode(), false);
        kept.map_err(failed("write beside"))?;
        disk.write(*at, bytes).map_err(failed("write"))?;
        return disk
            .sync_bytes()
            .map_err(|source| InPlaceError::NotDurable { path: path.to_owned(), source });
    }
    if let Some(shift) = how.shift {
        // Bytes that were not given a place on the disk yet are no data to the file system.
        disk.sync().map_err(failed("sync"))?;
        let (Shift::Insert(span) | Shift::Remove(span)) = shift;
        // In a file with holes the one that is carried through could not be told from the others.
        let dense = segments(&disk.file, span.start, size).map_err(failed("look at"))?;
        if block_size(source).is_none() || dense != [Span::between(span.start, size)] {
            return Err(InPlaceError::Unmovable(path.to_owned()));
        }
    }
    if let Err(source) = disk.record(&journal(path), &record.encode(), true) {
        // Nothing was done to the file yet.
        let _ = disk.remove(&journal(path));
        return Err(InPlaceError::Io { path: path.to_owned(), doing: "write beside", source });
    }
    if let Err((doing, source)) = forward(&mut disk, &record, &writes) {
        let unmovable = doing == MOVE && is_unsupported(&source);
        return Err(match go_back(&mut disk, &record) {
            Ok(()) if unmovable => InPlaceError::Unmovable(path.to_owned()),
            Ok(()) => InPlaceError::Io { path: path.to_owned(), doing, source },
            Err(_) => InPlaceError::Interrupted { path: path.to_owned(), source },
        });
    }
    disk.sync_folder().map_err(|source| InPlaceError::NotDurable { path: path.to_owned(), source })
}

const MOVE: &str = "move the bytes of";

fn is_unsupported(error: &io::Error) -> bool {
    // A block that the system names may not be the one that the file system moves by.
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput)
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

/// Takes back what an interrupted change did to the file at `path`; false when none was interrupted.
///
/// # Errors
/// See [`InPlaceError`]; the record stays where it is then.
pub fn recover(path: &Path, watch: &mut Watch<'_>) -> Result<bool, InPlaceError> {
    let path = &real(path).map_err(InPlaceError::at(path))?;
    let failed = |doing| InPlaceError::io(path, doing);
    let journal = journal(path);
    let damaged = || InPlaceError::Damaged(journal.clone());
    if !is_pending(path).map_err(failed("look beside"))? {
        return Ok(false);
    }
    let mut disk = Disk::open(path, watch)?;
    let bytes = match disk::read_record(&journal) {
        // Who had the file until now is done with it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        other => other.map_err(failed("read what is beside"))?.ok_or_else(damaged)?,
    };
    match Record::decode(&bytes) {
        Ok(record) => {
            if record.inode != platform::inode(&disk.file.metadata().map_err(failed("look at"))?) {
                return Err(damaged());
            }
            back(&mut disk, &record)?;
        }
        // It is whole on the disk before the file is touched.
        Err(Unread::Short) => {
            disk.remove(&journal).and_then(|()| disk.sync_folder()).map_err(failed("write beside"))?;
        }
        Err(Unread::Damaged) => return Err(damaged()),
    }
    Ok(true)
}

/// Takes back the last change of the file at `path`, which then is what it was before it.
///
/// # Errors
/// See [`InPlaceError`]: [`InPlaceError::NothingToUndo`] when there was none, [`InPlaceError::Changed`] when something
/// else has changed the file since.
pub fn undo(path: &Path, watch: &mut Watch<'_>) -> Result<(), InPlaceError> {
    let path = &real(path).map_err(InPlaceError::at(path))?;
    let failed = |doing| InPlaceError::io(path, doing);
    let (journal, last) = (journal(path), last(path));
    let mut disk = Disk::open(path, watch)?;
    if is_pending(path).map_err(failed("look beside"))? {
        return Err(InPlaceError::Pending(path.to_owned()));
    }
    let damaged = || InPlaceError::Damaged(last.clone());
    let bytes = match disk::read_record(&last) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(InPlaceError::NothingToUndo(path.to_owned()));
        }
        other => other.map_err(failed("read what is beside"))?.ok_or_else(damaged)?,
    };
    let record = Record::decode(&bytes).map_err(|_| damaged())?;
    let metadata = disk.file.metadata().map_err(failed("look at"))?;
    let mut same = record.inode == platform::inode(&metadata) && record.len == metadata.len();
    for (span, told) in &record.new {
        same =
            same && read_file(&disk.file, *span).map_err(failed("read"))?.is_some_and(|b| hash(&b) == *told);
    }
    if !same {
        return Err(InPlaceError::Changed(path.to_owned()));
    }
    disk.rename(&last, &journal).map_err(failed("write beside"))?;
    disk.sync_folder().map_err(failed("write beside"))?;
    back(&mut disk, &record)
}

fn back(disk: &mut Disk<'_, '_>, record: &Record) -> Result<(), InPlaceError> {
    let path = disk.path.clone();
    go_back(disk, record).map_err(|source| InPlaceError::Interrupted { path, source })
}

/// Makes the file what it was, from wherever it is between then and what it was to be.
fn go_back(disk: &mut Disk<'_, '_>, record: &Record) -> io::Result<()> {
    if let Some(shift) = record.shift {
        move_back(disk, record, shift)?;
    }
    for (at, bytes) in &record.lost {
        disk.write(*at, bytes)?;
    }
    disk.resize(record.size)?;
    disk.sync()?;
    let journal = journal(&disk.path);
    disk.remove(&journal)?;
    disk.sync_folder()
}

/// Moves the bytes back that were moved, or those of them that were.
fn move_back(disk: &mut Disk<'_, '_>, record: &Record, shift: Shift) -> io::Result<()> {
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
/// sets out. All else behind that is data, so there is one hole at most; where there is none it is still at the seam, or has
/// been filled there. At the end of the file the hole begins with the first whole block behind it.
fn hole(file: &File, seam: Span, size: u64) -> io::Result<u64> {
    let now = segments(file, seam.start, size)?;
    let behind = |at: u64| Span::between(at.saturating_add(seam.len), size);
    let at_seam = now.iter().map(|one| Span::between(one.start.max(seam.end()), one.end()));
    if at_seam
        .filter(|one| !one.is_empty())
        .eq([behind(seam.start)].into_iter().filter(|one| !one.is_empty()))
    {
        return Ok(seam.start);
    }
    let at = now
        .first()
        .filter(|first| first.start == seam.start)
        .map(|first| first.end())
        .ok_or_else(lost_track)?;
    let expected = [Span::between(seam.start, at), behind(at)];
    match now.iter().eq(expected.iter().filter(|one| !one.is_empty())) {
        true => Ok(at),
        false => Err(lost_track()),
    }
}

/// Where a file of `size` bytes has data, from `at` on: the first three stretches tell all that is asked.
fn segments(file: &File, at: u64, size: u64) -> io::Result<Vec<Span>> {
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

/// The same change, without the writes of what will stand there anyway once the bytes are moved: whole sectors, and bytes at both ends.
///
/// # Errors
/// The source's.
pub fn exact(how: &InPlace, source: &FileSource) -> io::Result<InPlace> {
    let mut out: Vec<(u64, Vec<u8>)> = Vec::new();
    let mut old = Vec::new();
    // Bytes at the end of the last write that stand there already.
    let mut spare = 0;
    let trim = |out: &mut Vec<(u64, Vec<u8>)>, spare: &mut usize| {
        if let Some((_, last)) = out.last_mut() {
            last.truncate(last.len().saturating_sub(std::mem::take(spare)));
        }
    };
    for (mut at, bytes) in writes(how, source)? {
        let mut bytes = bytes.as_slice();
        while !bytes.is_empty() {
            // Up to the next sector, within which the bytes have all moved alike or not.
            let left = SECTOR.saturating_sub(at % SECTOR) as usize;
            let (now, rest) = bytes.split_at(left.min(bytes.len()));
            old.clear();
            if let Some(stood) = how.shift.map_or(Some(at), |shift| shift.old_position(at)) {
                old.resize(now.len(), 0);
                let there = read_full(source, &mut old, stood)?;
                old.truncate(there);
            }
            let alike =
                |pairs: &mut dyn Iterator<Item = (&u8, &u8)>| pairs.take_while(|(a, b)| a == b).count();
            let before = alike(&mut now.iter().zip(&old));
            let behind = match old.len() == now.len() {
                true => alike(&mut now.iter().rev().zip(old.iter().rev())),
                false => 0,
            };
            match out.last_mut() {
                _ if before == now.len() => trim(&mut out, &mut spare),
                Some((start, last)) if start.saturating_add(last.len() as u64) == at => {
                    last.extend_from_slice(now);
                    spare = behind;
                }
                _ => {
                    trim(&mut out, &mut spare);
                    out.push((
                        at.saturating_add(before as u64),
                        now.get(before..).unwrap_or_default().to_vec(),
                    ));
                    spare = behind;
                }
            }
            at = at.saturating_add(now.len() as u64);
            bytes = rest;
        }
    }
    trim(&mut out, &mut spare);
    let writes = out.into_iter().map(|(at, bytes)| (at, Piece::Literal(bytes))).collect();
    Ok(InPlace::new(how.shift, writes, how.len, source.size().unwrap_or(u64::MAX)))
}

/// What is written, as bytes; neighbours are one.
fn writes(how: &InPlace, source: &FileSource) -> io::Result<Vec<(u64, Vec<u8>)>> {
    let mut out: Vec<(u64, Vec<u8>)> = Vec::new();
    for (at, piece) in &how.writes {
        let bytes = match piece {
            Piece::Literal(bytes) => bytes.clone(),
            Piece::Zeros(n) => vec![0; usize::try_from(*n).map_err(io::Error::other)?],
            Piece::Copy(span) => read(source, *span)?,
        };
        match out.last_mut() {
            Some((start, last)) if start.saturating_add(last.len() as u64) == *at => last.extend(bytes),
            _ => out.push((*at, bytes)),
        }
    }
    Ok(out)
}

fn read(source: &FileSource, span: Span) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(span.len).map_err(io::Error::other)?];
    match read_full(source, &mut bytes, span.start)? == bytes.len() {
        true => Ok(bytes),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

fn read_file(file: &File, span: Span) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = vec![0; usize::try_from(span.len).map_err(io::Error::other)?];
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match platform::read_at(file, rest, span.start.saturating_add(filled as u64)) {
            Ok(0) => return Ok(None),
            Ok(n) => filled = filled.saturating_add(n),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Some(bytes))
}
