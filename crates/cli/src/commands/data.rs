//! The files of a model as places of data: who holds which tensor, and how much may be read of all together.

use std::path::PathBuf;

use ggufkit::inspect::tensors::Row;
use ggufkit::io::{DynSource, FileSource, TensorReader};
use ggufkit::values::{NoValues, Weights};

use crate::frame::{Document, PartDoc};

/// The files whose heads could be read, by the numbers that a model's tensors have them under.
pub(super) struct Files<'d, 'a> {
    pub(super) parts: Vec<&'d PartDoc<'a>>,
    document: &'d Document<'a>,
}

impl<'d, 'a> Files<'d, 'a> {
    pub(super) fn of(document: &'d Document<'a>) -> Self {
        Self { parts: document.parts.iter().filter(|part| part.index().is_some()).collect(), document }
    }

    pub(super) fn source(&self, file: usize) -> Option<&'d FileSource> {
        self.parts.get(file).and_then(|part| part.source.as_ref())
    }

    /// The name of a file; that of the input for one that has none.
    pub(super) fn path(&self, file: usize) -> PathBuf {
        let path = self.parts.get(file).and_then(|part| part.path.clone());
        path.unwrap_or_else(|| self.document.given.to_owned())
    }

    /// Bytes of all of them, as far as these are known.
    pub(super) fn size(&self) -> u64 {
        self.parts.iter().fold(0, |sum: u64, part| sum.saturating_add(part.size.unwrap_or(0)))
    }

    /// Whether the data can be read at all: that of a pipe has passed by when it is known where it is.
    pub(super) fn are_seekable(&self) -> bool {
        self.parts.iter().all(|part| part.source.as_ref().is_some_and(|source| source.is_seekable()))
    }

    /// The values of a tensor.
    pub(super) fn weights(&self, row: &Row<'_>) -> Result<Weights<'d, DynSource>, NoValues> {
        let none = || NoValues::NoDecoding { name: row.name.0.into(), ty: row.tensor_type() };
        let part = self.parts.get(row.part_index);
        let (source, view) =
            part.and_then(|part| Some((part.source.as_ref()?, part.view()?))).ok_or_else(none)?;
        let source: &DynSource = source;
        Weights::of(source, &TensorReader::new(source, view), row.tensor)
    }
}

/// Bytes that may be read: nobody may make us read more than there is, and tensors may claim the same bytes over and over.
pub(super) struct Budget(u64);

impl Budget {
    pub(super) fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    /// Takes so many; false where there are not so many left, and none is taken.
    pub(super) fn take(&mut self, bytes: u64) -> bool {
        let left = self.0.checked_sub(bytes);
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}
