//! Where bytes come from, as the other rooms see it.

use core::convert::Infallible;

/// A source of bytes that can be read at any position: a file, a map, a slice, a remote object.
///
/// Positions are absolute in the source. Reading does not move any cursor, so one source serves many readers.
pub trait ReadAt {
    /// What can go wrong in the system below.
    type Error;

    /// Length in bytes, where the source knows it.
    fn size(&self) -> Option<u64>;

    /// Reads into `buf` from `offset`; returns the number of bytes read, 0 only at or past the end (or for an empty
    /// `buf`). Fewer bytes than asked for may come.
    ///
    /// # Errors
    /// Whatever the system below reports; an interrupted call is retried by the source itself.
    fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<usize, Self::Error>;
}

impl ReadAt for [u8] {
    type Error = Infallible;

    fn size(&self) -> Option<u64> {
        u64::try_from(self.len()).ok()
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<usize, Infallible> {
        let rest = usize::try_from(offset).ok().and_then(|at| self.get(at..)).unwrap_or_default();
        let n = rest.len().min(buf.len());
        if let (Some(to), Some(from)) = (buf.get_mut(..n), rest.get(..n)) {
            to.copy_from_slice(from);
        }
        Ok(n)
    }
}

impl<T: ReadAt + ?Sized> ReadAt for &T {
    type Error = T::Error;

    fn size(&self) -> Option<u64> {
        (**self).size()
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<usize, Self::Error> {
        (**self).read_at(buf, offset)
    }
}
