//! Files that are not written by the builder: those of a crate's `tests/data`, and an optional collection beside the
//! working copy.

use std::fs;
use std::path::{Path, PathBuf};

/// A file of the corpus.
#[derive(Clone, Debug)]
pub struct File {
    /// File name without the folder.
    pub name: String,
    /// The whole path.
    pub path: PathBuf,
    /// Contents.
    pub bytes: Vec<u8>,
}

/// The workspace's folder.
#[must_use]
pub fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("a crate lies two folders below the workspace").to_path_buf()
}

/// `tests/data` of a crate; call it with `env!("CARGO_MANIFEST_DIR")`.
#[must_use]
pub fn data(manifest_dir: &str) -> PathBuf {
    Path::new(manifest_dir).join("tests").join("data")
}

/// The optional collection `shared` beside the workspace.
#[must_use]
pub fn shared() -> Option<PathBuf> {
    let folder = workspace().parent()?.join("shared");
    folder.is_dir().then_some(folder)
}

/// The files with this extension (without the dot) directly in `folder`, by name. None when there is no folder.
#[must_use]
pub fn files(folder: &Path, extension: &str) -> Vec<File> {
    let mut paths: Vec<PathBuf> = match fs::read_dir(folder) {
        Ok(entries) => entries.filter_map(|entry| Some(entry.ok()?.path())).collect(),
        Err(_) => Vec::new(),
    };
    paths.retain(|path| {
        path.is_file() && (extension.is_empty() || path.extension().is_some_and(|e| e == extension))
    });
    paths.sort();
    paths.into_iter().map(|path| read(&path)).collect()
}

/// One file. Panics with its path when it cannot be read.
#[must_use]
#[track_caller]
pub fn read(path: &Path) -> File {
    let bytes = fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    File { name, path: path.to_path_buf(), bytes }
}

/// The GGUF files of a folder of the shared collection (`"corpus"`, `"cases/files"`). Where there is none, says that
/// `test` is skipped.
#[must_use]
pub fn shared_files(folder: &str, test: &str) -> Option<Vec<File>> {
    let found = shared().map(|shared| files(&shared.join(folder), "gguf")).filter(|files| !files.is_empty());
    if found.is_none() {
        skip(test, &format!("no files in ../shared/{folder}"));
    }
    found
}

/// Says that a test is skipped, and why.
#[allow(clippy::print_stderr, reason = "the test runner shows it")]
pub fn skip(test: &str, why: &str) {
    eprintln!("skipped: {test}: {why}");
}
