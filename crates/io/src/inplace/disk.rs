//! The steps that reach the disk, each told to a watch before it is done.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use ggufkit_format::Shift;

use super::error::InPlaceError;
use crate::platform;

/// Bytes that are written at once.
const STEP: usize = 1 << 20;

/// What is about to be done.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Step<'a> {
    /// What was written to the file before reaches the disk.
    SyncFile,
    /// Some of the record of how the file was is written beside it.
    Record(&'a [u8]),
    /// The record reaches the disk.
    SyncRecord,
    /// Bytes of the file are moved.
    Shift(Shift),
    /// Bytes of the file are written.
    Write {
        /// Where.
        at: u64,
        /// What.
        bytes: &'a [u8],
    },
    /// The file gets this length.
    Resize(u64),
    /// The record gets another name: the change is done, or is to be taken back.
    Rename,
    /// The record is removed: the file is as it was.
    Remove,
    /// The names beside the file reach the disk.
    SyncFolder,
}

/// Who is told before each step; an error stops the change, and the file becomes what it was.
pub type Watch<'a> = dyn FnMut(Step<'_>) -> io::Result<()> + 'a;

/// A watch that looks on.
///
/// # Errors
/// None.
pub fn unwatched(_: Step<'_>) -> io::Result<()> {
    Ok(())
}

/// A file that is open for changes, and nobody else's.
pub(super) struct Disk<'a, 'b> {
    pub(super) file: File,
    pub(super) path: PathBuf,
    watch: &'a mut Watch<'b>,
}

impl<'a, 'b> Disk<'a, 'b> {
    pub(super) fn open(path: &Path, watch: &'a mut Watch<'b>) -> Result<Self, InPlaceError> {
        let failed = InPlaceError::io(path, "write to");
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(&failed)?;
        if file.metadata().map_err(&failed)?.permissions().readonly() {
            // Who may do everything is asked to say so by making the file writable.
            return Err(InPlaceError::read_only(path));
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(InPlaceError::Busy(path.to_owned())),
            // Where there are no locks nobody can hold one.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        Ok(Self { file, path: path.to_owned(), watch })
    }

    /// Where a record of this file stands: of a change that is under way, or of the last one that was done.
    pub(super) fn beside(path: &Path, kind: &str) -> PathBuf {
        let name = path.file_name().unwrap_or_default();
        let mut beside = std::ffi::OsString::from(".");
        // Names have 255 bytes; of two long ones that begin alike the hash is another.
        match name.to_str() {
            _ if name.len() <= 200 => beside.push(name),
            Some(text) => beside.push(text.chars().take(40).collect::<String>()),
            None => {}
        }
        if name.len() > 200 {
            beside.push(format!(".{:016x}", super::record::hash(name.as_encoded_bytes())));
        }
        beside.push(".ggufkit-");
        beside.push(kind);
        path.with_file_name(beside)
    }

    fn step(&mut self, step: Step<'_>) -> io::Result<()> {
        (self.watch)(step)
    }

    pub(super) fn size(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    pub(super) fn sync(&mut self) -> io::Result<()> {
        self.step(Step::SyncFile)?;
        self.file.sync_all()
    }

    /// The same, of bytes in a file whose length is the same.
    pub(super) fn sync_bytes(&mut self) -> io::Result<()> {
        self.step(Step::SyncFile)?;
        self.file.sync_data()
    }

    pub(super) fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let mut at = at;
        for bytes in bytes.chunks(STEP) {
            self.step(Step::Write { at, bytes })?;
            platform::write_all_at(&self.file, bytes, at)?;
            at = at.saturating_add(bytes.len() as u64);
        }
        Ok(())
    }

    pub(super) fn resize(&mut self, len: u64) -> io::Result<()> {
        if self.size()? == len {
            return Ok(());
        }
        self.step(Step::Resize(len))?;
        self.file.set_len(len)
    }

    pub(super) fn shift(&mut self, shift: Shift) -> io::Result<()> {
        self.step(Step::Shift(shift))?;
        match shift {
            Shift::Insert(span) => platform::insert_range(&self.file, span.start, span.len),
            Shift::Remove(span) => platform::collapse_range(&self.file, span.start, span.len),
        }
    }

    /// Writes a record; `durable` waits until it is on the disk, name and all.
    pub(super) fn record(&mut self, to: &Path, bytes: &[u8], durable: bool) -> io::Result<()> {
        // A record under way is never replaced: it may be all that is left of somebody's bytes. One of a change that was
        // done goes first, so that nothing is written through a link that somebody has put there.
        if !durable {
            remove_file(to)?;
        }
        let mut file = OpenOptions::new().write(true).create_new(true).open(to)?;
        platform::copy_permissions(&self.file.metadata()?, &file)?;
        for bytes in bytes.chunks(STEP) {
            self.step(Step::Record(bytes))?;
            file.write_all(bytes)?;
        }
        if durable {
            self.step(Step::SyncRecord)?;
            file.sync_all()?;
            self.sync_folder()?;
        }
        Ok(())
    }

    pub(super) fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        self.step(Step::Rename)?;
        fs::rename(from, to)
    }

    pub(super) fn remove(&mut self, path: &Path) -> io::Result<()> {
        self.step(Step::Remove)?;
        remove_file(path)
    }

    pub(super) fn sync_folder(&mut self) -> io::Result<()> {
        self.step(Step::SyncFolder)?;
        platform::sync_folder(&self.path)
    }
}

fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The bytes of a record; `None` where what has its name is no file: a link, a pipe that would never end.
pub(super) fn read_record(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::symlink_metadata(path)?.is_file() {
        true => fs::read(path).map(Some),
        false => Ok(None),
    }
}
