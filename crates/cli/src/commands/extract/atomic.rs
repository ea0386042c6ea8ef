//! Files that appear under their name when they are whole.
//!
//! A file is written beside its place, brought to the disk, and only then given its name. All that writes or replaces files
//! for `gguf extract` is in this module.
//!
//! What is certain and what is not: without `force` the name is given by a hard link, which fails where the name is taken,
//! at whatever moment that happened. With `force`, and on file systems that know no hard links, the last look at the name
//! and the renaming are two calls to the system; a file that another process puts there between the two is replaced.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Names that are tried for the file beside its place: another process may have the same number (in a container), or have
/// left its own behind.
const TRIES: u32 = 64;

/// Why a file did not get its name.
#[derive(Debug)]
pub(super) enum Fault {
    /// There is something under the name already.
    Exists(PathBuf),
    /// Every name beside it is taken, up to this one.
    Beside(PathBuf),
    /// The system refused.
    System(PathBuf, io::Error),
}

/// A file on its way to its name; dropped before [`NewFile::finish`], it leaves nothing.
#[derive(Debug)]
pub(super) struct NewFile {
    target: PathBuf,
    /// Where the bytes are; empty when they have their name.
    beside: PathBuf,
    file: File,
}

impl NewFile {
    /// Begins the file `name` of `folder`.
    pub(super) fn create(folder: &Path, name: &Path) -> Result<Self, Fault> {
        let target = folder.join(name);
        let mut beside = PathBuf::new();
        for number in 0..TRIES {
            let number = if number == 0 { String::new() } else { format!(".{number}") };
            beside = folder.join(format!(".{}.{}{number}.part", name.display(), std::process::id()));
            match OpenOptions::new().write(true).create_new(true).open(&beside) {
                Ok(file) => return Ok(Self { target, beside, file }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(Fault::System(target, error)),
            }
        }
        Err(Fault::Beside(beside))
    }

    /// Gives the file its name. `allowed` is asked at the last moment whether what is under the name by then may be
    /// replaced; without `force` nothing is.
    pub(super) fn finish<E: From<Fault>>(
        self,
        force: bool,
        allowed: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        self.place(force, allowed, |from, to| fs::hard_link(from, to))
    }

    fn place<E: From<Fault>>(
        mut self,
        force: bool,
        allowed: impl FnOnce() -> Result<(), E>,
        link: impl FnOnce(&Path, &Path) -> io::Result<()>,
    ) -> Result<(), E> {
        let target = self.target.clone();
        let system = |error| Fault::System(target.clone(), error);
        // A name must not outlive a crash that the bytes do not.
        self.file.sync_all().map_err(system)?;
        if force {
            allowed()?;
        } else {
            match link(&self.beside, &target) {
                Ok(()) => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    return Err(Fault::Exists(target).into());
                }
                // No hard links here.
                Err(_) if is_taken(&target).map_err(system)? => return Err(Fault::Exists(target).into()),
                Err(_) => {}
            }
        }
        fs::rename(&self.beside, &target).map_err(system)?;
        // The name is free for others by now, and theirs is not ours to remove.
        self.beside = PathBuf::new();
        Ok(())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.beside.as_os_str().is_empty() {
            let _ = fs::remove_file(&self.beside);
        }
    }
}

/// Whether there is anything under a name, be it a link that leads nowhere.
pub(super) fn is_taken(path: &Path) -> io::Result<bool> {
    match path.symlink_metadata() {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("gguf-atomic-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn begun(folder: &Path) -> NewFile {
        let mut file = NewFile::create(folder, Path::new("a")).unwrap();
        file.write_all(b"new").unwrap();
        file
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn no_links(_: &Path, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    #[test]
    fn a_file_that_appears_meanwhile_is_kept() {
        let folder = folder("meanwhile");
        let target = folder.join("a");
        for links in [true, false] {
            let file = begun(&folder);
            fs::write(&target, b"theirs").unwrap();
            let allowed = || Ok::<(), Fault>(());
            let result =
                if links { file.finish(false, allowed) } else { file.place(false, allowed, no_links) };
            assert!(matches!(result, Err(Fault::Exists(path)) if path == target));
            assert_eq!(fs::read(&target).unwrap(), b"theirs");
            assert_eq!(names(&folder), ["a"]);
            fs::remove_file(&target).unwrap();
            // Where nothing appears, both ways end alike.
            let file = begun(&folder);
            assert_eq!(names(&folder).len(), 1, "nothing under the name before its end");
            let result =
                if links { file.finish(false, allowed) } else { file.place(false, allowed, no_links) };
            assert!(result.is_ok());
            assert_eq!((names(&folder), fs::read(&target).unwrap()), (vec!["a".to_owned()], b"new".to_vec()));
            fs::remove_file(&target).unwrap();
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_may_not_be_replaced_is_asked_at_the_last_moment() {
        let folder = folder("last");
        let target = folder.join("a");
        let file = begun(&folder);
        fs::write(&target, b"theirs").unwrap();
        let result = file.finish(true, || Err(Fault::Beside("no".into())));
        assert!(matches!(result, Err(Fault::Beside(path)) if path == Path::new("no")));
        assert_eq!((names(&folder), fs::read(&target).unwrap()), (vec!["a".to_owned()], b"theirs".to_vec()));
        assert!(begun(&folder).finish(true, || Ok::<(), Fault>(())).is_ok());
        assert_eq!(fs::read(&target).unwrap(), b"new");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_others_left_behind_is_no_obstacle() {
        let folder = folder("stale");
        let pid = std::process::id();
        let stale = |number: u32| match number {
            0 => folder.join(format!(".a.{pid}.part")),
            n => folder.join(format!(".a.{pid}.{n}.part")),
        };
        fs::write(stale(0), b"theirs").unwrap();
        assert!(begun(&folder).finish(false, || Ok::<(), Fault>(())).is_ok());
        assert_eq!(fs::read(folder.join("a")).unwrap(), b"new");
        assert_eq!(fs::read(stale(0)).unwrap(), b"theirs");
        for number in 1..TRIES {
            fs::write(stale(number), b"theirs").unwrap();
        }
        let result = NewFile::create(&folder, Path::new("a"));
        assert!(matches!(result, Err(Fault::Beside(path)) if path == stale(TRIES - 1)));
        fs::remove_dir_all(&folder).unwrap();
    }
}
