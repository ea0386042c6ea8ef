//! From the parser's events to an [`Index`].

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::error::ParseError;
use crate::index::{AlignmentSource, Header, Index, Inner, Kv, Outcome, Tensor};
use crate::layout;
use crate::parser::{Event, Options, Parser, Step};

/// What an [`Indexer`] says after it was given bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// Give it the source's bytes from `at` on, at least `min` of them or all that there are.
    Need {
        /// Absolute position of the first byte wanted.
        at: u64,
        /// Fewest bytes that let the reading go on.
        min: u64,
    },
    /// The head was read, or cannot be read further: take the [`Outcome`] with [`Indexer::finish`].
    Finished,
}

/// Builds an [`Index`] from the bytes of a head, however they are cut.
///
/// ```
/// use ggufkit_format::{Indexer, Options, Progress};
/// let bytes = *b"GGUF\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
/// let mut indexer = Indexer::new(Options::new());
/// let mut given = 0;
/// while let Progress::Need { at, min } = indexer.advance(&bytes[..given], given < bytes.len()) {
///     assert_eq!(at, 0); // this head is read in one piece
///     given = min as usize;
/// }
/// let index = indexer.finish().into_result()?;
/// assert_eq!((index.header().version, index.kvs().len()), (3, 0));
/// # Ok::<(), ggufkit_format::ParseError>(())
/// ```
#[derive(Debug)]
pub struct Indexer {
    parser: Parser,
    header: Option<Header>,
    kvs: Vec<Kv>,
    tensors: Vec<Tensor>,
    dims: Vec<u64>,
    error: Option<ParseError>,
    done: bool,
}

impl Indexer {
    /// An indexer at the start of a head.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self {
            parser: Parser::new(options),
            header: None,
            kvs: Vec::new(),
            tensors: Vec::new(),
            dims: Vec::new(),
            error: None,
            done: false,
        }
    }

    /// Absolute position of the next byte wanted.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.parser.position()
    }

    /// Reads on from `input`, the source's bytes from [`Indexer::position`]; `more` tells whether bytes may follow it.
    pub fn advance(&mut self, input: &[u8], more: bool) -> Progress {
        let start = self.parser.position();
        let mut rest = input;
        loop {
            match self.parser.next(rest, more) {
                Ok(Step::Need { at, min }) if more => return Progress::Need { at, min },
                // Without more bytes every need is an error inside the parser; this arm is for completeness.
                Ok(Step::Need { .. }) => return Progress::Finished,
                Ok(Step::Done) => {
                    self.done = self.error.is_none();
                    return Progress::Finished;
                }
                Ok(Step::Event(event)) => self.take(event),
                Err(error) => {
                    self.error = Some(error);
                    return Progress::Finished;
                }
            }
            let taken = self.parser.position().saturating_sub(start);
            rest = usize::try_from(taken).ok().and_then(|n| input.get(n..)).unwrap_or_default();
        }
    }

    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Header(header) => self.header = Some(header),
            Event::Key(_) => {}
            Event::Value(kv) => self.kvs.push(kv),
            Event::Tensor(event) => {
                let mut tensor = event.tensor;
                // The pool holds at most the bytes of the head, so its length fits where a head of 16 GiB fits.
                tensor.dims.0 = u32::try_from(self.dims.len()).unwrap_or(u32::MAX);
                self.dims.extend(event.dims.iter());
                self.tensors.push(tensor);
            }
        }
    }

    /// The outcome: all that was read, and what ended it.
    #[must_use]
    pub fn finish(mut self) -> Outcome {
        let Some(header) = self.header else { return Outcome { index: None, error: self.error } };
        let (alignment, alignment_source) = self.parser.alignment();
        let (mut anomalies, anomalies_left_out) = self.parser.take_anomalies();
        anomalies.shrink_to_fit();
        self.kvs.shrink_to_fit();
        self.tensors.shrink_to_fit();
        self.dims.shrink_to_fit();
        let head_end = self
            .tensors
            .last()
            .map(|t| t.span.end())
            .or_else(|| self.kvs.last().map(|kv| kv.span.end()))
            .unwrap_or(header.span.end());
        let data_start = self
            .done
            .then(|| {
                layout::align_up(head_end.saturating_sub(header.base), alignment)?.checked_add(header.base)
            })
            .flatten();
        let inner = Inner {
            header,
            kvs: self.kvs,
            tensors: self.tensors,
            dims: self.dims,
            alignment,
            alignment_source,
            head_end,
            data_start,
            anomalies,
            anomalies_left_out,
            complete: self.done,
        };
        Outcome { index: Some(Index(Arc::new(inner))), error: self.error }
    }
}

/// Reads a head that is wholly in memory: `bytes` begins at the magic ([`Options::base`] says where that is in the
/// source) and may go on past the head.
///
/// ```
/// use ggufkit_format::{parse, Options};
/// let outcome = parse(b"GGUF\x04\0\0\0", Options::new());
/// assert_eq!(outcome.error.map(|e| e.code()), Some("bad-version"));
/// ```
#[must_use]
pub fn parse(bytes: &[u8], options: Options) -> Outcome {
    let mut indexer = Indexer::new(options);
    indexer.advance(bytes, false);
    indexer.finish()
}

impl AlignmentSource {
    /// `"default"`, `"key"`, `"unusable-key"` or `"header"`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Key(_) => "key",
            Self::Unusable(_) => "unusable-key",
            Self::Header => "header",
        }
    }
}
