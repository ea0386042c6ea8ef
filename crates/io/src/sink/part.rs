//! A file that is written beside its place and appears there only when it is whole.

use std::collections::hash_map::RandomState;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};

/// Names that are tried before giving up: a second one is needed once in 2^64 times, or where somebody guesses them.
const TRIES: u32 = 8;

/// A file being written, beside the place where it will stand: `.NAME.<random>.part`.
///
/// [`PartFile::commit`] gives it its name. Until then, and when it never comes to that, nothing is at the final path:
/// dropped, the part is removed.
#[derive(Debug)]
pub struct PartFile {
    file: File,
    beside: PathBuf,
    target: PathBuf,
    done: bool,
}

impl PartFile {
    /// Begins a file that will stand at `target`, in the same folder. Nothing that exists is touched.
    ///
    /// # Errors
    /// The system's, and [`io::ErrorKind::InvalidInput`] for a path without a file name.
    pub fn create(target: impl AsRef<Path>) -> io::Result<Self> {
        let target = target.as_ref();
        let Some(name) = target.file_name() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"));
        };
        let mut tries = 0;
        loop {
            let mut beside = OsString::from(".");
            beside.push(clipped(name));
            // The hasher's keys come from the system's randomness.
            beside.push(format!(".{:016x}.part", RandomState::new().build_hasher().finish()));
            let beside = target.with_file_name(beside);
            tries += 1;
            match OpenOptions::new().write(true).create_new(true).open(&beside) {
                Ok(file) => return Ok(Self { file, beside, target: target.to_owned(), done: false }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < TRIES => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The open file; a `&File` is a [`std::io::Write`].
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Where it will stand.
    #[must_use]
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Gives the file its name. Without `replace` a file that has appeared there meanwhile stays, and this one goes.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] for a file that is there, [`io::ErrorKind::InvalidInput`] for one that is there
    /// and is no file (a device, a pipe, a folder), and the system's. The target is as it was.
    pub fn commit(mut self, replace: bool) -> io::Result<()> {
        may_stand_at(&self.target, replace)?;
        if replace {
            fs::rename(&self.beside, &self.target)?;
            self.done = true;
            return Ok(());
        }
        // A link fails where a file has appeared meanwhile; a rename would replace it. Not every file system has links.
        match fs::hard_link(&self.beside, &self.target) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            Err(_) => {
                may_stand_at(&self.target, replace)?;
                fs::rename(&self.beside, &self.target)?;
                self.done = true;
                Ok(())
            }
        }
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        if !self.done {
            let _ = fs::remove_file(&self.beside);
        }
    }
}

/// Whether a new file may stand at `target`, as far as can be told now.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] for a file that is there and not to be replaced, [`io::ErrorKind::InvalidInput`] for
/// something that is no file, and the system's.
pub(crate) fn may_stand_at(target: &Path, replace: bool) -> io::Result<()> {
    let there = match fs::symlink_metadata(target) {
        Ok(there) => there.file_type(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    match (there.is_file() || there.is_symlink(), replace) {
        (false, _) => Err(io::Error::new(io::ErrorKind::InvalidInput, "is there and is no regular file")),
        (true, false) => Err(io::ErrorKind::AlreadyExists.into()),
        (true, true) => Ok(()),
    }
}

/// So much of a name that there is room for what is put around it: names have 255 bytes.
fn clipped(name: &std::ffi::OsStr) -> OsString {
    let bytes = name.as_encoded_bytes();
    if bytes.len() <= 200 {
        return name.to_owned();
    }
    String::from_utf8_lossy(bytes).chars().take(50).collect::<String>().into()
}
