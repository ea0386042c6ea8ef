//! An open file.

use std::ops::Range;
use std::path::{Path, PathBuf};

use ggufkit_format::{ByteStr, Index, Kv, Options, ReadAt as _, Tensor, Value, View};
use ggufkit_inspect::{Model, Part};
use ggufkit_io::{FileSource, HeadBuffer, TensorReader, diagnose};

use crate::error::Error;

/// A GGUF file whose head was read: its metadata and tensor table are in memory, its tensor data is read when asked for.
///
/// It is `Send` and `Sync`: reading does not move a cursor, so one open file serves many threads.
#[derive(Debug)]
pub struct Gguf {
    path: PathBuf,
    source: FileSource,
    head: Vec<u8>,
    index: Index,
}

/// Opens a file and reads its head.
///
/// # Errors
/// The file cannot be read, is no GGUF, or its head is malformed, unsupported or over a limit.
pub fn open(path: impl AsRef<Path>) -> Result<Gguf, Error> {
    open_with(path, Options::new())
}

/// Opens a file, reading its head as `options` say: at an offset, with other limits, in a dialect.
///
/// # Errors
/// As [`open`].
pub fn open_with(path: impl AsRef<Path>, options: Options) -> Result<Gguf, Error> {
    let path = path.as_ref().to_owned();
    let io = |source| Error::Io { path: path.clone(), source };
    let source = FileSource::open(&path).map_err(io)?;
    let mut buffer = HeadBuffer::new();
    let outcome = buffer.read(&source, options).map_err(io)?;
    if outcome.error.is_some() {
        let diagnosis = diagnose(&source, options, &outcome, buffer.bytes()).map_err(io)?;
        if let Some(identity) = diagnosis.identity
            && outcome.index.is_none()
        {
            return Err(Error::NotGguf { path, identity: Box::new(identity) });
        }
    }
    match outcome.into_result() {
        Ok(index) => Ok(Gguf { path, source, head: buffer.into_bytes(), index }),
        Err(source) => Err(Error::Head { path, source }),
    }
}

impl Gguf {
    /// The path as it was given.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where everything is.
    #[must_use]
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The index together with the head's bytes.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View::new(&self.index, &self.head)
    }

    /// The open file.
    #[must_use]
    pub fn source(&self) -> &FileSource {
        &self.source
    }

    /// The value of the first key-value with this key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Value<'_>> {
        self.view().get(key)
    }

    /// The key-values, in file order; [`View::kvs`] gives them with their keys.
    #[must_use]
    pub fn kvs(&self) -> &[Kv] {
        self.index.kvs()
    }

    /// The tensors, in file order; [`View::tensors`] gives them with their names.
    #[must_use]
    pub fn tensors(&self) -> &[Tensor] {
        self.index.tensors()
    }

    /// The first tensor with this name.
    ///
    /// # Errors
    /// There is none.
    pub fn tensor(&self, name: &str) -> Result<&Tensor, Error> {
        let view = View::new(&self.index, &self.head);
        view.tensor(name).ok_or_else(|| Error::NoTensor { path: self.path.clone(), name: name.to_owned() })
    }

    /// Reads tensor data from this file: whole tensors, rows, or row by row in bounded memory.
    #[must_use]
    pub fn reader(&self) -> TensorReader<'_, FileSource> {
        TensorReader::new(&self.source, self.view())
    }

    /// The bytes of a tensor's data, as they stand in the file.
    ///
    /// # Errors
    /// The data does not lie within the file, or cannot be read.
    pub fn read(&self, tensor: &Tensor) -> Result<Vec<u8>, Error> {
        self.reader().read(tensor).map_err(|source| Error::Data { path: self.path.clone(), source })
    }

    /// The bytes of some rows of a tensor: `dims[0]` elements each, counted over all other dimensions.
    ///
    /// # Errors
    /// As [`Gguf::read`]; rows that do not exist, and rows of a tensor whose type is not known.
    pub fn rows(&self, tensor: &Tensor, rows: Range<u64>) -> Result<Vec<u8>, Error> {
        self.reader().rows(tensor, rows).map_err(|source| Error::Data { path: self.path.clone(), source })
    }

    /// This file as a model, for the questions of [`inspect`](crate::inspect).
    pub fn inspect<T>(&self, question: impl FnOnce(&Model<'_>) -> T) -> T {
        let part = Part {
            label: ByteStr(self.path.as_os_str().as_encoded_bytes()),
            file_name: self.path.file_name().and_then(|name| name.to_str()),
            size: self.source.size(),
            view: self.view(),
        };
        question(&Model::single(part))
    }
}
