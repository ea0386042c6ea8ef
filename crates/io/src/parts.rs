//! Files, memory and streams as one source of bytes, laid end to end: what a new file is put together from.

use std::fmt;
use std::io::{self, Read};
use std::sync::{Mutex, PoisonError};

use ggufkit_format::{ReadAt, Span};

use crate::file::FileSource;
use crate::joined::Files;

/// Bytes behind its position that a stream can give once more: what carries out a plan looks ahead by less.
const KEPT: usize = 1 << 20;

/// Files, memory and streams laid end to end. Each takes its place when it is added, and the value is that place: the
/// span that a plan copies from.
///
/// ```
/// use ggufkit_format::Plan;
/// use ggufkit_io::{Parts, sink};
///
/// let mut parts = Parts::new();
/// let word = parts.memory(b"hello ")?;
/// let rest = parts.stream(&b"world"[..], 5)?;
/// let mut plan = Plan::new();
/// plan.copy(word)?;
/// plan.copy(rest)?;
/// let mut out = Vec::new();
/// sink::write_plan(&plan, &parts, &mut out, &mut sink::unwatched)?;
/// assert_eq!(out, b"hello world");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Parts<'a> {
    parts: Vec<Part<'a>>,
    /// Where each part ends.
    ends: Vec<u64>,
    /// The files among them, and for each part how many of these come before it: there may be very many.
    files: Vec<&'a FileSource>,
    before: Vec<usize>,
}

enum Part<'a> {
    File(&'a FileSource),
    Memory(&'a [u8]),
    Stream(Mutex<Stream<'a>>),
}

impl fmt::Debug for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(file) => f.debug_tuple("File").field(&file.path()).finish(),
            Self::Memory(bytes) => f.debug_tuple("Memory").field(&bytes.len()).finish(),
            Self::Stream(_) => f.write_str("Stream"),
        }
    }
}

impl<'a> Parts<'a> {
    /// No bytes at all: the source of a plan that copies nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self { parts: Vec::new(), ends: Vec::new(), files: Vec::new(), before: Vec::new() }
    }

    /// Adds a file.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotSeekable`] where its length is not known, [`io::ErrorKind::FileTooLarge`] where all together
    /// have more than 2^64 bytes.
    pub fn file(&mut self, file: &'a FileSource) -> io::Result<Span> {
        let size = file.size().ok_or(io::ErrorKind::NotSeekable)?;
        self.push(Part::File(file), size)
    }

    /// Adds bytes in memory, which are not copied.
    ///
    /// # Errors
    /// [`io::ErrorKind::FileTooLarge`].
    pub fn memory(&mut self, bytes: &'a [u8]) -> io::Result<Span> {
        self.push(Part::Memory(bytes), bytes.len() as u64)
    }

    /// Adds a stream of so many bytes. It is read once, in order, so what is planned has to copy it in order, and 1 MiB of
    /// it is held. A stream that ends before is an early end of the source; one that goes on is an error.
    ///
    /// # Errors
    /// [`io::ErrorKind::FileTooLarge`].
    pub fn stream(&mut self, read: impl Read + Send + 'a, len: u64) -> io::Result<Span> {
        let stream = Stream { read: Box::new(read), len, at: 0, kept: Vec::new() };
        self.push(Part::Stream(Mutex::new(stream)), len)
    }

    fn push(&mut self, part: Part<'a>, len: u64) -> io::Result<Span> {
        let start = self.len();
        let end = start.checked_add(len).ok_or(io::ErrorKind::FileTooLarge)?;
        self.before.push(self.files.len());
        if let Part::File(file) = part {
            self.files.push(file);
        }
        self.parts.push(part);
        self.ends.push(end);
        Ok(Span::new(start, len))
    }

    /// Length of all parts together.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Whether there is no byte.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The part that holds the first byte of a span, its number, and as much of the span as lies in it, at its place there.
    fn place(&self, span: Span) -> Option<(usize, &Part<'a>, Span)> {
        let number = self.ends.partition_point(|end| *end <= span.start);
        let (part, end) = (self.parts.get(number)?, self.ends.get(number)?);
        let start = number.checked_sub(1).and_then(|last| self.ends.get(last)).copied().unwrap_or(0);
        let there = Span::between(
            span.start.saturating_sub(start),
            span.start.saturating_add(span.len).min(*end).saturating_sub(start),
        );
        (!span.is_empty()).then_some((number, part, there))
    }
}

impl Files for Parts<'_> {
    fn file_count(&self) -> usize {
        self.files.len()
    }

    fn file_at(&self, number: usize) -> Option<&FileSource> {
        self.files.get(number).copied()
    }

    fn locate(&self, span: Span) -> Option<(usize, Span)> {
        let (number, part, there) = self.place(span)?;
        let Part::File(_) = part else { return None };
        Some((*self.before.get(number)?, there))
    }
}

impl ReadAt for Parts<'_> {
    type Error = io::Error;

    fn size(&self) -> Option<u64> {
        Some(self.len())
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let Some((_, part, there)) = self.place(Span::new(offset, buf.len() as u64)) else { return Ok(0) };
        let want = usize::try_from(there.len).unwrap_or(usize::MAX).min(buf.len());
        let Some(buf) = buf.get_mut(..want) else { return Ok(0) };
        match part {
            // A file that has shrunk is an end here too: what follows it does not move up.
            Part::File(file) => file.read_at(buf, there.start),
            Part::Memory(bytes) => bytes.read_at(buf, there.start).map_err(|never| match never {}),
            Part::Stream(stream) => {
                stream.lock().unwrap_or_else(PoisonError::into_inner).read_at(buf, there.start)
            }
        }
    }
}

