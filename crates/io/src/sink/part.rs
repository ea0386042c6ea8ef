//! A file that is written beside its place and appears there only when it is whole.

use std::collections::hash_map::RandomState;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::identity::FileId;
use crate::inplace::{self, Held, InPlaceError};
use crate::platform;

/// Names that are tried before giving up: a second one is needed once in 2^64 times, or where somebody guesses them.
const TRIES: u32 = 8;

/// A file being written, in the folder where it will stand.
///
/// [`PartFile::commit`] gives it its name. Until then, and when it never comes to that, nothing is at the final path.
///
/// On Linux, where the file system can do so (ext4, xfs, btrfs, tmpfs and others), it has no name at all until then: whatever
/// ends the process (an interrupt, `kill -9`, a loss of power), the system takes the bytes away. That needs no handler of
/// signals, which a library could not install behind its program's back and which no `kill -9` would wait for. Elsewhere
/// it is called `.NAME.<random>.part`; dropped, it is removed, and what a killed process leaves is removed by the next one that
/// needs such a name for the same file: who writes one holds it.
#[derive(Debug)]
pub struct PartFile {
    file: File,
    /// Its name for the time being, where it has one.
    beside: Option<PathBuf>,
    /// That name stays when it comes to nothing.
    stays: bool,
    target: PathBuf,
}

