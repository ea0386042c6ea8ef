//! Several files as one source of bytes, laid end to end.
//!
//! A plan has one space of addresses. Where its bytes come from several files, these are laid end to end in the order of
//! the list, and a span of that space is found again in its file: so the system can copy between files by itself, and the
//! checks that a target is no source hold for every one of them.

use std::io;

use ggufkit_format::{ReadAt, Span};

use crate::file::FileSource;

/// A source that is made of files: one, or several laid end to end. Behind them there may be files that no byte is copied from,
/// and that have to stay as they are all the same while it is read.
pub trait Files: ReadAt<Error = io::Error> {
    /// Number of files.
    fn file_count(&self) -> usize;

    /// A file by its number, from 0.
    fn file_at(&self, number: usize) -> Option<&FileSource>;

    /// The file that holds the first byte of a span, and as much of the span as lies in that file, at its place there.
    /// `None` for an empty span and for one that begins past the end.
    fn locate(&self, span: Span) -> Option<(usize, Span)>;
}

impl Files for FileSource {
    fn file_count(&self) -> usize {
        1
    }

    fn file_at(&self, number: usize) -> Option<&FileSource> {
        (number == 0).then_some(self)
    }

    fn locate(&self, span: Span) -> Option<(usize, Span)> {
        (!span.is_empty()).then_some((0, span))
    }
}

/// Files laid end to end.
///
/// ```no_run
/// use ggufkit_io::{FileSource, Joined};
///
/// let files = ["a-00001-of-00002.gguf", "a-00002-of-00002.gguf"];
/// let files = files.map(FileSource::open).into_iter().collect::<Result<Vec<_>, _>>()?;
/// let joined = Joined::new(&files)?;
/// println!("the second file begins at {:?}", joined.start(1));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Joined<'a> {
    files: Vec<&'a FileSource>,
    /// Where each file begins, and where the last one ends.
    starts: Vec<u64>,
}

impl<'a> Joined<'a> {
    /// Lays files end to end, in this order.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotSeekable`] for a file whose length is not known, [`io::ErrorKind::FileTooLarge`] where all
    /// together have more than 2^64 bytes.
    pub fn new(files: impl IntoIterator<Item = &'a FileSource>) -> io::Result<Self> {
        let files: Vec<_> = files.into_iter().collect();
        let mut starts = vec![0_u64];
        let mut end = 0_u64;
        for file in &files {
            let size = file.size().ok_or(io::ErrorKind::NotSeekable)?;
            end = end.checked_add(size).ok_or(io::ErrorKind::FileTooLarge)?;
            starts.push(end);
        }
        Ok(Self { files, starts })
    }

    /// Where a file begins.
    #[must_use]
    pub fn start(&self, number: usize) -> Option<u64> {
        self.files.get(number).and_then(|_| self.starts.get(number)).copied()
    }

    /// Length of all files together.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Whether there is no byte.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of the file that holds a byte. Files without bytes hold none.
    fn number_of(&self, at: u64) -> Option<usize> {
        let number = self.starts.partition_point(|start| *start <= at).checked_sub(1)?;
        self.files.get(number).map(|_| number)
    }
}

impl Files for Joined<'_> {
    fn file_count(&self) -> usize {
        self.files.len()
    }

    fn file_at(&self, number: usize) -> Option<&FileSource> {
        self.files.get(number).copied()
    }

    fn locate(&self, span: Span) -> Option<(usize, Span)> {
        if span.is_empty() {
            return None;
        }
        let number = self.number_of(span.start)?;
        let (start, end) = (self.starts.get(number)?, self.starts.get(number.saturating_add(1))?);
        Some((
            number,
            Span::between(span.start.saturating_sub(*start), span.end().min(*end).saturating_sub(*start)),
        ))
    }
}

impl ReadAt for Joined<'_> {
    type Error = io::Error;

    fn size(&self) -> Option<u64> {
        Some(self.len())
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let Some((number, span)) = self.locate(Span::new(offset, buf.len() as u64)) else { return Ok(0) };
        let want = usize::try_from(span.len).unwrap_or(usize::MAX).min(buf.len());
        let Some((file, part)) = self.files.get(number).zip(buf.get_mut(..want)) else { return Ok(0) };
        // A file that has shrunk is an end here too: what follows it does not move up.
        file.read_at(part, span.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::read_full;

    #[test]
    fn what_is_joined_reads_like_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let parts: [&[u8]; 5] = [b"", b"abc", b"", b"defgh", b"i"];
        let files: Vec<_> = (0..)
            .zip(parts)
            .map(|(at, bytes)| {
                let path = folder.path().join(format!("{at}"));
                std::fs::write(&path, bytes).unwrap();
                FileSource::open(path).unwrap()
            })
            .collect();
        let joined = Joined::new(&files).unwrap();
        let whole = parts.concat();
        assert_eq!((joined.len(), joined.file_count()), (9, 5));
        for start in 0..=whole.len() {
            for end in start..=whole.len() {
                let mut buffer = vec![0; end - start];
                assert_eq!(read_full(&joined, &mut buffer, start as u64).unwrap(), end - start);
                assert_eq!(buffer, &whole[start..end]);
                // Piece by piece through the files it is the same.
                let (mut at, mut pieces) = (start as u64, Vec::new());
                while let Some((number, span)) = joined.locate(Span::between(at, end as u64)) {
                    pieces.extend_from_slice(span.slice(parts[number], 0).unwrap());
                    at += span.len;
                }
                assert_eq!(pieces, &whole[start..end]);
            }
        }
        assert_eq!(joined.locate(Span::new(9, 1)), None);
        assert_eq!(joined.locate(Span::new(3, 9)), Some((3, Span::new(0, 5))));
        assert_eq!((joined.start(1), joined.start(4), joined.start(5)), (Some(0), Some(8), None));
        assert_eq!(joined.read_at(&mut [0], u64::MAX).unwrap(), 0);
    }
}
