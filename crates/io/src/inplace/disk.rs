//! The steps that reach the disk, each told to a watch before it is done.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use ggufkit_format::{Shift, Span};

use super::error::InPlaceError;
use super::record::{ARMED, Hashed, Record, read_full};
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
    /// The record, all of which is on the disk, says so from here on.
    Arm,
    /// The file says under all of its names that a change of it is under way, or that none is any more.
    Mark(bool),
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
        lock(&file, path)?;
        Ok(Self { file, path: path.to_owned(), watch })
    }

    /// A file that is looked at, to take its record away, and that nobody else changes meanwhile.
    pub(super) fn look(path: &Path, watch: &'a mut Watch<'b>) -> Result<Self, InPlaceError> {
        let file = File::open(path).map_err(InPlaceError::io(path, "open"))?;
        lock(&file, path)?;
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

    /// Writes a record, with the bytes that will be lost, and waits until it is on the disk. That it is whole it says only
    /// when it is armed.
    pub(super) fn record(&mut self, to: &Path, record: &Record) -> io::Result<File> {
        // A record is never written over: it may be all that is left of somebody's bytes, or a link that somebody has put there.
        let mut kept = OpenOptions::new().read(true).write(true).create_new(true).open(to)?;
        let metadata = self.file.metadata()?;
        platform::own_as(&metadata, &kept);
        platform::copy_permissions(&metadata, &kept)?;
        let mut hashed = Hashed::new();
        let mut put = |watch: &mut Watch<'_>, bytes: &[u8]| {
            for bytes in bytes.chunks(STEP) {
                watch(Step::Record(bytes))?;
                kept.write_all(bytes)?;
                hashed.add(bytes);
            }
            Ok::<_, io::Error>(())
        };
        put(self.watch, &record.head())?;
        let mut buffer = vec![0; STEP.min(usize::try_from(record.lost_bytes()).unwrap_or(STEP))];
        for span in &record.lost {
            let mut at = span.start;
            while at < span.end() {
                let want = span.end().saturating_sub(at).min(buffer.len() as u64) as usize;
                let bytes = buffer.get_mut(..want).unwrap_or_default();
                if read_full(&self.file, bytes, at)? < want {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                put(self.watch, bytes)?;
                at = at.saturating_add(want as u64);
            }
        }
        let told = hashed.end();
        (self.watch)(Step::Record(&told))?;
        kept.write_all(&told)?;
        self.sync_record(&kept)?;
        Ok(kept)
    }

    pub(super) fn sync_record(&mut self, record: &File) -> io::Result<()> {
        self.step(Step::SyncRecord)?;
        record.sync_all()
    }

    /// Makes a record that is on the disk say so: one write within one sector.
    pub(super) fn arm(&mut self, record: &File) -> io::Result<()> {
        self.step(Step::Arm)?;
        platform::write_all_at(record, ARMED.1, ARMED.0)?;
        self.sync_record(record)
    }

    /// Marks the file as one whose change is under way, or takes the mark away, and makes that reach the disk.
    pub(super) fn mark(&mut self, mark: Option<&[u8]>) -> io::Result<()> {
        self.step(Step::Mark(mark.is_some()))?;
        platform::set_mark(&self.file, mark)?;
        self.sync()
    }

    /// Takes the mark from the file, where it has one.
    pub(super) fn unmark(&mut self) -> io::Result<()> {
        match platform::mark(&self.file) {
            Some(_) => self.mark(None),
            None => Ok(()),
        }
    }

    /// The bytes of a span of the file.
    pub(super) fn read(&self, span: Span) -> io::Result<Vec<u8>> {
        super::record::read_span(&self.file, span)?.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
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

/// Makes a file this process's alone to change, for as long as it is open.
fn lock(file: &File, path: &Path) -> Result<(), InPlaceError> {
    locked_or_not(file.try_lock(), path)
}

fn locked_or_not(locked: Result<(), TryLockError>, path: &Path) -> Result<(), InPlaceError> {
    match locked {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(InPlaceError::Busy(path.to_owned())),
        // Where there are no locks nobody can hold one.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
        Err(TryLockError::Error(error)) => Err(InPlaceError::io(path, "lock")(error)),
    }
}

/// A file that nobody changes in place while this is held.
#[derive(Debug)]
pub(crate) struct Held(#[expect(dead_code, reason = "is held")] File);

impl Held {
    /// Holds the file at `path`.
    ///
    /// # Errors
    /// [`InPlaceError::Busy`], and the system's.
    pub(crate) fn of(path: &Path) -> Result<Self, InPlaceError> {
        let file = File::open(path).map_err(InPlaceError::io(path, "open"))?;
        // Where locks are laws the file is still to be read, through other handles.
        let locked = if cfg!(unix) { file.try_lock() } else { file.try_lock_shared() };
        locked_or_not(locked, path)?;
        Ok(Self(file))
    }
}
