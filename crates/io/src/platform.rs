//! What differs between operating systems, in one place.
//!
//! It owns the positioned read, permissions, files without a name, and the question of what kind of thing a path names.
//! Nothing else in this crate asks for the platform.

use std::fs::File;
use std::io;

/// Reads once at `offset` without moving any cursor that others see; an interrupted call is an error of its own kind.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, buf: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buf, offset)
}

/// Reads once at `offset`. The cursor of the handle moves here, which nobody depends on: every read names its offset.
#[cfg(windows)]
pub(crate) fn read_at(file: &File, buf: &mut [u8], offset: u64) -> io::Result<usize> {
    match std::os::windows::fs::FileExt::seek_read(file, buf, offset) {
        // ERROR_HANDLE_EOF: at or past the end, which is 0 bytes elsewhere.
        Err(error) if error.raw_os_error() == Some(38) => Ok(0),
        other => other,
    }
}

/// Where files have no positioned read there is no way to share one handle.
#[cfg(not(any(unix, windows)))]
pub(crate) fn read_at(_file: &File, _buf: &mut [u8], _offset: u64) -> io::Result<usize> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "this platform has no positioned reads"))
}

/// Whether the opened thing is a disk as a whole: seekable, though its metadata gives no length.
#[cfg(unix)]
pub(crate) fn is_block_device(metadata: &std::fs::Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_block_device(&metadata.file_type())
}

#[cfg(not(unix))]
pub(crate) fn is_block_device(_metadata: &std::fs::Metadata) -> bool {
    false
}

/// What two paths of the same file or directory have in common, to notice what was met before: device and inode.
#[cfg(unix)]
pub(crate) type Identity = (u64, u64);

/// Without inode numbers the resolved path is what identifies a file.
#[cfg(not(unix))]
pub(crate) type Identity = std::path::PathBuf;

/// The identity of what `path` leads to.
#[cfg(unix)]
pub(crate) fn identity(metadata: &std::fs::Metadata, _path: &std::path::Path) -> io::Result<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    Ok((metadata.dev(), metadata.ino()))
}

/// The identity of what `path` leads to.
#[cfg(not(unix))]
pub(crate) fn identity(_metadata: &std::fs::Metadata, path: &std::path::Path) -> io::Result<Identity> {
    std::fs::canonicalize(path)
}

/// The identity of the file that standard input or output was sent to; `None` for a pipe, a terminal or a device that
/// holds nothing.
#[cfg(unix)]
pub(crate) fn stream_identity(stream: &impl std::os::fd::AsFd) -> io::Result<Option<Identity>> {
    let metadata = File::from(stream.as_fd().try_clone_to_owned()?).metadata()?;
    let holds = metadata.is_file() || is_block_device(&metadata);
    if holds { identity(&metadata, std::path::Path::new("-")).map(Some) } else { Ok(None) }
}

/// An open stream has no path here by which it could be known.
#[cfg(not(unix))]
pub(crate) fn stream_identity<T>(_stream: &T) -> io::Result<Option<Identity>> {
    Ok(None)
}

/// A name from the bytes that a list holds; `None` where names are text and these bytes are not.
#[cfg(unix)]
pub(crate) fn os_string(bytes: &[u8]) -> Option<std::ffi::OsString> {
    Some(std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec()))
}

#[cfg(not(unix))]
pub(crate) fn os_string(bytes: &[u8]) -> Option<std::ffi::OsString> {
    std::str::from_utf8(bytes).ok().map(std::ffi::OsString::from)
}

/// Gives a new file the permissions of another; special bits (set user id and the like) are not handed on.
#[cfg(unix)]
pub(crate) fn copy_permissions(from: &std::fs::Metadata, to: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    // A disk or a pipe is no model for a file.
    if !from.is_file() {
        return Ok(());
    }
    to.set_permissions(std::fs::Permissions::from_mode(from.permissions().mode() & 0o777))
}

/// Elsewhere a file's permissions are those of its folder; only a read-only mark would be left, which stands in the way
/// of giving the file its name.
#[cfg(not(unix))]
pub(crate) fn copy_permissions(_from: &std::fs::Metadata, _to: &File) -> io::Result<()> {
    Ok(())
}

