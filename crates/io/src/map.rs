//! The only module with `unsafe`: advice to the kernel about memory, and maps of files.
//!
//! Each block states its contract.

#![allow(unsafe_code)]

/// Regions smaller than this are not worth a call: fresh small pages cost less.
#[cfg(target_os = "linux")]
const WORTH_ADVISING: usize = 4 << 20;

/// Bytes of a huge page on the systems where the advice matters.
#[cfg(target_os = "linux")]
const HUGE_PAGE: usize = 2 << 20;

/// Asks for huge pages under a large fresh buffer: its first touch then costs a fifth. Only advice; failure is ignored
/// and the contents do not change.
#[cfg(target_os = "linux")]
pub(crate) fn advise_huge(buffer: &mut [u8]) {
    if buffer.len() < WORTH_ADVISING {
        return;
    }
    let skip = buffer.as_ptr().align_offset(HUGE_PAGE);
    let Some(inside) = buffer.get_mut(skip..) else { return };
    let len = inside.len() - inside.len() % HUGE_PAGE;
    if len == 0 {
        return;
    }
    // SAFETY: the range lies inside `buffer`, which is borrowed exclusively, begins and ends on page boundaries, and
    // MADV_HUGEPAGE changes neither contents nor mappings: it only tells the kernel how to back them.
    unsafe {
        libc::madvise(inside.as_mut_ptr().cast(), len, libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn advise_huge(_buffer: &mut [u8]) {}

#[cfg(feature = "map")]
pub use mapped::MapSource;

#[cfg(feature = "map")]
mod mapped {
    use std::io;
    use std::path::{Path, PathBuf};

    use ggufkit_format::ReadAt;

    use crate::FileSource;

    /// A file mapped into memory: for data that is visited more than once or in no order. Single passes are faster by
    /// [`FileSource`] into a buffer that is used again.
    #[derive(Debug)]
    pub struct MapSource {
        map: memmap2::Mmap,
        path: PathBuf,
    }

    impl MapSource {
        /// Maps the file at `path`, for reading.
        ///
        /// # Safety
        /// Nobody, in this process or another, may change or truncate the file while it is mapped: its bytes are handed
        /// out as plain slices, and a page that is gone kills the process.
        ///
        /// # Errors
        /// As [`FileSource::open`]; the system's refusal to map, such as for a pipe.
        pub unsafe fn open(path: impl AsRef<Path>) -> io::Result<Self> {
            let source = FileSource::open(path)?;
            if !source.is_seekable() {
                return Err(io::Error::new(
                    io::ErrorKind::NotSeekable,
                    "what has no length cannot be mapped",
                ));
            }
            // SAFETY: the caller promises that the file does not change, which is all that a shared read-only map asks.
            let map = unsafe { memmap2::Mmap::map(source.file())? };
            Ok(Self { map, path: source.path().to_path_buf() })
        }

        /// The whole file.
        #[must_use]
        pub fn bytes(&self) -> &[u8] {
            &self.map
        }

        /// The path as it was given to [`MapSource::open`].
        #[must_use]
        pub fn path(&self) -> &Path {
            &self.path
        }
    }

    impl ReadAt for MapSource {
        type Error = io::Error;

        fn size(&self) -> Option<u64> {
            self.bytes().size()
        }

        fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
            self.bytes().read_at(buf, offset).map_err(|never| match never {})
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes around the smallest that is advised, and buffers that begin and end anywhere in their pages.
    #[test]
    fn advice_changes_no_bytes() {
        let sizes = [0, 1, 4095, (4 << 20) - 1, 4 << 20, (4 << 20) + 1, (6 << 20) + 4097];
        for size in sizes {
            let mut buffer: Vec<u8> = (0..size).map(|i| (i % 251) as u8).collect();
            for begin in [0, 1, 17, 4096] {
                if let Some(part) = buffer.get_mut(begin..) {
                    advise_huge(part);
                }
            }
            assert!(buffer.iter().enumerate().all(|(i, byte)| usize::from(*byte) == i % 251), "{size}");
        }
    }
}
