//! One tensor on its way into a file: how much it is, where it goes, what can stop it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use ggufkit::format::ReadAt as _;
use ggufkit::inspect::json::JsonText;
use ggufkit::inspect::tensors::Row;
use ggufkit::io::npy::{self, Bf16, NpyError};
use ggufkit::io::{DataError, FileSource, TensorReader};
use serde_json::{Value, json};

use crate::json;
use crate::out;

/// Bytes that are held of one tensor at a time.
const CHUNK: usize = 8 << 20;

/// A tensor that was chosen, and what became of it.
pub(super) struct Job<'a> {
    pub(super) row: Row<'a>,
    pub(super) reader: &'a TensorReader<'a, FileSource>,
    /// The files of the model, none of which may be written to.
    pub(super) sources: &'a [&'a FileSource],
    pub(super) rows: Option<(u64, u64)>,
    pub(super) file: PathBuf,
}

/// What can stop one tensor from being written.
#[derive(Debug)]
pub(super) enum Trouble {
    Data(DataError),
    Npy(NpyError),
    File(PathBuf, io::Error),
    /// The output file's name is that of a file that is being read.
    Input(PathBuf),
    Output(io::Error),
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Data(error) => error.fmt(f),
            Self::Npy(error) => error.fmt(f),
            Self::File(path, error) if error.kind() == io::ErrorKind::AlreadyExists => {
                write!(f, "{} exists; --force overwrites it", out::path(path))
            }
            Self::File(path, error) => write!(f, "{}: {error}", out::path(path)),
            Self::Input(path) => {
                write!(f, "{} is the model itself: write to another folder", out::path(path))
            }
            Self::Output(error) => error.fmt(f),
        }
    }
}

impl From<DataError> for Trouble {
    fn from(error: DataError) -> Self {
        Self::Data(error)
    }
}

impl Job<'_> {
    /// The rows that were asked for and exist.
    fn rows(&self) -> Result<Option<Range<u64>>, Trouble> {
        let Some((from, to)) = self.rows else { return Ok(None) };
        let (count, _) = self.reader.row_shape(self.row.tensor)?;
        // An open end means the last row; a start at or past the end asks for a row that does not exist.
        Ok(Some(from..if to == u64::MAX { count.max(from.saturating_add(1)) } else { to }))
    }

    /// Bytes of data that the file will have.
    pub(super) fn bytes(&self) -> Result<u64, Trouble> {
        let reader = self.reader;
        Ok(match self.rows()? {
            None => reader.extent(self.row.tensor)?.span.len,
            Some(rows) => reader.row_span(self.row.tensor, rows)?.len,
        })
    }

    /// Bytes of all files of the model.
    pub(super) fn bytes_there(&self) -> u64 {
        self.sources.iter().fold(0, |sum, source| sum.saturating_add(source.size().unwrap_or(u64::MAX)))
    }

    /// Writes the data to `to`, chunk by chunk; returns the number of its bytes.
    pub(super) fn copy<W: Write + ?Sized>(&self, npy: bool, to: &mut W) -> Result<u64, Trouble> {
        let (reader, tensor, rows) = (self.reader, self.row.tensor, self.rows()?);
        let total = self.bytes()?;
        if npy {
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

    /// Writes the file: beside its place first, under its name when it is whole.
    pub(super) fn write(&self, folder: &Path, npy: bool, force: bool) -> Result<u64, Trouble> {
        let path = folder.join(&self.file);
        let trouble = |error| Trouble::File(path.clone(), error);
        for source in self.sources {
            if source.is_at(&path).map_err(trouble)? {
                return Err(Trouble::Input(path));
            }
        }
        if !force && path.symlink_metadata().is_ok() {
            return Err(trouble(io::ErrorKind::AlreadyExists.into()));
        }
        let beside = folder.join(format!(".{}.{}.part", self.file.display(), std::process::id()));
        let file = OpenOptions::new().write(true).create_new(true).open(&beside).map_err(trouble)?;
        let filled = self.fill(&file, npy).map_err(|error| match error {
            // The output of this call has a name.
            Trouble::Output(error) | Trouble::Npy(NpyError::Write(error)) => trouble(error),
            other => other,
        });
        let result = filled.and_then(|bytes| {
            if force {
                fs::rename(&beside, &path).map_err(trouble)?;
            } else {
                // A link fails where a file has appeared meanwhile; a rename would replace it.
                fs::hard_link(&beside, &path)
                    .or_else(|error| match error.kind() {
                        io::ErrorKind::AlreadyExists => Err(error),
                        _ => fs::rename(&beside, &path),
                    })
                    .map_err(trouble)?;
            }
            Ok(bytes)
        });
        // Gone already where it was renamed.
        let _ = fs::remove_file(&beside);
        result
    }

    fn fill(&self, mut file: &File, npy: bool) -> Result<u64, Trouble> {
        self.copy(npy, &mut file)
    }

    pub(super) fn json(&self, result: &Result<u64, String>) -> Value {
        json!({
            "name": JsonText(self.row.name), "type": self.row.tensor_type().to_string(), "shape": self.row.dims,
            "offset": self.row.data, "file": json::path(&self.file), "rows": self.rows.map(|(a, b)| [a, b]),
            "bytes": result.as_ref().ok(), "sizing": self.row.sizing, "error": result.as_ref().err(),
        })
    }
}