impl PartFile {
    /// Begins a file that will stand at `target`, in the same folder. Nothing that exists is touched.
    ///
    /// # Errors
    /// The system's, and [`io::ErrorKind::InvalidInput`] for a path without a file name.
    pub fn create(target: impl AsRef<Path>) -> io::Result<Self> {
        let target = target.as_ref();
        if target.file_name().is_none() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"));
        }
        match platform::nameless(target.parent().unwrap_or(Path::new(""))) {
            Some(file) => {
                // Held before it has a name, so that no other process takes it for a dead one's.
                let _ = file.try_lock();
                Ok(Self { file, beside: None, stays: false, target: target.to_owned() })
            }
            None => Self::named(target),
        }
    }

    /// The same with a name for the time being.
    fn named(target: &Path) -> io::Result<Self> {
        let (file, beside) = beside(target, claim)?;
        Ok(Self { file, beside: Some(beside), stays: false, target: target.to_owned() })
    }

    /// A file that has a name beside its place already, and keeps it until it is put there.
    pub(super) fn kept(file: File, beside: PathBuf, target: &Path) -> Self {
        Self { file, beside: Some(beside), stays: true, target: target.to_owned() }
    }

    /// The open file; a `&File` is a [`std::io::Write`].
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// What will tell that a path leads to this file.
    pub(crate) fn id(&self) -> io::Result<FileId> {
        FileId::of_file(&self.file, &self.target)
    }

    /// Gives the file the permissions of another one, as of the file that it is to replace.
    ///
    /// # Errors
    /// The system's.
    pub fn permit_as(&self, other: &std::fs::Metadata) -> io::Result<()> {
        platform::copy_permissions(other, self.file())
    }

    /// Makes the file as much like another as this process may: owner, group, permissions, attributes.
    pub(crate) fn be_as(&self, other: &File) -> io::Result<()> {
        let metadata = other.metadata()?;
        platform::own_as(&metadata, self.file());
        platform::copy_permissions(&metadata, self.file())?;
        // Access lists are among them, and permissions would be written over them.
        platform::attributes(other, self.file());
        Ok(())
    }

    /// Makes the bytes reach the disk. A name must not outlive a loss of power that the bytes do not.
    ///
    /// # Errors
    /// The system's.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    /// Gives the file its name. Without `replace` a file that has appeared there meanwhile stays, and this one goes.
    ///
    /// What is certain and what is not: without `replace` the name is given by a hard link, which fails where the name is
    /// taken, at whatever moment that happened. With it, and on file systems that know no hard links, the last look at the
    /// name and the renaming are two calls to the system; a file that another process puts there between them is replaced.
    /// A file without a name gets one beside its place for the moment between these calls.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] for a file that is there, [`io::ErrorKind::InvalidInput`] for one that is there
    /// and is no file (a device, a pipe, a folder), and the system's. The target is as it was.
    pub fn commit(self, replace: bool) -> io::Result<()> {
        match self.commit_if(replace, || Ok::<(), std::convert::Infallible>(())) {
            Ok(result) => result,
            Err(never) => match never {},
        }
    }

    /// The same, asking at the last moment whether what is there by then may be replaced.
    ///
    /// # Errors
    /// What `allowed` says; inside, what [`PartFile::commit`] says.
    pub fn commit_if<E>(
        self,
        replace: bool,
        allowed: impl FnOnce() -> Result<(), E>,
    ) -> Result<io::Result<()>, E> {
        self.place(replace, false, allowed, Self::link)
    }

    /// The same over a file that is held.
    pub(crate) fn commit_held<E>(self, allowed: impl FnOnce() -> Result<(), E>) -> Result<io::Result<()>, E> {
        self.place(true, true, allowed, Self::link)
    }

    /// Gives it one more name, which must be free.
    fn link(&self, to: &Path) -> io::Result<()> {
        match &self.beside {
            Some(beside) => fs::hard_link(beside, to),
            None => platform::give_name(&self.file, to),
        }
    }

    fn place<E>(
        mut self,
        replace: bool,
        held: bool,
        allowed: impl FnOnce() -> Result<(), E>,
        link: impl Fn(&Self, &Path) -> io::Result<()>,
    ) -> Result<io::Result<()>, E> {
        // What is replaced is not changed in place at this moment: that would be a change of nothing.
        let held = match fs::symlink_metadata(&self.target) {
            Ok(there) if replace && !held && there.is_file() => match Held::of(&self.target) {
                Err(InPlaceError::Busy(_)) => {
                    let text = "it is being changed by another process";
                    return Ok(Err(io::Error::new(io::ErrorKind::ResourceBusy, text)));
                }
                // Who may not read a file may still put another in its place.
                other => other.ok(),
            },
            _ => None,
        };
        if replace {
            allowed()?;
        } else {
            match link(&self, &self.target) {
                Ok(()) => {
                    self.stays = false;
                    inplace::settle(&self.target);
                    return Ok(Ok(()));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(Err(error)),
                // No hard links here.
                Err(_) => {}
            }
        }
        let renamed = may_stand_at(&self.target, replace).and_then(|()| {
            let from = match &self.beside {
                Some(beside) => beside.clone(),
                None => {
                    let ((), beside) = beside(&self.target, |path| link(&self, path))?;
                    self.beside.insert(beside).clone()
                }
            };
            fs::rename(from, &self.target)
        });
        if renamed.is_ok() {
            // The name beside is free for others by now, and theirs is not ours to remove.
            self.beside = None;
            inplace::settle(&self.target);
        }
        drop(held);
        Ok(renamed)
    }
}

/// A new file that this process holds.
fn claim(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().write(true).create_new(true).open(path)?;
    let held = !matches!(file.try_lock(), Err(TryLockError::WouldBlock));
    // Another process that clears up may have been quicker than the lock.
    let there = fs::symlink_metadata(path).is_ok();
    if held && there { Ok(file) } else { Err(io::ErrorKind::AlreadyExists.into()) }
}

/// What names beside a target begin with: `.NAME.`.
fn start_of(target: &Path) -> OsString {
    let mut start = OsString::from(".");
    start.push(clipped(target.file_name().unwrap_or_default()));
    start.push(".");
    start
}

/// What they end in, behind 16 digits.
const END: &str = ".part";

