//! One key of a head, by reading no more than stands before it.

use std::io;

use ggufkit_format::spec::ValueType;
use ggufkit_format::{
    Element, Event, Header, Index, Kv, KvPart, Options, ParseError, Parser, Path, ReadAt, Reason, Step,
};

use crate::file::read_full;

/// The first read: the keys that people ask for stand at the front.
const FIRST: usize = 4 << 10;

/// Later reads; the window stays in the processor's nearer caches.
const WINDOW: usize = 64 << 10;

/// Keys that are remembered for "did you mean", and bytes of each.
const KEYS_KEPT: usize = 4096;
const KEY_KEPT: usize = 256;

/// What [`lookup`] found.
#[derive(Clone, Debug, Default)]
pub struct Lookup {
    /// The header; `None` when it could not be read.
    pub header: Option<Header>,
    /// The first key-value whose key was wanted.
    pub found: Option<Found>,
    /// The keys that were passed, with the types of their values, in file order: at most the first 4096, each cut to
    /// 256 bytes.
    pub keys_seen: Vec<(Vec<u8>, ValueType)>,
    /// What ended the search early. The key may stand behind it.
    pub error: Option<ParseError>,
}

/// A key-value that was looked up, with its bytes.
///
/// ```
/// use ggufkit_format::{Index, Options, View};
///
/// # struct Memory(&'static [u8]);
/// # impl ggufkit_format::ReadAt for Memory {
/// #     type Error = std::io::Error;
/// #     fn size(&self) -> Option<u64> { Some(self.0.len() as u64) }
/// #     fn read_at(&self, buf: &mut [u8], offset: u64) -> std::io::Result<usize> {
/// #         self.0.read_at(buf, offset).map_err(|never| match never {})
/// #     }
/// # }
/// # let source = Memory(b"GGUF\x03\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\
/// #     \x06\0\0\0\0\0\0\0answer\x04\0\0\0\x2a\0\0\0");
/// let lookup = ggufkit_io::lookup(&source, Options::new(), &mut |key| key == b"answer")?;
/// let found = lookup.found.ok_or(std::io::ErrorKind::NotFound)?;
/// let index = found.index();
/// let view = found.view(&index);
/// assert_eq!(view.get("answer").and_then(|value| value.as_u64()), Some(42));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Found {
    /// The header of the file, which says how the bytes are to be read.
    pub header: Header,
    /// The key-value.
    pub kv: Kv,
    /// The record's bytes: key, type and value.
    pub bytes: Vec<u8>,
    /// Absolute position of the first of `bytes`.
    pub start: u64,
}

impl Found {
    /// An index of this one key-value.
    #[must_use]
    pub fn index(&self) -> Index {
        Index::of_record(self.header, self.kv.clone())
    }

    /// The key-value's view, over the index that [`Found::index`] made.
    #[must_use]
    pub fn view<'a>(&'a self, index: &'a Index) -> ggufkit_format::View<'a> {
        ggufkit_format::View::at(index, &self.bytes, self.start)
    }
}

/// Finds the first key-value whose key satisfies `want`.
///
/// The first 4 KiB are read, then windows of 64 KiB as the search goes on; long strings and arrays of numbers are jumped
/// over, arrays of strings are walked. Only the found record is held as a whole. The tensor table is not read.
///
/// [`Options::size`] is taken from the source when it is `None`; [`Options::text`] is not used: text is never judged
/// here.
///
/// # Errors
/// The source's own. What is wrong with the bytes is in [`Lookup::error`].
pub fn lookup<S>(source: &S, options: Options, want: &mut dyn FnMut(&[u8]) -> bool) -> io::Result<Lookup>
where
    S: ReadAt<Error = io::Error> + ?Sized,
{
    let size = options.size.or_else(|| source.size());
    let options = options.with_size(size).with_text(false);
    let mut parser = Parser::new(options);
    let mut window = Window { source, size, memory: Vec::new(), start: options.base, len: 0, ended: false };
    let mut lookup = Lookup::default();
    // Start of the wanted record, once its key was seen: from there on the window keeps everything.
    let mut record = None;
    let mut left = u64::MAX;
    while left > 0 {
        let (input, more) = window.from(parser.position());
        match parser.next(input, more) {
            Err(error) => {
                lookup.error = Some(error);
                break;
            }
            Ok(Step::Done | Step::Event(Event::Tensor(_))) => break,
            Ok(Step::Need { at, min }) => window.slide(record.unwrap_or(at), at, min)?,
            Ok(Step::Event(Event::Header(header))) => {
                lookup.header = Some(header);
                left = header.kv_count;
            }
            Ok(Step::Event(Event::Key(key))) => {
                if want(key.bytes) {
                    record = Some(key.start);
                } else if lookup.keys_seen.len() < KEYS_KEPT {
                    let kept = key.bytes.get(..KEY_KEPT).unwrap_or(key.bytes);
                    lookup.keys_seen.push((kept.to_vec(), key.value_type));
                }
            }
            Ok(Step::Event(Event::Value(kv))) => {
                left = left.saturating_sub(1);
                let (Some(_), Some(header)) = (record, lookup.header) else { continue };
                match window.record(&kv)? {
                    Ok(bytes) => {
                        lookup.found = Some(Found { header, start: kv.span.start, kv, bytes });
                    }
                    Err(remaining) => lookup.error = Some(cut_short(&header, left, &kv, remaining)),
                }
                break;
            }
        }
    }
    Ok(lookup)
}

