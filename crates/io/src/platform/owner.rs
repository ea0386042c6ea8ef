//! Whose files are, and what is attached to them: owners, extended attributes, and files that are opened only as what they are.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

/// The attribute that says that a change of a file is under way, whatever the file is called.
#[cfg(any(target_os = "linux", target_os = "macos"))]
const MARK: &str = "user.ggufkit.pending";

/// Bytes of an attribute that is looked at or copied.
#[cfg(any(target_os = "linux", target_os = "macos"))]
const MOST: usize = 64 << 10;

/// Whose a file is.
#[cfg(unix)]
pub(crate) fn owner(metadata: &Metadata) -> u32 {
    std::os::unix::fs::MetadataExt::uid(metadata)
}

#[cfg(not(unix))]
pub(crate) fn owner(_metadata: &Metadata) -> u32 {
    0
}

/// User and group of a file.
#[cfg(unix)]
pub(crate) fn owners(metadata: &Metadata) -> (u32, u32) {
    (owner(metadata), std::os::unix::fs::MetadataExt::gid(metadata))
}

#[cfg(not(unix))]
pub(crate) fn owners(_metadata: &Metadata) -> (u32, u32) {
    (0, 0)
}

/// Who this process acts as.
#[cfg(unix)]
pub(crate) fn euid() -> u32 {
    rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
pub(crate) fn euid() -> u32 {
    0
}

/// Opens a file to read it (and to write to it), where it is one itself: no link is followed, no pipe is waited for. `None`
/// where something else has the name.
#[cfg(unix)]
pub(crate) fn open_record(path: &Path, write: bool) -> io::Result<Option<File>> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).map_err(io::Error::other)?;
    let opened = std::fs::OpenOptions::new().read(true).write(write).custom_flags(flags).open(path);
    match opened {
        Ok(file) => Ok(file.metadata()?.is_file().then_some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(error),
        Err(error) => match std::fs::symlink_metadata(path)?.is_file() {
            true => Err(error),
            false => Ok(None),
        },
    }
}

#[cfg(not(unix))]
pub(crate) fn open_record(path: &Path, write: bool) -> io::Result<Option<File>> {
    if !std::fs::symlink_metadata(path)?.is_file() {
        return Ok(None);
    }
    std::fs::OpenOptions::new().read(true).write(write).open(path).map(Some)
}

/// Gives a new file the owner and the group of another, as far as this process may. Before its permissions are set: a change
/// of owner takes some of them away.
#[cfg(unix)]
pub(crate) fn own_as(from: &Metadata, to: &File) {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let Ok(now) = to.metadata() else { return };
    // Who may not give files away may still give them to a group that he is in.
    if now.uid() != from.uid() {
        let _ = fchown(to, Some(from.uid()), None);
    }
    if now.gid() != from.gid() {
        let _ = fchown(to, None, Some(from.gid()));
    }
}

#[cfg(not(unix))]
pub(crate) fn own_as(_from: &Metadata, _to: &File) {}

/// The names of a file's extended attributes and their values; those that cannot be read are left out.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn list(file: &File) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut names = vec![0; MOST];
    let Ok(len) = rustix::fs::flistxattr(file, &mut *names) else { return Vec::new() };
    let mut out = Vec::new();
    for name in names.get(..len).unwrap_or_default().split(|byte| *byte == 0) {
        let mut value = vec![0; MOST];
        let read = match name {
            [] => continue,
            // A change that is under way is this file's, not its copy's.
            name if name == MARK.as_bytes() => continue,
            name => rustix::fs::fgetxattr(file, name, &mut *value),
        };
        if let Ok(len) = read {
            value.truncate(len);
            out.push((name.to_vec(), value));
        }
    }
    out
}

/// Gives a new file the extended attributes of another (access lists are among them), as far as that can be.
#[cfg(any(target_os = "linux", target_os = "macos"))]
pub(crate) fn attributes(from: &File, to: &File) {
    for (name, value) in list(from) {
        let _ = rustix::fs::fsetxattr(to, name.as_slice(), &value, rustix::fs::XattrFlags::empty());
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub(crate) fn attributes(_from: &File, _to: &File) {}

/// Marks a file as one whose change is under way, or takes the mark from it.
///
/// # Errors
/// The system's: [`io::ErrorKind::Unsupported`] where files cannot be marked.
#[cfg(any(target_os = "linux", target_os = "macos"))]
pub(crate) fn set_mark(file: &File, mark: Option<&[u8]>) -> io::Result<()> {
    match mark {
        Some(bytes) => rustix::fs::fsetxattr(file, MARK, bytes, rustix::fs::XattrFlags::empty())?,
        None => rustix::fs::fremovexattr(file, MARK)?,
    }
    Ok(())
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub(crate) fn set_mark(_file: &File, _mark: Option<&[u8]>) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The mark of an open file, where it has one.
#[cfg(any(target_os = "linux", target_os = "macos"))]
pub(crate) fn mark(file: &File) -> Option<Vec<u8>> {
    let mut value = vec![0; 1024];
    let len = rustix::fs::fgetxattr(file, MARK, &mut *value).ok()?;
    value.truncate(len);
    Some(value)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub(crate) fn mark(_file: &File) -> Option<Vec<u8>> {
    None
}

/// The mark of the file at `path`, where it has one.
#[cfg(any(target_os = "linux", target_os = "macos"))]
pub(crate) fn path_mark(path: &Path) -> Option<Vec<u8>> {
    let mut value = [0; 1024];
    let len = rustix::fs::getxattr(path, MARK, &mut value[..]).ok()?;
    value.get(..len).map(<[u8]>::to_vec)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub(crate) fn path_mark(_path: &Path) -> Option<Vec<u8>> {
    None
}
