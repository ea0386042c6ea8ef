//! What is judged: a file, or the files of a split model, as the rooms below have read them.

use std::io;

use ggufkit_format::{ByteStr, ParseError, ReadAt, View};
use ggufkit_inspect::Part;
use ggufkit_io::{Diagnosis, ShardProblem, ShardSet};

/// Where a file's bytes can be asked for.
pub type Source = dyn ReadAt<Error = io::Error> + Sync;

/// A file of the subject.
#[derive(Clone, Copy)]
pub struct File<'a> {
    /// What it is called, byte for byte: its path as given, or `-`.
    pub label: ByteStr<'a>,
    /// Its name without folders, where it has one.
    pub file_name: Option<&'a str>,
    /// Its length in bytes, where that is known.
    pub size: Option<u64>,
    /// What was read of its head; `None` when not even the header could be.
    pub view: Option<View<'a>>,
    /// What ended the reading of its head.
    pub error: Option<&'a ParseError>,
    /// What else was noticed about it.
    pub diagnosis: &'a Diagnosis,
    /// Its bytes, where they can be asked for again.
    pub source: Option<&'a Source>,
}

/// A file, or the files of a split model.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The files that could be opened. Never empty where there is something to judge.
    pub files: &'a [File<'a>],
    /// The set that they belong to, by their names.
    pub set: Option<&'a ShardSet>,
    /// What keeps the files from being a set.
    pub problems: &'a [ShardProblem],
}

impl<'a> Subject<'a> {
    /// A single file.
    #[must_use]
    pub const fn single(file: &'a File<'a>) -> Self {
        Self { files: core::slice::from_ref(file), set: None, problems: &[] }
    }

    /// What a file is called, harmless for a terminal; empty for a number that no file has.
    pub(crate) fn shown(&self, file: usize) -> String {
        self.files.get(file).map(|file| file.label.display().to_string()).unwrap_or_default()
    }

    /// The path of a file, byte for byte.
    pub(crate) fn path(&self, file: usize) -> &'a [u8] {
        self.files.get(file).map(|file| file.label.0).unwrap_or_default()
    }

    /// The files whose header could be read, as the rooms below know them.
    pub(crate) fn parts(&self) -> Vec<Part<'a>> {
        let part = |file: &File<'a>| {
            Some(Part { label: file.label, file_name: file.file_name, size: file.size, view: file.view? })
        };
        self.files.iter().filter_map(part).collect()
    }
}