/// The source ended inside a value that it said it had.
fn cut_short(header: &Header, left: u64, kv: &Kv, remaining: u64) -> ParseError {
    let index = header.kv_count.saturating_sub(left).saturating_sub(1);
    let path = Path::kv(index, KvPart::Value(Element::Whole));
    let reason = Reason::UnexpectedEnd { needed: kv.value_span.len, remaining };
    ParseError::new(kv.value_span.start, path, reason)
}

/// A stretch of the source in memory, moving forwards.
struct Window<'s, S: ?Sized> {
    source: &'s S,
    size: Option<u64>,
    memory: Vec<u8>,
    /// Absolute position of the first byte in memory.
    start: u64,
    len: usize,
    ended: bool,
}

impl<S: ReadAt<Error = io::Error> + ?Sized> Window<'_, S> {
    fn end(&self) -> u64 {
        self.start.saturating_add(self.len as u64)
    }

    /// The bytes from `position` on, and whether more may follow.
    fn from(&self, position: u64) -> (&[u8], bool) {
        let from = usize::try_from(position.saturating_sub(self.start)).unwrap_or(usize::MAX);
        let bytes = self.memory.get(..self.len).and_then(|bytes| bytes.get(from..)).unwrap_or_default();
        (bytes, !self.ended)
    }

    /// Reads on: at least one byte at or after `at`, as many as `min` in the end; bytes before `keep` are let go.
    fn slide(&mut self, keep: u64, at: u64, min: u64) -> io::Result<()> {
        if keep >= self.end() {
            self.start = keep;
            self.len = 0;
        } else if let Some(gone) = keep.checked_sub(self.start).and_then(|n| usize::try_from(n).ok())
            && gone > 0
        {
            self.memory.copy_within(gone..self.len, 0);
            self.start = keep;
            self.len -= gone;
        }
        let step = if self.memory.is_empty() { FIRST } else { WINDOW };
        let wanted = at.saturating_add(min).saturating_sub(self.start);
        // Where the size is known the parser has tested `min` against it; else memory at most doubles.
        let most = match self.size {
            Some(_) => u64::MAX,
            None => (self.len.max(WINDOW) as u64).saturating_mul(2),
        };
        let target = wanted.min(most).max((self.len + step) as u64);
        let target = match self.size {
            Some(size) => target.min(size.saturating_sub(self.start)),
            None => target,
        };
        self.fill(target)
    }

    /// Reads until `target` bytes are in memory or the source ends.
    fn fill(&mut self, target: u64) -> io::Result<()> {
        let target = usize::try_from(target).map_err(|_| io::ErrorKind::OutOfMemory)?;
        if self.memory.len() < target {
            self.memory.resize(target, 0);
        }
        let end = self.end();
        let Some(rest) = self.memory.get_mut(self.len..target) else { return Ok(()) };
        let read = read_full(self.source, rest, end)?;
        self.ended |= read < rest.len() || self.size.is_some_and(|size| end + read as u64 >= size);
        self.len += read;
        Ok(())
    }

    /// The bytes of a whole record; the number of bytes of its value that are there, when not all are.
    fn record(&mut self, kv: &Kv) -> io::Result<Result<Vec<u8>, u64>> {
        if self.end() < kv.span.end() {
            self.fill(kv.span.end().saturating_sub(self.start))?;
        }
        let memory = self.memory.get(..self.len).unwrap_or_default();
        Ok(match kv.span.slice(memory, self.start) {
            Some(bytes) => Ok(bytes.to_vec()),
            None => Err(self.end().saturating_sub(kv.value_span.start)),
        })
    }
}
