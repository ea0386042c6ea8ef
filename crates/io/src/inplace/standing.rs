//! What stands beside a file, and what a file says of itself: whether a change of it is under way.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::disk::Disk;
use super::error::InPlaceError;
use super::proof::Id;
use super::record::{Kept, Unread};
use crate::platform;

const JOURNAL: &str = "journal";
const UNDO: &str = "undo";
const NEXT: &str = "next";
const ASIDE: &str = "aside";

/// The record of a change that is under way.
pub(super) fn journal(path: &Path) -> PathBuf {
    Disk::beside(path, JOURNAL)
}

/// The record of the last change that was done.
pub(super) fn last(path: &Path) -> PathBuf {
    Disk::beside(path, UNDO)
}

/// The record of a change within one sector, from before it is done until it is known to be.
pub(super) fn next(path: &Path) -> PathBuf {
    Disk::beside(path, NEXT)
}

/// A free name for a record that is of no use and that nobody wants to lose.
pub(super) fn aside(path: &Path) -> io::Result<PathBuf> {
    for n in 1..1000 {
        let name = Disk::beside(path, &if n == 1 { ASIDE.to_owned() } else { format!("{ASIDE}-{n}") });
        if !is_there(&name)? {
            return Ok(name);
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// All records beside a file that are of no change under way.
pub(super) fn idle(path: &Path) -> Vec<PathBuf> {
    let asides = (2..1000).map(|n| Disk::beside(path, &format!("{ASIDE}-{n}")));
    let asides = asides.take_while(|path| is_there(path).unwrap_or(false));
    [last(path), next(path), Disk::beside(path, ASIDE)].into_iter().chain(asides).collect()
}

/// Whether something has this name.
pub(super) fn is_there(path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// The file that a path leads to: what is kept beside it stands where it is, not where a link to it is.
pub(crate) fn real(path: &Path) -> io::Result<PathBuf> {
    match fs::symlink_metadata(path)?.is_symlink() {
        true => fs::canonicalize(path),
        false => Ok(path.to_owned()),
    }
}

/// How it stands with a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Standing {
    /// No change of it is under way.
    Quiet,
    /// The change that it is marked for was done or taken back; the mark was left.
    Stale,
    /// A change of it is under way or was interrupted: this is the record.
    Pending(PathBuf),
    /// The same, and the record is not in the folder.
    Lost(PathBuf),
}

/// How it stands with the file at `path`, which is no link.
pub(super) fn standing(path: &Path) -> io::Result<Standing> {
    let own = journal(path);
    if is_there(&own)? {
        return Ok(Standing::Pending(own));
    }
    let Some(mark) = platform::path_mark(path) else { return Ok(Standing::Quiet) };
    let Some((change, name)) = unmark(&mark) else { return Ok(Standing::Lost(own)) };
    // Under the name that the file had then, or has too.
    let record = path.with_file_name(name);
    if is_there(&record)? {
        return Ok(Standing::Pending(record));
    }
    let done = name.strip_suffix(JOURNAL).map(|name| path.with_file_name(format!("{name}{UNDO}")));
    let id = Id::of(&fs::metadata(path)?);
    let is_done = |last: &Path| {
        let file = platform::open_record(last, false).ok().flatten();
        // That the change of another file was done says nothing of a copy which was made meanwhile.
        let is = |kept: Kept| kept.record.change == change && kept.record.id.is(id);
        file.is_some_and(|file| Kept::read(file, true).is_ok_and(is))
    };
    Ok(match done.iter().chain([&last(path)]).any(|last| is_done(last)) {
        true => Standing::Stale,
        false => Standing::Lost(record),
    })
}

/// Whether a record is the one of this file, to be taken away: it has the file's name, or it is what the file's mark names
/// and says that it is of this file. A copy has the mark of the file that it was made of.
pub(super) fn is_ours(record: &Path, path: &Path, disk: &fs::File) -> bool {
    let is_of = || {
        let kept = Kept::read(platform::open_record(record, false).ok().flatten()?, false).ok()?;
        Some(kept.record.id.is(Id::of(&disk.metadata().ok()?)))
    };
    record == journal(path) || is_of().unwrap_or(false)
}

/// What a file is marked with: the change, and the name of its record.
pub(super) fn mark(change: u64, record: &Path) -> Option<Vec<u8>> {
    let name = record.file_name()?.to_str()?;
    Some(format!("{change:016x} {name}").into_bytes())
}

/// What a mark says. The name is one of a record, in the folder of the file, whoever has written it.
fn unmark(mark: &[u8]) -> Option<(u64, &str)> {
    let (change, name) = std::str::from_utf8(mark).ok()?.split_once(' ')?;
    let plain = name.starts_with('.') && !name.contains(['/', '\\']) && name.ends_with(".ggufkit-journal");
    Some((u64::from_str_radix(change, 16).ok()?, name)).filter(|_| plain)
}

/// Reads a record of the file that is open, where it is a file of somebody who may change that file.
pub(super) fn read(record: &Path, disk: &fs::File, armed: bool) -> Result<Option<Kept>, InPlaceError> {
    let failed = InPlaceError::io(record, "read");
    let foreign = || InPlaceError::Foreign(record.to_owned());
    let file = platform::open_record(record, true).or_else(|error| match error.kind() {
        // Whoever only looks needs no more.
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            platform::open_record(record, false)
        }
        _ => Err(error),
    });
    let file = file.map_err(&failed)?.ok_or_else(foreign)?;
    let owner = platform::owner(&file.metadata().map_err(&failed)?);
    // Who owns the machine could write to the file itself.
    let good = [platform::owner(&disk.metadata().map_err(&failed)?), platform::euid(), 0];
    if !good.contains(&owner) {
        return Err(foreign());
    }
    match Kept::read(file, armed) {
        Ok(kept) => Ok(Some(kept)),
        Err(Unread::Short) => Ok(None),
        Err(Unread::Damaged) => Err(InPlaceError::Damaged(record.to_owned())),
        Err(Unread::Io(error)) => Err(failed(error)),
    }
}
