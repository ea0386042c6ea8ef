//! A file as a source of bytes, read by position.

use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ggufkit_format::ReadAt;

use crate::identity::FileId;
use crate::platform;

/// Any source of bytes whose errors are the system's, for code that should not be compiled once per kind of source.
pub type DynSource = dyn ReadAt<Error = io::Error> + Send + Sync;

/// A file opened for reading.
///
/// Reads are positioned: no cursor moves, so one `FileSource` serves many readers and threads. The file is never opened
/// for writing. Its length is taken once, at opening; a file that shrinks later gives short reads and never a hang.
///
/// ```no_run
/// use ggufkit_format::Options;
/// use ggufkit_io::{FileSource, HeadBuffer};
///
/// let source = FileSource::open("model.gguf")?;
/// let mut buffer = HeadBuffer::new();
/// let outcome = buffer.read(&source, Options::new())?;
/// println!("{} tensors", outcome.index.map_or(0, |index| index.tensors().len()));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct FileSource {
    file: File,
    path: PathBuf,
    size: Option<u64>,
    modified: Option<std::time::SystemTime>,
    /// Bytes that were read from a file that is only read in order.
    passed: Mutex<u64>,
}

impl FileSource {
    /// Opens the file at `path`, following symbolic links.
    ///
    /// # Errors
    /// The system's, and [`io::ErrorKind::IsADirectory`] for a directory, on every platform.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let mut file = match File::open(path) {
            Ok(file) => file,
            // Some systems refuse to open a directory, with an error that does not say why.
            Err(_) if path.is_dir() => return Err(is_a_directory()),
            Err(error) => return Err(error),
        };
        let metadata = file.metadata()?;
        let size = if metadata.is_dir() {
            return Err(is_a_directory());
        } else if metadata.is_file() {
            // What a system makes up when it is read (/proc, /sys) says that it has no length; such a file is read in
            // order, like a pipe. A file that is empty has no byte here.
            let made_up = metadata.len() == 0 && matches!(platform::read_at(&file, &mut [0], 0), Ok(1));
            (!made_up).then_some(metadata.len())
        } else if platform::is_block_device(&metadata) {
            Some(file.seek(SeekFrom::End(0))?)
        } else {
            None
        };
        let modified = metadata.modified().ok();
        Ok(Self { file, path: path.to_path_buf(), size, modified, passed: Mutex::new(0) })
    }

    /// The path as it was given to [`FileSource::open`].
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether bytes can be read at any position. Pipes, terminals, character devices and files that the system makes up as
    /// they are read (`/proc`) have no known length and are read in order only: reading at a position that was passed is an error of kind
    /// [`NotSeekable`](io::ErrorKind::NotSeekable). [`HeadBuffer`](crate::HeadBuffer) reads in order.
    #[must_use]
    pub fn is_seekable(&self) -> bool {
        self.size.is_some()
    }

    /// Whether `path` names this very file, under this name or another (a link, another spelling); false when nothing is
    /// there.
    ///
    /// # Errors
    /// The system's.
    pub fn is_at(&self, path: &Path) -> io::Result<bool> {
        Ok(FileId::at(path)? == Some(FileId::of(self)?))
    }

    /// Whether the file has the length and the time of its last change that it had when it was opened.
    pub(crate) fn is_as_opened(&self) -> io::Result<bool> {
        let now = self.file.metadata()?;
        Ok(Some(now.len()) == self.size && now.modified().ok() == self.modified)
    }

    /// Whether somebody has written to the file since it was opened, by its length and the time of its last change: what was
    /// read by then may be of two states of it that never were together. Of what is no file (a pipe, a device) nothing is
    /// told, and it counts as unchanged.
    ///
    /// # Errors
    /// The system's.
    pub fn is_changed(&self) -> io::Result<bool> {
        let is_file = self.size.is_some() && self.file.metadata()?.is_file();
        Ok(is_file && !self.is_as_opened()?)
    }

    pub(crate) fn into_file(self) -> File {
        self.file
    }

    /// The open file; a `&File` is a [`std::io::Read`].
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }
}

impl FileSource {
    /// Reads at `offset` by reading everything before it away.
    fn read_on(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut passed = self.passed.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(skip) = offset.checked_sub(*passed) else {
            return Err(io::Error::new(
                io::ErrorKind::NotSeekable,
                format!("byte {offset} is gone: a pipe is read once, in order"),
            ));
        };
        let mut file = &self.file;
        let skipped = io::copy(&mut file.take(skip), &mut io::sink())?;
        *passed = passed.saturating_add(skipped);
        if skipped < skip {
            return Ok(0);
        }
        loop {
            match file.read(buf) {
                Ok(n) => {
                    *passed = passed.saturating_add(n as u64);
                    return Ok(n);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

fn is_a_directory() -> io::Error {
    io::Error::new(io::ErrorKind::IsADirectory, "is a directory, not a file")
}

impl ReadAt for FileSource {
    type Error = io::Error;

    fn size(&self) -> Option<u64> {
        self.size
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        if self.size.is_none() {
            return self.read_on(buf, offset);
        }
        loop {
            match platform::read_at(&self.file, buf, offset) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => return other,
            }
        }
    }
}

/// Fills `buf` with the bytes from `offset` on.
///
/// # Errors
/// [`io::ErrorKind::UnexpectedEof`] where the source ends before that; others of the source.
pub fn read_exact_at<S>(source: &S, buf: &mut [u8], offset: u64) -> io::Result<()>
where
    S: ReadAt<Error = io::Error> + ?Sized,
{
    match read_full(source, buf, offset)? {
        got if got == buf.len() => Ok(()),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// Reads until `buf` is full or the source ends; returns the number of bytes read. Interrupted calls are repeated.
///
/// # Errors
/// Those of the source; what was read before one is lost.
pub fn read_full<S>(source: &S, buf: &mut [u8], offset: u64) -> io::Result<usize>
where
    S: ReadAt<Error = io::Error> + ?Sized,
{
    let mut filled = 0;
    while let Some(rest) = buf.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        let Some(at) = offset.checked_add(filled as u64) else { break };
        match source.read_at(rest, at) {
            Ok(0) => break,
            Ok(n) => filled += n.min(rest.len()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
