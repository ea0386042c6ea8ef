//! One tensor on its way into a file: how much it is, where it goes, what can stop it.

use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use ggufkit::inspect::tensors::Row;
use ggufkit::io::npy::{self, Bf16, NpyError};
use ggufkit::io::sink::PartFile;
use ggufkit::io::{DataError, FileSource, TensorReader};

use crate::failure::{Failed, with_causes};
use crate::frame::Document;
use crate::out;
use crate::taken::Taken;

/// Bytes that are held of one tensor at a time.
const CHUNK: usize = 8 << 20;

/// What is done with every tensor that was chosen.
pub(super) struct Task<'a> {
    pub(super) rows: Option<(u64, u64)>,
    pub(super) npy: bool,
    pub(super) force: bool,
    /// Where the files go; `None` for standard output, and for a dry run that names no folder.
    pub(super) folder: Option<&'a Path>,
    /// The files of the model, none of which may be written to.
    pub(super) model: Taken,
    /// What is read.
    pub(super) document: &'a Document<'a>,
}

/// A tensor that was chosen.
pub(super) struct Job<'a> {
    pub(super) row: Row<'a>,
    pub(super) reader: &'a TensorReader<'a, FileSource>,
    pub(super) file: PathBuf,
}

/// What can stop one tensor from being written.
#[derive(Debug)]
pub(super) enum Trouble {
    Data(DataError),
    Npy(NpyError),
    /// The file cannot be written, or there is one already.
    File(PathBuf, io::Error),
    /// The output file's name is that of a file that is being read.
    Input(PathBuf),
    /// Somebody has written to a file while it was read.
    Changed(Failed),
    Output(io::Error),
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Data(error) => f.write_str(&with_causes(error)),
            Self::Npy(error) => f.write_str(&with_causes(error)),
            Self::File(path, error) if error.kind() == io::ErrorKind::AlreadyExists => {
                write!(f, "{} exists; --force overwrites it", out::path(path))
            }
            Self::File(path, error) => write!(f, "{}: {error}", out::path(path)),
            Self::Input(path) => {
                write!(f, "{} is the model itself: write to another folder", out::path(path))
            }
            Self::Changed(failed) => failed.fmt(f),
            Self::Output(error) => error.fmt(f),
        }
    }
}

impl From<DataError> for Trouble {
    fn from(error: DataError) -> Self {
        Self::Data(error)
    }
}

/// The files that a call reads: those that were named and all that belong to their set, whether they can be opened or not.
pub(super) fn files_of(given: &Path, document: &Document<'_>) -> Taken {
    let mut taken = Taken::default();
    document.set.iter().for_each(|set| taken.add_set(set));
    let failed = document.failures.iter().map(|failed| failed.path.as_path());
    let paths = document.parts.iter().filter_map(|part| part.path.as_deref());
    paths.chain(failed).chain([given]).for_each(|path| taken.add(path));
    document.parts.iter().filter_map(|part| part.source.as_ref()).for_each(|source| taken.add_open(source));
    taken
}

impl Task<'_> {
    /// Whether what was read by now is of one state of the model.
    pub(super) fn unchanged(&self) -> Result<(), Trouble> {
        self.document.changed().map_or(Ok(()), |failed| Err(Trouble::Changed(failed)))
    }

    /// Whether a file may be written under this name, whatever else is there.
    fn allow(&self, path: &Path) -> Result<(), Trouble> {
        match self.model.holds(path).map_err(|error| Trouble::File(path.to_owned(), error))? {
            true => Err(Trouble::Input(path.to_owned())),
            false => Ok(()),
        }
    }
}

impl Job<'_> {
    /// The rows that were asked for and exist.
    fn rows(&self, task: &Task<'_>) -> Result<Option<Range<u64>>, Trouble> {
        let Some((from, to)) = task.rows else { return Ok(None) };
        let (count, _) = self.reader.row_shape(self.row.tensor)?;
        // An open end means the last row; a start at or past the end asks for a row that does not exist.
        Ok(Some(from..if to == u64::MAX { count.max(from.saturating_add(1)) } else { to }))
    }

    /// Bytes of data that the file will have.
    pub(super) fn bytes(&self, task: &Task<'_>) -> Result<u64, Trouble> {
        let reader = self.reader;
        Ok(match self.rows(task)? {
            None => reader.extent(self.row.tensor)?.span.len,
            Some(rows) => reader.row_span(self.row.tensor, rows)?.len,
        })
    }

    /// What can be known to stop the tensor before anything is read or written.
    pub(super) fn check(&self, task: &Task<'_>) -> Result<(), Trouble> {
        if task.npy {
            let rows = self.rows(task)?;
            npy::header_of(self.reader, self.row.tensor, rows.as_ref(), Bf16::Refuse)
                .map_err(Trouble::Npy)?;
        }
        let Some(folder) = task.folder else { return Ok(()) };
        let path = folder.join(&self.file);
        task.allow(&path)?;
        let system = |error| Trouble::File(path.clone(), error);
        match path.symlink_metadata() {
            Ok(_) if !task.force => return Err(system(io::ErrorKind::AlreadyExists.into())),
            Ok(there) if there.is_dir() => return Err(system(io::ErrorKind::IsADirectory.into())),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(system(error)),
            _ => {}
        }
        Ok(())
    }

    /// Writes the data to `to`, chunk by chunk; returns the number of its bytes.
    pub(super) fn copy<W: Write + ?Sized>(&self, task: &Task<'_>, to: &mut W) -> Result<u64, Trouble> {
        let (reader, tensor, rows) = (self.reader, self.row.tensor, self.rows(task)?);
        let total = self.bytes(task)?;
        if task.npy {
            npy::write(reader, tensor, rows, Bf16::Refuse, to).map_err(Trouble::Npy)?;
            return Ok(total);
        }
        let mut chunks = match rows {
            Some(rows) => reader.row_chunks(tensor, rows, CHUNK)?,
            None => reader.chunks(tensor, CHUNK)?,
        };
        while let Some(chunk) = chunks.next_chunk() {
            to.write_all(chunk?.bytes).map_err(Trouble::Output)?;
        }
        Ok(total)
    }

    /// Writes the file of a job that passed its check.
    pub(super) fn write(&self, task: &Task<'_>, folder: &Path) -> Result<u64, Trouble> {
        let path = folder.join(&self.file);
        let system = |error| Trouble::File(path.clone(), error);
        let mut file = PartFile::create(&path).map_err(system)?;
        let bytes = self.copy(task, &mut file).map_err(|error| match error {
            // The output of this call has a name.
            Trouble::Output(error) | Trouble::Npy(NpyError::Write(error)) => system(error),
            other => other,
        })?;
        task.unchanged()?;
        file.sync().map_err(system)?;
        file.commit_if(task.force, || task.allow(&path))?.map_err(system)?;
        Ok(bytes)
    }
}
