//! What is hashed of a model, what cannot be, and what came of it.

use std::fmt;
use std::io;
use std::num::NonZeroUsize;

use ggufkit_format::{Span, View, exchange};
use ggufkit_io::{DataError, DynSource, TensorReader};

use crate::{Algorithm, Digest, pass};

/// A file of the model.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    /// Its head.
    pub view: View<'a>,
    /// Where its bytes are read.
    pub source: &'a DynSource,
}

/// A choice of tensors by their names.
pub type Names<'a> = &'a (dyn Fn(&[u8]) -> bool + Sync);

/// Which digests are asked for.
#[derive(Clone, Copy, Default)]
pub struct Request<'a> {
    /// Of each tensor; [`Algorithm::Identity`] is none of them.
    pub layers: &'a [Algorithm],
    /// Of all data one after the other, file by file in the order of the tensor tables; and the identity.
    pub whole: &'a [Algorithm],
    /// Only tensors whose names this takes; where something is asked for of the whole, all are taken.
    pub only: Option<Names<'a>>,
}

/// A tensor and what is known of it.
#[derive(Debug)]
pub struct Entry {
    /// The file that holds it, from 0.
    pub part: usize,
    /// Its place in that file's table.
    pub tensor: usize,
    /// Its data, where it can be told; what is hashed where `problem` says nothing else.
    pub span: Option<Span>,
    /// Why it is not hashed.
    pub problem: Option<NotHashed>,
}

/// Why a tensor is not hashed.
#[derive(Debug)]
#[non_exhaustive]
pub enum NotHashed {
    /// Its data is not there or its size is not known.
    Data(DataError),
    /// Its type is not known, so that nobody can tell data from padding.
    UnknownType,
    /// Some of its bytes are those of a tensor before it, too.
    Overlap,
    /// The system refused.
    Unreadable(io::Error),
}

impl NotHashed {
    /// A short stable word for it, for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Data(error) => error.code(),
            Self::UnknownType => "unknown-size",
            Self::Overlap => "overlapping-data",
            Self::Unreadable(error) if error.kind() == io::ErrorKind::UnexpectedEof => "unexpected-end",
            Self::Unreadable(_) => "io",
        }
    }
}

impl fmt::Display for NotHashed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // It names the tensor, which whoever shows this has named.
            Self::Data(error) => {
                let text = error.to_string();
                f.write_str(text.split_once("\": ").map_or(&*text, |(_, reason)| reason))
            }
            Self::UnknownType => {
                f.write_str("its type is not known, so that its data cannot be told from padding")
            }
            Self::Overlap => f.write_str("some of its bytes are another tensor's, too"),
            Self::Unreadable(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                f.write_str("the file ended while it was read")
            }
            Self::Unreadable(error) => write!(f, "cannot be read: {error}"),
        }
    }
}

impl std::error::Error for NotHashed {}

/// What is going to be hashed.
pub struct Plan<'a> {
    pub(crate) parts: &'a [Part<'a>],
    pub(crate) request: Request<'a>,
    pub(crate) entries: Vec<Entry>,
    /// Places in `entries` of what is read, and how many bytes each has.
    pub(crate) items: Vec<usize>,
    pub(crate) lengths: Vec<u64>,
    /// Whether digests of the whole can be had.
    pub(crate) complete: bool,
    /// The first tensor that an identity cannot be had with.
    pub(crate) without_rule: Option<usize>,
}

