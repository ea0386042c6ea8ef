//! What else there is to say about a file whose head was read, or could not be.
//!
//! The parser says where a head stops being one. This module looks around that: whether the file is something else,
//! whether it follows a mis-written layout, whether its data is all there, and what stands behind it. It reads little: some
//! KiB behind the data and in gaps, never the weights.

use std::fmt;
use std::io;

use ggufkit_format::extents::{Extents, Reaching};
use ggufkit_format::identify::{Identity, find_magic, identify};
use ggufkit_format::layout::PLAUSIBLE_SIZE;
use ggufkit_format::{
    Dialect, HeaderPart, Index, Indexer, Options, Outcome, ParseError, Path, Progress, ReadAt, Reason, Span,
    layout,
};

use crate::file::read_full;
use crate::head::HeadBuffer;

/// Bytes of a gap or of trailing data in which a second magic is looked for.
const LOOK: usize = 8 << 10;

/// Gaps between tensors that are looked into.
const MAX_GAPS: usize = 64;

/// Head of a file that is tried in another layout, at most.
const MAX_GUESS_HEAD: u64 = 64 << 20;

/// Bytes of a GGUF without key-values and tensors, of version 1.
const SHORTEST_HEADER: u64 = 16;

/// What was noticed about a file. The default is: nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Diagnosis {
    /// What the file is, where it does not begin like a GGUF.
    pub identity: Option<Identity>,
    /// The GGUF was said to begin where the file ends, or so close to its end that no header fits. The bytes there say
    /// nothing about what the file is.
    pub outside: Option<Outside>,
    /// The mis-written layout that the file follows: in it, and not in the standard one, the head can be read to its end
    /// and every tensor lies in the file.
    pub dialect: Option<Dialect>,
    /// The head is whole, and the file ends before its tensors do.
    pub partial: Option<Partial>,
    /// Position of a second GGUF, behind the data of this one or between its tensors: files that were joined by `cat`.
    pub joined: Option<u64>,
    /// Bytes behind the last tensor and its padding (behind the head, where there are no tensors).
    pub trailing: u64,
}

/// How much of a file is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Partial {
    /// Length in bytes that the file must have for its last tensor to be in it.
    pub wanted: u64,
    /// Length in bytes that it has.
    pub present: u64,
}

/// A start that was given and cannot be one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outside {
    /// The start, [`Options::base`].
    pub offset: u64,
    /// Bytes from there to the end of the file.
    pub rest: u64,
    /// Length of the file in bytes, where it is known.
    pub size: Option<u64>,
}

impl Outside {
    /// What is wrong with the start, and what can be done about it.
    #[must_use]
    pub fn message(&self) -> Message {
        let Self { offset, rest, size } = self;
        let has = match size {
            Some(1) => ", which has 1 byte".to_owned(),
            Some(size) => format!(", which has {size} bytes"),
            None => String::new(),
        };
        let text = match (rest, size) {
            (0, Some(size)) if size == offset => format!("offset {offset} is the end of the file{has}"),
            (0, _) => format!("offset {offset} is beyond the end of the file{has}"),
            (1, _) => format!("only 1 byte follows offset {offset} of the file{has}: too few for a GGUF"),
            (n, _) => format!("only {n} bytes follow offset {offset} of the file{has}: too few for a GGUF"),
        };
        Message {
            text,
            help: Some("the offset is the position of the magic \"GGUF\" in the file".to_owned()),
        }
    }
}

/// Something to tell a person.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// What was noticed, one sentence without a full stop.
    pub text: String,
    /// What can be done about it.
    pub help: Option<String>,
}