/// Makes the names in the folder of `path` reach the disk.
#[cfg(unix)]
pub(crate) fn sync_folder(path: &std::path::Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match File::open(folder.unwrap_or(std::path::Path::new(".")))?.sync_all() {
        // Some file systems cannot sync a folder, and have nothing to sync there.
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
            Ok(())
        }
        other => other,
    }
}

/// Elsewhere folders cannot be opened, and renaming is durable or not as the system sees fit.
#[cfg(not(unix))]
pub(crate) fn sync_folder(_path: &std::path::Path) -> io::Result<()> {
    Ok(())
}

/// A new file in `folder` that has no name yet: however its process ends, the system takes it away. `None` where the
/// file system, or the system, has no such files, or could not name one later.
#[cfg(target_os = "linux")]
pub(crate) fn nameless(folder: &std::path::Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags};
    let folder = if folder.as_os_str().is_empty() { std::path::Path::new(".") } else { folder };
    // Permissions as of any new file: what the umask leaves.
    let mode = Mode::from_raw_mode(0o666);
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(folder, flags, mode).ok()?);
    // It will be named by its entry there; a place without /proc would find that out when all is written.
    std::fs::symlink_metadata(own_entry(&file)).is_ok().then_some(file)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn nameless(_folder: &std::path::Path) -> Option<File> {
    None
}

/// Where the system shows an open file of this process.
#[cfg(target_os = "linux")]
fn own_entry(file: &File) -> String {
    format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(file))
}

/// Gives a file of [`nameless`] a name, which must be free.
#[cfg(target_os = "linux")]
pub(crate) fn give_name(file: &File, path: &std::path::Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    linkat(CWD, own_entry(file), CWD, path, AtFlags::SYMLINK_FOLLOW).map_err(io::Error::from)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn give_name(_file: &File, _path: &std::path::Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Writes all of `bytes` at `offset` without moving any cursor that others see.
#[cfg(unix)]
pub(crate) fn write_all_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

/// Writes all of `bytes` at `offset`. The cursor of the handle moves here, which nobody depends on.
#[cfg(windows)]
pub(crate) fn write_all_at(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_write(file, bytes, offset) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(n) => {
                bytes = bytes.get(n..).unwrap_or_default();
                offset = offset.saturating_add(n as u64);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(not(any(unix, windows)))]
pub(crate) fn write_all_at(_file: &File, _bytes: &[u8], _offset: u64) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "this platform has no positioned writes"))
}

/// How many names a file has.
#[cfg(unix)]
pub(crate) fn names(metadata: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(metadata)
}

/// Elsewhere the other names are not told.
#[cfg(not(unix))]
pub(crate) fn names(_metadata: &std::fs::Metadata) -> u64 {
    1
}