impl<'a> Plan<'a> {
    /// Looks at the tables; no data is read.
    #[must_use]
    pub fn new(parts: &'a [Part<'a>], request: Request<'a>) -> Self {
        let mut entries: Vec<Entry> = Vec::new();
        let only = request.only.filter(|_| request.whole.is_empty());
        let mut without_rule = None;
        for (part, file) in parts.iter().enumerate() {
            let reader = TensorReader::new(file.source, file.view);
            let from = entries.len();
            for (tensor, (name, record)) in file.view.tensors().enumerate() {
                if only.is_some_and(|only| !only(name.0)) {
                    continue;
                }
                let known = record.tensor_type.info().is_some_and(|info| !info.is_removed());
                let (span, problem) = match reader.extent(record) {
                    _ if !known => (None, Some(NotHashed::UnknownType)),
                    Ok(extent) => (Some(extent.span), None),
                    Err(error) => (None, Some(NotHashed::Data(error))),
                };
                if !exchange::has_rule(record.tensor_type, file.view.index().header().endian) {
                    without_rule.get_or_insert(entries.len());
                }
                entries.push(Entry { part, tensor, span, problem });
            }
            refuse_overlaps(entries.get_mut(from..).unwrap_or_default());
        }
        let complete = entries.iter().all(|entry| entry.problem.is_none());
        let wanted = complete || !request.layers.is_empty();
        let read = entries.iter().enumerate().filter(|(_, entry)| wanted && entry.problem.is_none());
        let (items, lengths) = read.filter_map(|(at, entry)| Some((at, entry.span?.len))).unzip();
        Self { parts, request, entries, items, lengths, complete, without_rule }
    }

    /// Bytes that will be read.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.lengths.iter().fold(0, |sum, len| sum.saturating_add(*len))
    }

    /// Whether the identity is asked for and can be had.
    pub(crate) fn identifies(&self) -> bool {
        self.complete && self.without_rule.is_none() && self.request.whole.contains(&Algorithm::Identity)
    }

    /// Reads and hashes, by at most `threads` threads. `progress` is told of the bytes that were read since it was last
    /// called, from any thread.
    #[must_use]
    pub fn run(self, threads: NonZeroUsize, progress: &(dyn Fn(u64) + Sync)) -> Hashes {
        pass::run(self, threads, progress)
    }
}

/// No byte is hashed as two tensors', so that a small file cannot make much work.
fn refuse_overlaps(entries: &mut [Entry]) {
    let mut own: Vec<(Span, usize)> = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        own.extend(entry.span.filter(|span| span.len > 0).map(|span| (span, at)));
    }
    own.sort_unstable_by_key(|(span, at)| (span.start, *at));
    let mut claimed = 0;
    for (span, at) in own {
        if span.start >= claimed {
            claimed = span.end();
        } else if let Some(entry) = entries.get_mut(at) {
            entry.problem = Some(NotHashed::Overlap);
        }
    }
}

/// What came of it.
#[derive(Debug)]
pub struct Hashes {
    /// The tensors, file by file in the order of the tables.
    pub entries: Vec<Entry>,
    /// The first of `entries` whose type has no rule for its byte order, so that there is no identity.
    pub without_rule: Option<usize>,
    /// Of the tensors: as many a tensor as were asked for.
    pub(crate) layers: Vec<Option<Digest>>,
    pub(crate) algorithms: Vec<Algorithm>,
    /// Of the whole.
    pub(crate) whole: Vec<Digest>,
}

impl Hashes {
    /// A digest of a tensor, by its place in [`entries`](Self::entries): where it was asked for and the tensor could be
    /// read.
    #[must_use]
    pub fn layer(&self, entry: usize, algorithm: Algorithm) -> Option<&Digest> {
        let slot = self.algorithms.iter().position(|other| *other == algorithm)?;
        let at = entry.checked_mul(self.algorithms.len())?.checked_add(slot)?;
        self.layers.get(at)?.as_ref().filter(|_| self.entries.get(entry).is_some_and(|e| e.problem.is_none()))
    }

    /// A digest of the whole: where it was asked for, and every tensor could be read.
    #[must_use]
    pub fn whole(&self, algorithm: Algorithm) -> Option<&Digest> {
        self.whole.iter().find(|digest| digest.algorithm() == algorithm)
    }

    /// Whether every tensor was hashed.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.entries.iter().all(|entry| entry.problem.is_none())
    }
}