impl Diagnosis {
    /// Whether nothing was noticed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What was noticed, in words.
    #[must_use]
    pub fn messages(&self) -> Vec<Message> {
        let mut messages = Vec::new();
        if let Some(identity) = &self.identity {
            messages.push(Message { text: identity.describe(), help: identity.help() });
        }
        messages.extend(self.outside.as_ref().map(Outside::message));
        if let Some(dialect) = &self.dialect {
            messages.push(Message {
                text: format!(
                    "the file follows a mis-written layout, {}",
                    ggufkit_format::dialect::describe(dialect)
                ),
                help: Some(format!("read it with --dialect {dialect}; `gguf repair` writes it anew")),
            });
        }
        if let Some(Partial { wanted, present }) = self.partial {
            let missing = match wanted.saturating_sub(present) {
                1 => "1 byte is missing".to_owned(),
                n => format!("{n} bytes are missing"),
            };
            messages.push(Message {
                text: format!(
                    "the file ends before its tensors do: they end at {wanted} bytes, the file has {present}; {missing}"
                ),
                help: Some(
                    if wanted > PLAUSIBLE_SIZE {
                        "no file is so long: the tensor table is damaged"
                    } else {
                        "the download is not complete: compare the size with the publisher's, and resume it or fetch \
                         it again"
                    }
                    .to_owned(),
                ),
            });
        }
        if let Some(position) = self.joined {
            messages.push(Message {
                text: format!("a second GGUF begins at offset {position:#x}, inside this file"),
                help: Some(
                    "shards are not joined with cat: `gguf repair FILE --separate -o FOLDER` cuts the file apart there"
                        .to_owned(),
                ),
            });
        } else if self.trailing > 0 {
            messages.push(Message {
                text: match self.trailing {
                    1 => "1 byte follows the last tensor and belongs to nothing".to_owned(),
                    n => format!("{n} bytes follow the last tensor and belong to nothing"),
                },
                help: None,
            });
        }
        messages
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, Message { text, help }) in self.messages().iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            f.write_str(text)?;
            if let Some(help) = help {
                write!(f, "; {help}")?;
            }
        }
        Ok(())
    }
}

/// Looks around a head that was read from `source` with `options`: `outcome` is what the reading came to, `head` its
/// bytes from the magic on.
///
/// A sound file costs no read here.
///
/// # Errors
/// The source's own.
pub fn diagnose<S>(source: &S, options: Options, outcome: &Outcome, head: &[u8]) -> io::Result<Diagnosis>
where
    S: ReadAt<Error = io::Error> + ?Sized,
{
    let options = options.with_size(options.size.or_else(|| source.size()));
    let mut read = |outcome: Options| candidate(source, outcome, head);
    let mut diagnosis = look_at_head(options, outcome, head, &mut read)?;
    let (Some(index), Some(size)) = (&outcome.index, options.size) else { return Ok(diagnosis) };
    if !index.is_complete() || diagnosis.dialect.is_some() {
        return Ok(diagnosis);
    }
    let data = Data::of(index);
    if data.wanted > size {
        diagnosis.partial = Some(Partial { wanted: data.wanted, present: size });
        return Ok(diagnosis);
    }
    let look = |from: u64, len: u64| -> io::Result<Option<u64>> {
        let len = usize::try_from(len).map_or(LOOK, |len| len.min(LOOK));
        let mut buffer = vec![0; len];
        let read = read_full(source, &mut buffer, from)?;
        let found = find_magic(buffer.get(..read).unwrap_or_default(), 0);
        Ok(found.map(|at| from.saturating_add(at as u64)))
    };
    if let Some(end) = data.end {
        let padding = layout::padding(end.saturating_sub(index.header().base), index.alignment());
        diagnosis.trailing = size.saturating_sub(end.saturating_add(padding));
        if diagnosis.trailing > 0 {
            diagnosis.joined = look(end, size.saturating_sub(end))?;
        }
    }
    for gap in &data.gaps {
        if diagnosis.joined.is_none() {
            diagnosis.joined = look(gap.start, gap.len.min(size.saturating_sub(gap.start)))?;
        }
    }
    Ok(diagnosis)
}

/// As [`diagnose`], for a stream, of which nothing is left but the bytes in `head`.
#[must_use]
pub fn diagnose_stream(options: Options, outcome: &Outcome, head: &[u8]) -> Diagnosis {
    let mut read = |options| {
        let mut indexer = Indexer::new(options);
        indexer.advance(head, false);
        Ok(indexer.finish())
    };
    // Nothing is read, so nothing can fail.
    look_at_head(options, outcome, head, &mut read).unwrap_or_default()
}

/// What can be said from the head: what the file is, and which dialect it follows.
fn look_at_head(
    options: Options,
    outcome: &Outcome,
    head: &[u8],
    read: &mut dyn FnMut(Options) -> io::Result<Outcome>,
) -> io::Result<Diagnosis> {
    let mut diagnosis = Diagnosis::default();
    let rest = options.size.map(|size| size.saturating_sub(options.base));
    if let (None, Some(error)) = (&outcome.index, &outcome.error)
        && matches!(error.path(), Path::Header(_))
        && !head.starts_with(&ggufkit_format::MAGIC)
    {
        let there = rest.unwrap_or(head.len() as u64);
        if options.base > 0 && there < SHORTEST_HEADER {
            diagnosis.outside = Some(Outside { offset: options.base, rest: there, size: options.size });
        } else {
            diagnosis.identity = Some(identify(head, rest));
        }
        return Ok(diagnosis);
    }
    if options.dialect == Dialect::STANDARD && is_doubtful(outcome, options.size) {
        let limits = options.limits.with_max_head(options.limits.max_head.min(MAX_GUESS_HEAD));
        for (_, dialect) in Dialect::CANDIDATES {
            if is_the_same_so_far(outcome, *dialect) {
                continue;
            }
            let tried = read(options.with_dialect(*dialect).with_strict(true).with_limits(limits))?;
            if tried.error.is_none() && tried.index.is_some_and(|index| fits(&index, options.size)) {
                diagnosis.dialect = Some(*dialect);
                break;
            }
        }
    }
    Ok(diagnosis)
}

