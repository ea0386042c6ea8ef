//! Reading a head into memory: as many bytes as it has, once, in order.

use std::io::{self, Read};

use ggufkit_format::{Indexer, Options, Outcome, Progress, ReadAt, parse};

use crate::map;

/// First read of a file. Most heads without a vocabulary fit.
const FIRST: usize = 64 << 10;

/// What one growth adds at most. Bytes are parsed while they are still in the processor's second cache: on heads of 24 MB
/// steps of 8 MiB take a quarter longer.
const MAX_STEP: usize = 512 << 10;

/// A buffer above this size is given back before the next reading.
const KEEP: usize = 64 << 20;

/// Sizes of memory that is set aside; memory that is not touched costs nothing, moving to a larger block does.
const BLOCKS: [usize; 3] = [FIRST, 1 << 20, 32 << 20];

/// A buffer for heads, reused over many files.
///
/// Fresh memory costs more than reading into it, so keep one `HeadBuffer` per thread and read every file with it. Pair
/// [`HeadBuffer::bytes`] with the outcome's index in a [`View`](ggufkit_format::View).
///
/// ```
/// use ggufkit_format::{Options, View};
/// use ggufkit_io::HeadBuffer;
///
/// let bytes = b"GGUF\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
/// let mut buffer = HeadBuffer::new();
/// let outcome = buffer.read_stream(&mut &bytes[..], Options::new())?;
/// let index = outcome.into_result().map_err(std::io::Error::other)?;
/// assert_eq!(View::new(&index, buffer.bytes()).kvs().len(), 0);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct HeadBuffer {
    /// Memory, all of it initialised; bytes past `filled` are left from before.
    memory: Vec<u8>,
    filled: usize,
    max_step: usize,
}

impl Default for HeadBuffer {
    fn default() -> Self {
        Self::new()
    }
}

impl HeadBuffer {
    /// An empty buffer; nothing is allocated before the first reading.
    #[must_use]
    pub const fn new() -> Self {
        Self { memory: Vec::new(), filled: 0, max_step: MAX_STEP }
    }

    /// The same buffer with steps of up to so many bytes, 64 KiB or more. The default of 512 KiB is made for files; where
    /// every read is a request over a network, steps of some MiB make them few.
    #[must_use]
    pub const fn with_max_step(mut self, bytes: usize) -> Self {
        self.max_step = if bytes < FIRST { FIRST } else { bytes };
        self
    }

