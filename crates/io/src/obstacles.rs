//! What stands in the way of a file that is to be written, looked for before anything is: where several are to be written,
//! none is begun that another one would stop.
//!
//! Nothing is done here, and nothing is promised: what is found here would fail later, and what fails later may not have been
//! there to be found.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::file::FileSource;
use crate::identity::FileId;
use crate::inplace::{self, InPlaceError};
use crate::platform;
use crate::route::{Route, RouteError, Way};
use crate::sink::{self, SinkError};

/// What keeps a file from being changed the way that was chosen for it: it is marked read-only, has other names, is not what
/// was read, is being changed; its folder takes no file; there is no room. `before` are the bytes that other files take of
/// that room.
///
/// # Errors
/// See [`RouteError`]: what is in the way.
pub fn of_change(route: &Route, source: &FileSource, all_names: bool, before: u64) -> Result<(), RouteError> {
    if route.way == Way::Nothing {
        return Ok(());
    }
    of_old(source, all_names && route.way.is_in_place())?;
    let needed = if route.way == Way::Copy { route.written } else { route.kept };
    room(source.path(), source.file(), before.saturating_add(needed))?;
    Ok(())
}

/// What keeps a new file of `needed` bytes from taking the place of an old one.
///
/// # Errors
/// See [`RouteError`]: what is in the way.
pub fn of_replacement(source: &FileSource, needed: u64) -> Result<(), RouteError> {
    of_old(source, false)?;
    if !platform::shares_blocks(source.file()) {
        room(source.path(), source.file(), needed)?;
    }
    Ok(())
}

/// What a file that is there has against being changed or replaced.
fn of_old(source: &FileSource, all_names: bool) -> Result<(), RouteError> {
    let path = source.path();
    let failed = |doing| InPlaceError::io(path, doing);
    let metadata = source.file().metadata().map_err(failed("look at"))?;
    if metadata.permissions().readonly() {
        return Err(InPlaceError::read_only(path).into());
    }
    if inplace::is_pending(path).map_err(failed("look beside"))? {
        return Err(InPlaceError::Pending(path.to_owned()).into());
    }
    if !source.is_at(path).map_err(failed("look at"))? || !source.is_as_opened().map_err(failed("look at"))? {
        return Err(InPlaceError::Changed(path.to_owned()).into());
    }
    let names = platform::names(&metadata);
    if names > 1 && !all_names {
        return Err(InPlaceError::Linked { path: path.to_owned(), names }.into());
    }
    let file = OpenOptions::new().read(true).write(true).open(path).map_err(failed("write to"))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(InPlaceError::Busy(path.to_owned()).into()),
        // Where there are no locks nobody can hold one.
        Err(TryLockError::Error(_)) => {}
    }
    // A record beside it, or the new file: either is a name in its folder.
    platform::may_write_in(folder(path)).map_err(failed("write beside"))?;
    Ok(())
}

/// What keeps a new file from standing at `target`: one that is there, unless it is to be `replace`d; it is one of `sources`;
/// the folder takes none, or has no room for `needed` bytes. A folder that is not there yet is taken for one that will be made
/// where `makes_folder` says so.
///
/// # Errors
/// See [`SinkError`]: what is in the way.
pub fn of_new<'a>(
    target: &Path,
    needed: u64,
    replace: bool,
    makes_folder: bool,
    sources: impl IntoIterator<Item = &'a FileSource>,
) -> Result<(), SinkError> {
    let failed = |doing: &'static str| move |error| sink::failed(target, doing, error);
    if target.file_name().is_none() {
        let error = io::Error::new(io::ErrorKind::InvalidInput, "the path names no file");
        return Err(failed("create")(error));
    }
    let there = FileId::at(target).map_err(failed("look at"))?;
    for source in sources {
        if there.is_some() && FileId::of(source).ok() == there {
            return Err(SinkError::IsSource(target.to_owned()));
        }
    }
    sink::may_stand_at(target, replace).map_err(failed("write"))?;
    let mut folder = folder(target).to_owned();
    while makes_folder && !folder.exists() {
        let above = self::folder(&folder).to_owned();
        if above == folder {
            break;
        }
        folder = above;
    }
    if !fs::metadata(&folder).map_err(failed("create"))?.is_dir() {
        return Err(failed("create")(io::ErrorKind::NotADirectory.into()));
    }
    platform::may_write_in(&folder).map_err(failed("create"))?;
    match File::open(&folder) {
        Ok(open) if !platform::shares_blocks(&open) => room(target, &open, needed),
        _ => Ok(()),
    }
}

fn room(path: &Path, there: &File, needed: u64) -> Result<(), SinkError> {
    match platform::free_space(there) {
        Some(free) if free < needed => Err(SinkError::NoRoom { path: PathBuf::from(path), needed, free }),
        _ => Ok(()),
    }
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) => Path::new("."),
        None => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_already_and_what_is_not_is_found_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a"), b"a").unwrap();
        let source = FileSource::open(path("a")).unwrap();
        let look = |name: &str, replace, makes| of_new(&path(name), 1, replace, makes, [&source]);
        assert!(look("b", false, false).is_ok());
        assert!(matches!(look("a", true, false), Err(SinkError::IsSource(_))));
        fs::write(path("b"), b"b").unwrap();
        assert!(matches!(look("b", false, false), Err(SinkError::Exists(_))));
        assert!(look("b", true, false).is_ok());
        assert!(matches!(look("new/deep/b", false, false), Err(SinkError::Write { .. })));
        assert!(look("new/deep/b", false, true).is_ok());
        assert!(matches!(look("b/c", false, true), Err(SinkError::Write { .. })));
        assert!(!path("new").exists());
        let most = of_new(&path("c"), u64::MAX, false, false, [&source]);
        assert!(most.is_ok() || matches!(most, Err(SinkError::NoRoom { .. })));
    }

    #[test]
    fn a_file_that_may_not_be_replaced_is_found_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, b"a").unwrap();
        let source = FileSource::open(&path).unwrap();
        assert!(of_replacement(&source, 1).is_ok());
        let held = File::open(&path).unwrap();
        held.lock().unwrap();
        let busy = of_replacement(&source, 1);
        assert!(matches!(busy, Err(RouteError::InPlace(InPlaceError::Busy(_)))), "{busy:?}");
        drop(held);
        // Another one is there by now.
        fs::write(folder.path().join("b"), b"b").unwrap();
        fs::rename(folder.path().join("b"), &path).unwrap();
        let changed = of_replacement(&source, 1);
        assert!(matches!(changed, Err(RouteError::InPlace(InPlaceError::Changed(_)))), "{changed:?}");
    }
}