/// Removes what killed processes have left beside a target: files of this user by the names that [`beside`] gives, which nobody
/// holds.
fn sweep(target: &Path) {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let start = start_of(target);
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name();
        let random = name.as_encoded_bytes().strip_prefix(start.as_encoded_bytes());
        let random = random.and_then(|rest| rest.strip_suffix(END.as_bytes()));
        if !random.is_some_and(|random| random.len() == 16 && random.iter().all(u8::is_ascii_hexdigit)) {
            continue;
        }
        let path = entry.path();
        let Ok(Some(file)) = platform::open_record(&path, false) else { continue };
        let own = file.metadata().is_ok_and(|there| platform::owner(&there) == platform::euid());
        if own && file.try_lock().is_ok() {
            let _ = fs::remove_file(path);
        }
    }
}

/// Makes something under a free name beside `target`: `.NAME.<random>.part`.
fn beside<T>(target: &Path, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(T, PathBuf)> {
    sweep(target);
    let start = start_of(target);
    let mut tries = 0;
    loop {
        let mut beside = start.clone();
        // The hasher's keys come from the system's randomness.
        beside.push(format!("{:016x}{END}", RandomState::new().build_hasher().finish()));
        let beside = target.with_file_name(beside);
        tries += 1;
        match make(&beside) {
            Ok(made) => return Ok((made, beside)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < TRIES => {}
            Err(error) => return Err(error),
        }
    }
}

impl Write for PartFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        if let Some(beside) = self.beside.as_ref().filter(|_| !self.stays) {
            let _ = fs::remove_file(beside);
        }
    }
}