struct Stream<'a> {
    read: Box<dyn Read + Send + 'a>,
    len: u64,
    /// Bytes that came.
    at: u64,
    /// The last of them.
    kept: Vec<u8>,
}

impl Stream<'_> {
    fn read_at(&mut self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let first = self.at.saturating_sub(self.kept.len() as u64);
        if offset < first || offset > self.at {
            let message = format!("byte {offset} is out of turn: a stream is read once, in order");
            return Err(io::Error::new(io::ErrorKind::NotSeekable, message));
        }
        if offset < self.at {
            let from = usize::try_from(offset.saturating_sub(first)).unwrap_or(usize::MAX);
            let kept = self.kept.get(from..).unwrap_or_default();
            let most = kept.len().min(buf.len());
            if let (Some(into), Some(from)) = (buf.get_mut(..most), kept.get(..most)) {
                into.copy_from_slice(from);
            }
            return Ok(most);
        }
        let came = self.some(buf)?;
        self.at = self.at.saturating_add(came as u64);
        self.keep(buf.get(..came).unwrap_or_default());
        if self.at == self.len && came > 0 && self.some(&mut [0])? > 0 {
            let message = format!("the stream has more than its {} bytes", self.len);
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        Ok(came)
    }

    fn some(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.read.read(buf) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => return other,
            }
        }
    }

    fn keep(&mut self, new: &[u8]) {
        let new = new.get(new.len().saturating_sub(KEPT)..).unwrap_or_default();
        let over = self.kept.len().saturating_add(new.len()).saturating_sub(KEPT);
        self.kept.drain(..over.min(self.kept.len()));
        self.kept.extend_from_slice(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::read_full;
    use crate::sink;
    use ggufkit_format::Plan;

    /// A stream that gives a few bytes at a time.
    struct Slow(Vec<u8>, usize);

    impl Read for Slow {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            let most = buf.len().min(7).min(self.0.len() - self.1);
            buf[..most].copy_from_slice(&self.0[self.1..self.1 + most]);
            self.1 += most;
            Ok(most)
        }
    }

    #[test]
    fn files_memory_and_streams_are_one_source() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        let content: Vec<u8> = (0..300_000_u32).map(|i| (i % 251) as u8).collect();
        std::fs::write(&path, &content).unwrap();
        let file = FileSource::open(&path).unwrap();
        let mut parts = Parts::new();
        let memory = parts.memory(b"memory").unwrap();
        let whole = parts.file(&file).unwrap();
        let stream = parts.stream(Slow(content.clone(), 0), content.len() as u64).unwrap();
        let short = parts.stream(&b"short"[..], 5).unwrap();
        assert_eq!((parts.file_count(), parts.len()), (1, 600_011));
        assert_eq!(parts.locate(whole), Some((0, Span::new(0, 300_000))));
        assert_eq!((parts.locate(memory), parts.locate(stream)), (None, None));
        // Small pieces of a stream, then a large one, with what is read ahead given again.
        let mut plan = Plan::new();
        for at in 0..10 {
            plan.literal(b"|").unwrap();
            plan.copy(Span::new(stream.start + at * 100, 100)).unwrap();
        }
        plan.literal(b"|").unwrap();
        plan.copy(Span::between(stream.start + 1000, stream.end())).unwrap();
        plan.copy(short).unwrap();
        plan.copy(whole).unwrap();
        plan.copy(memory).unwrap();
        let target = folder.path().join("out");
        sink::save(&plan, &parts, &target, false, &mut sink::unwatched).unwrap();
        let mut expected = Vec::new();
        for piece in content[..1000].chunks(100) {
            expected.push(b'|');
            expected.extend_from_slice(piece);
        }
        expected.push(b'|');
        expected.extend_from_slice(&content[1000..]);
        expected.extend_from_slice(b"short");
        expected.extend_from_slice(&content);
        expected.extend_from_slice(b"memory");
        assert!(std::fs::read(target).unwrap() == expected);
    }

    #[test]
    fn a_stream_of_another_length_or_out_of_turn_is_an_error() {
        let mut parts = Parts::new();
        parts.stream(&b"12345"[..], 4).unwrap();
        let mut buffer = [0; 4];
        assert_eq!(read_full(&parts, &mut buffer, 0).unwrap_err().kind(), io::ErrorKind::InvalidData);
        let mut parts = Parts::new();
        let span = parts.stream(&b"123"[..], 4).unwrap();
        assert_eq!(read_full(&parts, &mut buffer, 2).unwrap_err().kind(), io::ErrorKind::NotSeekable);
        assert_eq!(read_full(&parts, &mut buffer, 0).unwrap(), 3);
        let mut plan = Plan::new();
        plan.copy(span).unwrap();
        let mut parts = Parts::new();
        parts.stream(&b"123"[..], 4).unwrap();
        let error = sink::write_plan(&plan, &parts, &mut Vec::new(), &mut sink::unwatched).unwrap_err();
        assert!(matches!(error, sink::SinkError::Ended { .. }), "{error}");
    }
}
