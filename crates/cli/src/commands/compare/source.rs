//! Safetensors files: one, or those of a folder.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use ggufkit::io::safetensors::{self, Safetensors, SafetensorsError};
use ggufkit::io::{DynSource, FileSource};
use ggufkit::values::origin::Catalog;
use serde_json::Value;

use crate::failure::{Failed, Failure};
use crate::input::refuse_pipe;
use crate::{frame, out};

/// What names the files of a folder.
const INDEX: &str = "model.safetensors.index.json";

/// The longest index that is read: some ten thousand times those of the largest models.
const MAX_INDEX: u64 = 100_000_000;

/// Files whose heads were read.
pub(super) struct Opened(Vec<(FileSource, Safetensors)>);

impl Opened {
    /// The files of a path.
    pub(super) fn at(path: &Path) -> Result<Self, Failed> {
        let files = if path.is_dir() { files_of(path)? } else { vec![path.to_owned()] };
        if files.is_empty() {
            let text = format!("{}: holds no safetensors files", out::path(path));
            return Err(failed(path, Failure::usage("no-source", text)));
        }
        files.iter().map(|file| open(file)).collect::<Result<_, _>>().map(Self)
    }

    /// Their tensors.
    pub(super) fn catalog(&self) -> Catalog<'_, DynSource> {
        Catalog::of(self.0.iter().map(|(source, head)| (source as &DynSource, head)))
    }

    /// Bytes of all of them.
    pub(super) fn size(&self) -> u64 {
        self.0.iter().fold(0, |sum: u64, (source, _)| sum.saturating_add(size(source).unwrap_or(0)))
    }

    /// The first that somebody has written to.
    pub(super) fn changed(&self) -> Option<Failed> {
        self.0.iter().find_map(|(source, _)| {
            let failure = frame::unchanged(source).err()?;
            Some(failed(source.path(), failure))
        })
    }
}

fn size(source: &FileSource) -> Option<u64> {
    use ggufkit::format::ReadAt as _;
    source.size()
}

fn failed(path: &Path, failure: Failure) -> Failed {
    Failed { path: path.to_owned(), failure }
}

fn malformed(path: &Path, code: &'static str, message: String) -> Failed {
    failed(path, Failure::Data { kind: "malformed", code, message })
}

fn open(path: &Path) -> Result<(FileSource, Safetensors), Failed> {
    if let Err(error) = refuse_pipe(path) {
        return Err(failed(path, Failure::Io(error)));
    }
    let source = frame::source(path).map_err(|error| failed(path, Failure::Io(error)))?;
    match safetensors::read(&source) {
        Ok(head) => Ok((source, head)),
        Err(SafetensorsError::Io(error)) => Err(failed(path, Failure::Io(error))),
        Err(error) => Err(malformed(path, "safetensors", error.to_string())),
    }
}

/// The files of a folder: those that its index names, or all.
fn files_of(folder: &Path) -> Result<Vec<PathBuf>, Failed> {
    let index = folder.join(INDEX);
    let system = |error: io::Error| failed(folder, Failure::Io(error));
    if index.is_file() {
        return named(&index, folder);
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(system)? {
        let path = entry.map_err(system)?.path();
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("safetensors")) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn named(index: &Path, folder: &Path) -> Result<Vec<PathBuf>, Failed> {
    let mut text = Vec::new();
    let read = fs::File::open(index).and_then(|file| file.take(MAX_INDEX).read_to_end(&mut text));
    read.map_err(|error| failed(index, Failure::Io(error)))?;
    let none = |why: &str| malformed(index, "index", format!("is no index of safetensors files: {why}"));
    // Editors of some systems put a mark of their byte order before it.
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    let document: Value = serde_json::from_slice(text).map_err(|error| none(&error.to_string()))?;
    let Some(map) = document.get("weight_map").and_then(Value::as_object) else {
        return Err(none("it has no weight_map"));
    };
    let mut names = BTreeSet::new();
    for name in map.values() {
        let plain =
            name.as_str().filter(|name| !name.is_empty() && !name.contains(['/', '\\']) && *name != "..");
        names.insert(plain.ok_or_else(|| none("a file in it is no name in this folder"))?);
    }
    Ok(names.into_iter().map(|name| folder.join(name)).collect())
}