/// Whether a new file may stand at `target`, as far as can be told now.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] for a file that is there and not to be replaced, [`io::ErrorKind::InvalidInput`] for
/// something that is no file, and the system's.
pub(crate) fn may_stand_at(target: &Path, replace: bool) -> io::Result<()> {
    let there = match fs::symlink_metadata(target) {
        Ok(there) => there.file_type(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    // A link is replaced itself; one that leads to a device or a folder, or is the system's, stands for that, and stays.
    let leads_to_file =
        || fs::metadata(target).map_or(true, |there| there.is_file()) && !platform::is_by_the_system(target);
    match (there.is_file() || (there.is_symlink() && leads_to_file()), replace) {
        (false, _) => Err(io::Error::new(io::ErrorKind::InvalidInput, "is there and is no regular file")),
        (true, false) => Err(io::ErrorKind::AlreadyExists.into()),
        (true, true) => Ok(()),
    }
}

/// So much of a name that there is room for what is put around it: names have 255 bytes.
fn clipped(name: &std::ffi::OsStr) -> OsString {
    let bytes = name.as_encoded_bytes();
    if bytes.len() <= 200 {
        return name.to_owned();
    }
    String::from_utf8_lossy(bytes).chars().take(50).collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_device_or_a_folder_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        for (name, to, free) in
            [("null", "/dev/null", false), ("folder", ".", false), ("nowhere", "nothing", true)]
        {
            let link = folder.path().join(name);
            std::os::unix::fs::symlink(to, &link).unwrap();
            assert_eq!(may_stand_at(&link, true).is_ok(), free, "{name}");
        }
    }

    /// `/dev/stdout` leads to `/proc/self/fd/1`: to a file, where standard output does, and is the system's all the same.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_link_that_the_system_makes_up_is_not_replaced() {
        use std::os::fd::AsRawFd as _;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, b"x").unwrap();
        let open = File::open(&file).unwrap();
        let made_up = PathBuf::from(format!("/proc/self/fd/{}", open.as_raw_fd()));
        let [stdout, other, plain, gone] =
            ["stdout", "other", "plain", "gone"].map(|name| folder.path().join(name));
        std::os::unix::fs::symlink(&made_up, &stdout).unwrap();
        std::os::unix::fs::symlink("stdout", &other).unwrap();
        std::os::unix::fs::symlink("file", &plain).unwrap();
        std::os::unix::fs::symlink("/dev/shm/ggufkit-is-not-there", &gone).unwrap();
        for (path, free) in
            [(&made_up, false), (&stdout, false), (&other, false), (&plain, true), (&gone, true)]
        {
            assert_eq!(may_stand_at(path, true).is_ok(), free, "{path:?}");
        }
    }

    /// A file that was begun, without a name where that can be, and with one.
    fn begun(folder: &Path, nameless: bool) -> PartFile {
        let target = folder.join("a");
        let file = if nameless { PartFile::create(&target) } else { PartFile::named(&target) };
        let mut file = file.unwrap();
        file.write_all(b"new").unwrap();
        file
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn no_links(_: &PartFile, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn yes() -> Result<(), &'static str> {
        Ok(())
    }

    #[test]
    fn a_file_that_appears_meanwhile_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a");
        for (nameless, links) in [(true, true), (false, true), (false, false)] {
            let finish = |file: PartFile| {
                let result =
                    if links { file.commit_if(false, yes) } else { file.place(false, false, yes, no_links) };
                result.unwrap()
            };
            let file = begun(folder.path(), nameless);
            fs::write(&target, b"theirs").unwrap();
            assert_eq!(finish(file).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
            assert_eq!(fs::read(&target).unwrap(), b"theirs");
            assert_eq!(names(folder.path()), ["a"]);
            fs::remove_file(&target).unwrap();
            // Where nothing appears, all ways end alike.
            let file = begun(folder.path(), nameless);
            let there = usize::from(file.beside.is_some());
            assert_eq!(names(folder.path()).len(), there, "nothing under the name before its end");
            assert!(!target.exists());
            finish(file).unwrap();
            assert_eq!(
                (names(folder.path()), fs::read(&target).unwrap()),
                (vec!["a".to_owned()], b"new".to_vec())
            );
            fs::remove_file(&target).unwrap();
        }
    }

    #[test]
    fn what_may_not_be_replaced_is_asked_at_the_last_moment() {
        for nameless in [true, false] {
            let folder = tempfile::tempdir().unwrap();
            let target = folder.path().join("a");
            let file = begun(folder.path(), nameless);
            fs::write(&target, b"theirs").unwrap();
            assert_eq!(file.commit_if(true, || Err("no")).unwrap_err(), "no");
            assert_eq!(
                (names(folder.path()), fs::read(&target).unwrap()),
                (vec!["a".to_owned()], b"theirs".to_vec())
            );
            begun(folder.path(), nameless).commit_if(true, yes).unwrap().unwrap();
            assert_eq!(
                (names(folder.path()), fs::read(&target).unwrap()),
                (vec!["a".to_owned()], b"new".to_vec())
            );
            // A folder at the place is no file to replace, and nothing is left beside it.
            fs::remove_file(&target).unwrap();
            fs::create_dir(&target).unwrap();
            begun(folder.path(), nameless).commit_if(true, yes).unwrap().unwrap_err();
            assert_eq!(names(folder.path()), ["a"]);
        }
    }

    #[test]
    fn what_killed_processes_have_left_goes_and_what_is_held_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        // Left by a dead process, held by a living one, somebody's own, and another file's.
        let [dead, living, own, other] = [
            ".a.0123456789abcdef.part",
            ".a.0123456789abcde0.part",
            ".a.notes.part",
            ".b.0123456789abcdef.part",
        ];
        for name in [dead, living, own, other] {
            fs::write(path(name), name).unwrap();
        }
        let held = File::open(path(living)).unwrap();
        held.lock().unwrap();
        // Of several that write the same file at once none takes another's.
        let first = begun(folder.path(), false);
        let second = begun(folder.path(), false);
        let third = begun(folder.path(), true);
        for file in [third, second, first] {
            file.commit(true).unwrap();
            assert_eq!(fs::read(path("a")).unwrap(), b"new");
        }
        assert_eq!(names(folder.path()), [living, own, other, "a"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_has_the_permissions_that_new_files_have() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let mode = |name: &str| fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
        fs::write(folder.path().join("plain"), b"").unwrap();
        begun(folder.path(), true).commit(false).unwrap();
        assert_eq!(mode("a"), mode("plain"));
    }
}
