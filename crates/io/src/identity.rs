//! Which file a path leads to, whatever the file is called.

use std::io;
use std::path::Path;

use crate::file::FileSource;
use crate::platform::{self, Identity};

/// What all names of one file have in common: links, other spellings. Equal for two paths that lead to the same file.
///
/// ```no_run
/// use ggufkit_io::FileId;
///
/// let same = FileId::at("a.gguf".as_ref())? == FileId::at("link-to-a.gguf".as_ref())?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileId(Identity);

impl FileId {
    /// The file that `path` leads to; `None` where it leads to none: nothing is there, or a link that cannot be followed.
    /// The file is not opened, so that this needs no permission to read it.
    ///
    /// # Errors
    /// The system's.
    pub fn at(path: &Path) -> io::Result<Option<Self>> {
        match std::fs::metadata(path) {
            Ok(metadata) => platform::identity(&metadata, path).map(|identity| Some(Self(identity))),
            Err(error) => match path.symlink_metadata() {
                // Something is there and cannot be asked about: a link to nothing, to itself, to a closed folder.
                Ok(_) => Ok(None),
                Err(none) if none.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(_) => Err(error),
            },
        }
    }

    /// The file that standard output was sent to; `None` where it is none that holds bytes (a pipe, a terminal), and on
    /// systems that do not tell.
    ///
    /// # Errors
    /// The system's.
    pub fn of_stdout() -> io::Result<Option<Self>> {
        Ok(platform::stream_identity(&io::stdout())?.map(Self))
    }

    /// The same for standard input.
    ///
    /// # Errors
    /// The system's.
    pub fn of_stdin() -> io::Result<Option<Self>> {
        Ok(platform::stream_identity(&io::stdin())?.map(Self))
    }

    /// The file that is open, wherever its name leads by now.
    ///
    /// # Errors
    /// The system's.
    pub fn of(source: &FileSource) -> io::Result<Self> {
        Self::of_file(source.file(), source.path())
    }

    /// The same for a file that is or will be at `path`.
    pub(crate) fn of_file(file: &std::fs::File, path: &Path) -> io::Result<Self> {
        platform::identity(&file.metadata()?, path).map(Self)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn links_that_lead_nowhere_lead_to_no_file() {
        let held = tempfile::tempdir().unwrap();
        let folder = held.path();
        let (file, link, circle) = (folder.join("file"), folder.join("link"), folder.join("circle"));
        std::fs::write(&file, b"x").unwrap();
        std::os::unix::fs::symlink("file", &link).unwrap();
        std::os::unix::fs::symlink("circle", &circle).unwrap();
        let id = FileId::at(&file).unwrap();
        assert!(id.is_some());
        assert_eq!(FileId::at(&link).unwrap(), id);
        assert_eq!(FileId::at(&circle).unwrap(), None);
        assert_eq!(FileId::at(&folder.join("nothing")).unwrap(), None);
        // What is open stays what it is, under any name.
        let source = FileSource::open(&file).unwrap();
        std::fs::rename(&file, folder.join("moved")).unwrap();
        assert_eq!(Some(FileId::of(&source).unwrap()), id);
        assert_eq!(FileId::at(&link).unwrap(), None);
        assert_eq!(FileId::at(&folder.join("moved")).unwrap(), id);
    }
}