    /// What the last reading read, from the magic on: the head, and possibly some bytes after it.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.memory.get(..self.filled).unwrap_or_default()
    }

    /// What the last reading read, as [`HeadBuffer::bytes`], without a copy where the memory is large.
    #[must_use]
    pub fn into_bytes(mut self) -> Vec<u8> {
        self.memory.truncate(self.filled);
        // Memory of the larger blocks that was not touched costs nothing.
        if self.memory.capacity() <= FIRST {
            self.memory.shrink_to_fit();
        }
        self.memory
    }

    /// Bytes of memory that the buffer holds on to.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.memory.len()
    }

    /// Reads the head of a source that can be read by position: 64 KiB first, then as much again as there is, up to
    /// 512 KiB at a time (see [`HeadBuffer::with_max_step`]). No byte is read twice and none before [`Options::base`].
    ///
    /// [`Options::size`] is taken from the source when it is `None`. A source that turns out to be shorter than it said
    /// is read as one that ends there: the outcome holds the error.
    ///
    /// # Errors
    /// The source's own. What is wrong with the bytes is in the [`Outcome`].
    pub fn read<S>(&mut self, source: &S, mut options: Options) -> io::Result<Outcome>
    where
        S: ReadAt<Error = io::Error> + ?Sized,
    {
        options.size = options.size.or_else(|| source.size());
        let base = options.base;
        // What has no length is a pipe more often than not.
        let ahead = if options.size.is_some() { Ahead::Chunks } else { Ahead::AsItComes };
        self.drive(options, ahead, &mut |buf, at| match base.checked_add(at) {
            Some(offset) => source.read_at(buf, offset),
            None => Ok(0),
        })
    }

    /// Reads the head of a stream, whose length is not known (or is given in [`Options::size`]), and keeps only the
    /// head. The first [`Options::base`] bytes are discarded.
    ///
    /// Memory grows as bytes arrive, never by what they declare. The reading ends with the head; bytes that came
    /// together with its last ones are in [`HeadBuffer::bytes`] and are gone from the stream.
    ///
    /// # Errors
    /// The stream's own. What is wrong with the bytes is in the [`Outcome`].
    pub fn read_stream<R>(&mut self, reader: &mut R, options: Options) -> io::Result<Outcome>
    where
        R: Read + ?Sized,
    {
        if options.base > 0 {
            let skipped = io::copy(&mut Read::take(&mut *reader, options.base), &mut io::sink())?;
            if skipped < options.base {
                self.filled = 0;
                return Ok(parse(&[], options.with_size(Some(skipped))));
            }
        }
        self.drive(options, Ahead::AsItComes, &mut |buf, _| reader.read(buf))
    }

    /// The loop of both: fill, let the indexer advance, fill on.
    fn drive(&mut self, options: Options, ahead: Ahead, source: &mut Fill<'_>) -> io::Result<Outcome> {
        self.filled = 0;
        if self.memory.len() > KEEP {
            self.memory = Vec::new();
        }
        let base = options.base;
        let available = options.size.map(|size| to_usize(size.saturating_sub(base)));
        let mut indexer = Indexer::new(options);
        let mut target = FIRST;
        let mut needed = 4;
        let mut ended = false;
        loop {
            if let Some(available) = available {
                target = target.min(available);
                needed = needed.min(available);
            }
            let enough = match ahead {
                Ahead::Chunks => target,
                Ahead::AsItComes => needed,
            };
            ended |= !self.fill(enough, target, available, source)?;
            ended |= available.is_some_and(|available| self.filled >= available);
            let taken = to_usize(indexer.position().saturating_sub(base));
            let input = self.bytes().get(taken..).unwrap_or_default();
            match indexer.advance(input, !ended) {
                Progress::Finished => break,
                Progress::Need { at, min } => {
                    needed = to_usize(at.saturating_sub(base).saturating_add(min)).max(self.filled + 1);
                    target = self.filled.saturating_add(self.filled.clamp(FIRST, self.max_step));
                    // A need that the source can back is met at once; one that nobody has vouched for is approached.
                    if available.is_some() || ahead == Ahead::AsItComes {
                        target = target.max(needed);
                    }
                }
            }
        }
        let taken = to_usize(indexer.position().saturating_sub(base));
        let outcome = indexer.finish();
        // Values of known width are jumped over; the last of them may lie past what was read so far.
        let head = outcome.index.as_ref().map_or(0, |index| to_usize(index.head_end().saturating_sub(base)));
        if self.filled < head && !ended {
            ended = !self.fill(head, head, available, source)?;
        }
        // The source was shorter than it said, and something that is not there was jumped over: what was read is
        // read again, from memory, as the short source that it is.
        let short = available.is_some_and(|available| self.filled < available) && ended;
        if short && (self.filled < head || self.filled < taken) {
            let size = base.saturating_add(self.filled as u64);
            return Ok(parse(self.bytes(), options.with_size(Some(size))));
        }
        Ok(outcome)
    }

    /// Reads until `enough` bytes are there, with room for up to `target`; false when the source ended first.
    fn fill(
        &mut self,
        enough: usize,
        target: usize,
        available: Option<usize>,
        source: &mut Fill<'_>,
    ) -> io::Result<bool> {
        while self.filled < enough {
            // Without a known size nobody vouches for `target`: memory at most doubles what has arrived.
            let room = match available {
                Some(_) => target,
                None => target.min(self.filled.saturating_add(self.filled.clamp(FIRST, self.max_step))),
            };
            self.reserve(room, available);
            let Some(rest) = self.memory.get_mut(self.filled..room) else { return Ok(false) };
            let rest_len = rest.len();
            match source(rest, self.filled as u64) {
                Ok(0) => return Ok(false),
                Ok(n) => self.filled += n.min(rest_len),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// Makes the memory at least `len` bytes long, keeping what was filled.
    fn reserve(&mut self, len: usize, available: Option<usize>) {
        if self.memory.len() >= len {
            return;
        }
        let block = BLOCKS.iter().copied().find(|&block| block >= len);
        let size = match (block, available) {
            // The smallest block is always whole, so that many small files of different sizes share it.
            (Some(FIRST), _) => FIRST,
            (Some(block), Some(available)) => block.min(available.max(len)),
            (Some(block), None) => block,
            (None, Some(available)) => len.saturating_mul(2).min(available.max(len)),
            (None, None) => len.saturating_mul(2),
        };
        // Zeroed memory of this size comes straight from the system and is not touched here, unlike that of
        // `Vec::resize`.
        let mut memory = vec![0; size];
        map::advise_huge(&mut memory);
        if let (Some(to), Some(from)) = (memory.get_mut(..self.filled), self.memory.get(..self.filled)) {
            to.copy_from_slice(from);
        }
        self.memory = memory;
    }
}

/// Reads some bytes that stand so far behind the magic.
type Fill<'a> = dyn FnMut(&mut [u8], u64) -> io::Result<usize> + 'a;

/// How far a reading runs ahead of the parser.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ahead {
    /// Whole chunks: every call costs, waiting does not.
    Chunks,
    /// What has arrived is looked at before more is waited for.
    AsItComes,
}

fn to_usize(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}