/// The number by which the file system knows a file.
#[cfg(unix)]
pub(crate) fn inode(metadata: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

/// Elsewhere files have none that is cheap to ask for.
#[cfg(not(unix))]
pub(crate) fn inode(_metadata: &std::fs::Metadata) -> u64 {
    0
}

/// The numbers of file systems, as `statfs` gives them.
#[cfg(target_os = "linux")]
mod kind {
    pub(super) const BTRFS: u64 = 0x9123_683e;
    pub(super) const EXT4: u64 = 0xef53;
    pub(super) const TMPFS: u64 = 0x0102_1994;
    pub(super) const XFS: u64 = 0x5846_5342;

    pub(super) fn of(stat: &rustix::fs::StatFs) -> Option<u64> {
        u64::try_from(stat.f_type).ok().map(|kind| kind & 0xffff_ffff)
    }
}

/// The block by which the file system of a file can put bytes in and take them out, where it is one that can.
#[cfg(target_os = "linux")]
pub(crate) fn movable_block(file: &File) -> Option<u64> {
    let stat = rustix::fs::fstatfs(file).ok()?;
    let block = u64::try_from(stat.f_bsize).ok().filter(|block| block.is_power_of_two())?;
    // Of the others none does (Linux 6.x: ext4 and XFS implement FALLOC_FL_INSERT_RANGE and FALLOC_FL_COLLAPSE_RANGE).
    matches!(kind::of(&stat), Some(kind::EXT4 | kind::XFS)).then_some(block)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn movable_block(_file: &File) -> Option<u64> {
    None
}

/// Whether files on the file system of a file can share blocks: btrfs. (XFS may, and moves
/// blocks, which is better still.)
#[cfg(target_os = "linux")]
pub(crate) fn shares_blocks(file: &File) -> bool {
    rustix::fs::fstatfs(file).is_ok_and(|stat| kind::of(&stat) == Some(kind::BTRFS))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn shares_blocks(_file: &File) -> bool {
    false
}

/// What a copy into a file by the system itself comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Copying {
    /// Blocks are shared where they begin at the same place in both files.
    Shares,
    /// The same reading and writing as anybody's.
    Local,
    /// Perhaps the far side of a network does it.
    Unknown,
}

/// What the file system of a file makes of a copy by the system.
#[cfg(target_os = "linux")]
pub(crate) fn copying(file: &File) -> Copying {
    match rustix::fs::fstatfs(file).ok().and_then(|stat| kind::of(&stat)) {
        Some(kind::EXT4 | kind::TMPFS) => Copying::Local,
        Some(kind::XFS | kind::BTRFS) => Copying::Shares,
        _ => Copying::Unknown,
    }
}

/// Elsewhere the standard library reads and writes, through a smaller buffer.
#[cfg(not(target_os = "linux"))]
pub(crate) fn copying(_file: &File) -> Copying {
    if cfg!(any(unix, windows)) { Copying::Local } else { Copying::Unknown }
}

/// Bytes that are free for this user on the file system of a file, where that is told.
#[cfg(target_os = "linux")]
pub(crate) fn free_space(file: &File) -> Option<u64> {
    let stat = rustix::fs::fstatvfs(file).ok()?;
    stat.f_bavail.checked_mul(stat.f_frsize)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn free_space(_file: &File) -> Option<u64> {
    None
}

/// Lets the system forget what it holds of a file in memory, so that it is read from the disk next.
#[cfg(target_os = "linux")]
pub(crate) fn forget_cached(file: &File) {
    // Where it does not, the bytes in memory are read again, which is still a reading of the file.
    let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed);
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn forget_cached(_file: &File) {}

/// Puts `len` bytes in at `at`; what stood there follows them.
#[cfg(target_os = "linux")]
pub(crate) fn insert_range(file: &File, at: u64, len: u64) -> io::Result<()> {
    rustix::io::retry_on_intr(|| {
        rustix::fs::fallocate(file, rustix::fs::FallocateFlags::INSERT_RANGE, at, len)
    })?;
    Ok(())
}

/// Takes `len` bytes out at `at`; what follows them stands there.
#[cfg(target_os = "linux")]
pub(crate) fn collapse_range(file: &File, at: u64, len: u64) -> io::Result<()> {
    rustix::io::retry_on_intr(|| {
        rustix::fs::fallocate(file, rustix::fs::FallocateFlags::COLLAPSE_RANGE, at, len)
    })?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn insert_range(_file: &File, _at: u64, _len: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn collapse_range(_file: &File, _at: u64, _len: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The next stretch of data at or behind `at`; `None` when there is only a hole left.
#[cfg(target_os = "linux")]
pub(crate) fn next_data(file: &File, at: u64) -> io::Result<Option<ggufkit_format::Span>> {
    use rustix::fs::{SeekFrom, seek};
    let start = match seek(file, SeekFrom::Data(at)) {
        Err(rustix::io::Errno::NXIO) => return Ok(None),
        other => other?,
    };
    Ok(Some(ggufkit_format::Span::between(start, seek(file, SeekFrom::Hole(start))?)))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn next_data(_file: &File, _at: u64) -> io::Result<Option<ggufkit_format::Span>> {
    Err(io::ErrorKind::Unsupported.into())
}