/// Whether the standard reading leaves room for another layout: it failed behind the version, or the tensor table makes no
/// sense.
fn is_doubtful(outcome: &Outcome, size: Option<u64>) -> bool {
    match (&outcome.index, &outcome.error) {
        (_, Some(error)) => {
            !matches!(error.reason(), Reason::BadMagic { .. } | Reason::BadVersion { .. })
                && !matches!(error.path(), Path::Header(HeaderPart::Magic | HeaderPart::Version))
        }
        (Some(index), None) => {
            let size = size.unwrap_or(u64::MAX);
            index.tensors().iter().any(|tensor| {
                tensor.tensor_type.info().is_none()
                    || index.data_position(tensor).is_none_or(|position| position > size)
            })
        }
        (None, None) => false,
    }
}

/// Whether a dialect differs from the standard only in what the standard reading did not come to, so that it would fail at
/// the same byte.
fn is_the_same_so_far(outcome: &Outcome, dialect: Dialect) -> bool {
    let in_metadata =
        outcome.error.as_ref().map(ParseError::path).is_some_and(|path| matches!(path, Path::Kv { .. }));
    in_metadata && dialect == Dialect::OFFSET_BEFORE_TYPE
}

/// Reads a head in another layout, from the bytes at hand as far as they go.
fn candidate<S>(source: &S, options: Options, head: &[u8]) -> io::Result<Outcome>
where
    S: ReadAt<Error = io::Error> + ?Sized,
{
    let there = options.base.saturating_add(head.len() as u64);
    let mut indexer = Indexer::new(options);
    match indexer.advance(head, options.size.is_none_or(|size| there < size)) {
        Progress::Finished => Ok(indexer.finish()),
        Progress::Need { .. } => HeadBuffer::new().read(source, options),
    }
}

/// Whether everything in a head that was read in another layout makes sense: it holds something, all types are known, all
/// tensors lie in the file, none over another.
fn fits(index: &Index, size: Option<u64>) -> bool {
    if !index.is_complete() || (index.kvs().is_empty() && index.tensors().is_empty()) {
        return false;
    }
    let Some(start) = index.data_start() else { return false };
    Extents::of(index).reaches().all(|reach| {
        let end = reach.extent.end().and_then(|end| start.checked_add(end));
        end.is_some_and(|end| size.is_none_or(|size| end <= size)) && reach.overlaps().is_none()
    })
}

/// Where the data of a head's tensors lies in the source.
struct Data {
    /// End of the data, as far as sizes are known: the file must be at least so long.
    wanted: u64,
    /// End of the data; `None` when the last tensor's size is not known.
    end: Option<u64>,
    /// Bytes between tensors that are more than padding.
    gaps: Vec<Span>,
}

impl Data {
    fn of(index: &Index) -> Self {
        let mut data = Self { wanted: 0, end: Some(index.head_end()), gaps: Vec::new() };
        let Some(start) = index.data_start().filter(|_| !index.tensors().is_empty()) else { return data };
        let absolute = |offset: u64| start.checked_add(offset);
        let extents = Extents::of(index);
        let mut reaching = Reaching::default();
        for extent in extents.as_slice() {
            // A tensor of unknown size is known to begin; one whose position overflows is no help here.
            let Some(begin) = absolute(extent.offset) else { continue };
            let gap = reaching.before(extent).gap(index.alignment());
            if let Some(from) =
                gap.and_then(|(from, _)| absolute(from)).filter(|_| data.gaps.len() < MAX_GAPS)
            {
                data.gaps.push(Span::between(from, begin));
            }
            reaching.pass(extent);
            data.wanted = data.wanted.max(extent.end().and_then(absolute).unwrap_or(begin));
            data.end = reaching.end().and_then(|(_, end)| absolute(end));
        }
        data
    }
}
