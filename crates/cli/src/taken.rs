//! The files that a call reads, which no command writes to: under whatever name, and all of a set whether they are there.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use ggufkit::io::{FileId, FileSource, ShardSet};

/// Files that are read.
#[derive(Default)]
pub(crate) struct Taken {
    files: BTreeSet<FileId>,
    /// The sets that they belong to: a member that is missing has a name already.
    sets: Vec<ShardSet>,
}

impl Taken {
    /// Takes in the file that a path names, and the set that it belongs to by its name.
    pub(crate) fn add(&mut self, path: &Path) {
        // A name that leads to no file has none that could be lost.
        self.files.extend(FileId::at(path).ok().flatten());
        if !self.sets.iter().any(|set| is_member(set, path)) {
            ShardSet::discover(path).iter().for_each(|set| self.add_set(set));
        }
    }

    /// Takes in a file that is open, wherever its name leads by now.
    pub(crate) fn add_open(&mut self, source: &FileSource) {
        self.files.extend(FileId::of(source).ok());
    }

    /// Takes in a set.
    pub(crate) fn add_set(&mut self, set: &ShardSet) {
        let paths = set.present().chain([set.given()]);
        self.files.extend(paths.filter_map(|path| FileId::at(path).ok().flatten()));
        self.sets.push(set.clone());
    }

    /// Whether what would stand at `path` is one of the files, or one that a set of them lacks.
    ///
    /// # Errors
    /// The system's.
    pub(crate) fn holds(&self, path: &Path) -> io::Result<bool> {
        let there = FileId::at(path)?.is_some_and(|there| self.files.contains(&there));
        Ok(there || self.sets.iter().any(|set| is_member(set, path)))
    }
}

/// Whether a path names a member of a set, there or not.
fn is_member(set: &ShardSet, path: &Path) -> bool {
    let folder = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        FileId::at(folder).ok().flatten()
    };
    set.number_of(path).is_some() && folder(path).is_some_and(|here| Some(here) == folder(set.given()))
}
