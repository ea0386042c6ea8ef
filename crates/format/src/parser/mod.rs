//! The sans-IO parser: bytes in, events out, nothing else.
//!
//! It owns the order of the fields and the reason why each next length is known. It does not own the bytes, does not
//! allocate by declared counts, and does not judge: what is odd but locatable becomes an [`Anomaly`].
//!
//! The head of a file is walked once, forwards. [`Parser::next`] is given the bytes from [`Parser::position`] on, as
//! many as there are; [`Step::Need`] is its normal answer when they are too few.

mod array;
mod lanes;
mod record;
pub(crate) mod strings;

use alloc::vec::Vec;

use crate::anomaly::{Anomaly, AnomalyKind};
use crate::dialect::{Dialect, HeaderTrait};
use crate::endian::Endian;
use crate::error::{ParseError, Reason};
use crate::index::{AlignmentSource, Header, Kv, Scalar, Tensor};
use crate::layout::DEFAULT_ALIGNMENT;
use crate::limits::Limits;
use crate::path::{HeaderPart, Path};
use crate::span::Span;
use crate::spec::ValueType;

use self::array::ArrayWalk;
use self::record::{Pending, Unit};

/// The four bytes that every GGUF file begins with, in either byte order.
pub const MAGIC: [u8; 4] = *b"GGUF";

/// Anomalies that are kept; more are only counted, so that no file can fill memory with its oddities.
const MAX_ANOMALIES: usize = 1024;

/// How to read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Position of the magic in the source, for a GGUF inside a larger file. Default 0.
    pub base: u64,
    /// Length of the source in bytes, where it is known. Lengths are then tested before anything is asked for.
    pub size: Option<u64>,
    /// Budgets.
    pub limits: Limits,
    /// The layout to read. Default: the standard one.
    pub dialect: Dialect,
    /// Whether text is judged (UTF-8 or not). Default true. Without it, long values may be jumped over.
    pub text: bool,
    /// Whether implausible things stop the reading. Only for guessing a dialect. Default false.
    pub strict: bool,
}

impl Options {
    /// The defaults.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            base: 0,
            size: None,
            limits: Limits::DEFAULT,
            dialect: Dialect::STANDARD,
            text: true,
            strict: false,
        }
    }

    /// The same options for a GGUF that begins at `base`.
    #[must_use]
    pub const fn with_base(mut self, base: u64) -> Self {
        self.base = base;
        self
    }

    /// The same options for a source of known length.
    #[must_use]
    pub const fn with_size(mut self, size: Option<u64>) -> Self {
        self.size = size;
        self
    }

    /// The same options with other budgets.
    #[must_use]
    pub const fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The same options for another layout.
    #[must_use]
    pub const fn with_dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// The same options, judging text or not.
    #[must_use]
    pub const fn with_text(mut self, text: bool) -> Self {
        self.text = text;
        self
    }

    /// The same options, refusing what is implausible or not.
    #[must_use]
    pub const fn with_strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}

/// The parser's answer to some bytes.
#[derive(Debug)]
pub enum Step<'a> {
    /// More bytes are needed before anything can be said: the source from position `at` on, at least `min` bytes of it
    /// (or all that there are). `at` is [`Parser::position`]; bytes before it are not asked for again.
    Need {
        /// Absolute position of the first byte wanted. It may lie past the bytes given: what lies between is skipped.
        at: u64,
        /// Fewest bytes with which the next step can succeed. A source of unknown length should not allocate by it.
        min: u64,
    },
    /// Something was read.
    Event(Event<'a>),
    /// The head was read to its end.
    Done,
}

/// Something that was read. Spans are absolute.
#[derive(Debug)]
pub enum Event<'a> {
    /// The header.
    Header(Header),
    /// A key and its value's type; the value comes next.
    Key(Key<'a>),
    /// A whole key-value.
    Value(Kv),
    /// A tensor-info record, its dimensions in a form that borrows from the input.
    Tensor(TensorEvent<'a>),
}

/// A key, before its value is read.
#[derive(Clone, Copy, Debug)]
pub struct Key<'a> {
    /// Position in the metadata, from 0.
    pub index: u64,
    /// The key's bytes.
    pub bytes: &'a [u8],
    /// Where the record begins.
    pub start: u64,
    /// Type of the value.
    pub value_type: ValueType,
    /// Where the value begins: a string's length, an array's header, a scalar's bytes.
    pub value_start: u64,
}

/// A tensor-info record.
#[derive(Clone, Copy, Debug)]
pub struct TensorEvent<'a> {
    /// Position in the tensor table, from 0.
    pub index: u64,
    /// The record; its dimensions are in `dims`.
    pub tensor: Tensor,
    /// The name's bytes.
    pub name: &'a [u8],
    /// The dimensions.
    pub dims: Dims<'a>,
}

/// Dimensions as they stand in the file: u64 each, u32 in version 1.
#[derive(Clone, Copy, Debug)]
pub struct Dims<'a> {
    bytes: &'a [u8],
    width: usize,
    endian: Endian,
}

impl<'a> Dims<'a> {
    /// The dimensions, the row length first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = u64> + 'a {
        let endian = self.endian;
        self.bytes.chunks_exact(self.width.max(1)).map(move |chunk| {
            match (chunk.first_chunk(), chunk.first_chunk()) {
                (Some(eight), _) => endian.u64(*eight),
                (None, Some(four)) => endian.u32(*four).into(),
                (None, None) => 0,
            }
        })
    }
}

#[derive(Debug)]
enum State {
    Header,
    /// At the start of a key-value, or of the tensor table when all were read.
    Kv,
    /// After a key, before its value.
    Value(Pending),
    /// Inside an array.
    Array(Pending, ArrayWalk),
    Done,
}

/// A resumable reader of one head; [`Indexer`](crate::Indexer) is the usual way to use it.
///
/// The head is walked once, forwards. [`Parser::next`] is given the bytes from [`Parser::position`] on, as many as there
/// are; [`Step::Need`] is its normal answer when they are too few.
#[derive(Debug)]
pub struct Parser {
    options: Options,
    position: u64,
    state: State,
    /// Bytes that the current unit is known to need; spares a re-reading when fewer arrive.
    known_need: u64,
    header: Option<Header>,
    kvs_read: u64,
    tensors_read: u64,
    alignment: Alignment,
    /// The current key or tensor name, cut to what an error shows.
    name: Vec<u8>,
    anomalies: Vec<Anomaly>,
    anomalies_left_out: u64,
}

#[derive(Clone, Copy, Debug)]
struct Alignment {
    value: u64,
    source: AlignmentSource,
    unusable: Option<(Span, u64, ValueType, Option<i128>)>,
}

impl Parser {
    /// A parser at the start of a head.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self {
            position: options.base,
            options,
            state: State::Header,
            known_need: 0,
            header: None,
            kvs_read: 0,
            tensors_read: 0,
            alignment: Alignment {
                value: DEFAULT_ALIGNMENT,
                source: AlignmentSource::Default,
                unusable: None,
            },
            name: Vec::new(),
            anomalies: Vec::new(),
            anomalies_left_out: 0,
        }
    }

    /// Absolute position of the next byte to read; input begins there.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The header, once it was read.
    #[must_use]
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// Alignment of the data section as far as it is known, and where it comes from.
    #[must_use]
    pub fn alignment(&self) -> (u64, AlignmentSource) {
        (self.alignment.value, self.alignment.source)
    }

    /// What was odd so far.
    #[must_use]
    pub fn anomalies(&self) -> &[Anomaly] {
        &self.anomalies
    }

    pub(crate) fn take_anomalies(&mut self) -> (Vec<Anomaly>, u64) {
        (core::mem::take(&mut self.anomalies), self.anomalies_left_out)
    }

    /// Reads on from `input`, the source's bytes from [`Parser::position`]; `more` tells whether bytes may follow it.
    ///
    /// After an event, the position has moved: the next call's input begins there. After [`Step::Done`] and after an
    /// error, further calls answer [`Step::Done`].
    ///
    /// # Errors
    /// The next item cannot be located: see [`Reason`].
    pub fn next<'a>(&mut self, input: &'a [u8], more: bool) -> Result<Step<'a>, ParseError> {
        if more && u64::try_from(input.len()).unwrap_or(u64::MAX) < self.known_need {
            return Ok(Step::Need { at: self.position, min: self.known_need });
        }
        self.known_need = 0;
        let state = core::mem::replace(&mut self.state, State::Done);
        let result = match state {
            State::Header => self.read_header(input, more),
            State::Kv => self.read_record(input, more),
            State::Value(pending) => self.read_value(pending, input, more),
            State::Array(pending, walk) => self.read_array(pending, walk, input, more),
            State::Done => Ok(Step::Done),
        };
        match result {
            Ok(step) => {
                if let Step::Need { min, .. } = step {
                    self.known_need = min;
                }
                Ok(step)
            }
            Err(error) => {
                self.state = State::Done;
                Err(self.decorate(error))
            }
        }
    }

    fn decorate(&self, error: ParseError) -> ParseError {
        let error = error.with_dialect(self.options.dialect);
        let error = match error.path() {
            Path::Kv { .. } | Path::Tensor { .. } if !self.name.is_empty() => error.with_name(&self.name),
            _ => error,
        };
        match (&self.header, error.reason(), error.path()) {
            (Some(h), Reason::UnexpectedEnd { .. }, Path::Kv { .. }) => {
                error.with_declared("key-values", h.kv_count)
            }
            (Some(h), Reason::UnexpectedEnd { .. }, Path::Tensor { .. }) => {
                error.with_declared("tensors", h.tensor_count)
            }
            _ => error,
        }
    }

    fn note(&mut self, kind: AnomalyKind, span: Span, path: Path) {
        if self.anomalies.len() < MAX_ANOMALIES {
            self.anomalies.push(Anomaly { kind, span, path });
        } else {
            self.anomalies_left_out = self.anomalies_left_out.saturating_add(1);
        }
    }

    fn set_name(&mut self, name: &[u8]) {
        self.name.clear();
        self.name.extend_from_slice(name.get(..256).unwrap_or(name));
    }

    fn unit<'a>(&self, input: &'a [u8], more: bool) -> Unit<'a> {
        let header = self.header.as_ref();
        Unit {
            input,
            start: self.position,
            at: 0,
            more,
            size: self.options.size,
            base: self.options.base,
            head_end: self.options.base.saturating_add(self.options.limits.max_head),
            max_string: self.options.limits.max_string,
            endian: header.map_or(Endian::Little, |h| h.endian),
            short: header.is_some_and(|h| h.version == 1),
            dialect: self.options.dialect,
        }
    }

    fn read_header<'a>(&mut self, input: &'a [u8], more: bool) -> Result<Step<'a>, ParseError> {
        let mut unit = self.unit(input, more);
        match header(&mut unit) {
            Err(stop) => {
                self.state = State::Header;
                stop.into_step(self.position)
            }
            Ok((header, padding)) => {
                let Limits { max_kv, max_tensors, .. } = self.options.limits;
                let at = header.span.start;
                self.bound(
                    at,
                    HeaderPart::TensorCount,
                    "tensor count",
                    header.tensor_count,
                    max_tensors,
                    "max_tensors",
                    &header,
                )?;
                self.bound(
                    at,
                    HeaderPart::KvCount,
                    "key-value count",
                    header.kv_count,
                    max_kv,
                    "max_kv",
                    &header,
                )?;
                if header.endian == Endian::Big && header.version < 3 {
                    self.note(
                        AnomalyKind::EarlyBigEndian,
                        Span::new(at.saturating_add(4), 4),
                        Path::Header(HeaderPart::Version),
                    );
                }
                if let Some(span) = padding {
                    if self.options.strict {
                        let reason = Reason::Implausible { what: "padding" };
                        return Err(ParseError::new(span.start, Path::Header(HeaderPart::Padding), reason));
                    }
                    self.note(AnomalyKind::HeaderPadding, span, Path::Header(HeaderPart::Padding));
                }
                if let Some(alignment) = header.alignment {
                    if alignment == 0 {
                        let reason = Reason::BadAlignment {
                            value_type: ValueType::UINT32,
                            value: Some(alignment.into()),
                        };
                        return Err(ParseError::new(
                            at.saturating_add(24),
                            Path::Header(HeaderPart::Alignment),
                            reason,
                        ));
                    }
                    self.alignment.value = alignment.into();
                    self.alignment.source = AlignmentSource::Header;
                }
                self.position = header.span.end();
                self.header = Some(header);
                self.state = State::Kv;
                Ok(Step::Event(Event::Header(header)))
            }
        }
    }

    /// Refuses a count of the header that is over its limit; when the file could not hold so many anyway, that is the
    /// better thing to say.
    #[allow(clippy::too_many_arguments, reason = "two call sites beside each other")]
    fn bound(
        &self,
        header_start: u64,
        part: HeaderPart,
        what: &'static str,
        count: u64,
        limit: u64,
        option: &'static str,
        header: &Header,
    ) -> Result<(), ParseError> {
        if count <= limit {
            return Ok(());
        }
        let lengths = header.length_bytes();
        let (at, least) = match part {
            // name length, n_dims, type, offset
            HeaderPart::TensorCount => (8, lengths.saturating_add(16)),
            // key length, type, one byte of value
            _ => (lengths.saturating_add(8), lengths.saturating_add(5)),
        };
        let at = header_start.saturating_add(at);
        let needed = count.saturating_mul(least);
        let reason = match self.options.size.map(|s| s.saturating_sub(header.span.end())) {
            Some(remaining) if needed > remaining => {
                Reason::TooLarge { what: "count", declared: count, needed, remaining }
            }
            _ => Reason::Limit { what, value: count, limit, option },
        };
        Err(ParseError::new(at, Path::Header(part), reason))
    }

    /// Takes note of `general.alignment`.
    fn see_alignment(&mut self, index: u64, span: Span, value_type: ValueType, scalar: Option<Scalar>) {
        let path = || Path::kv(index, crate::path::KvPart::Value(crate::path::Element::Whole));
        if !matches!(self.alignment.source, AlignmentSource::Default) {
            self.note(AnomalyKind::AlignmentAgain, span, path());
            return;
        }
        let value = scalar.as_ref().and_then(Scalar::as_integer);
        match value.and_then(|v| u64::try_from(v).ok()) {
            Some(v) if v > 0 => {
                self.alignment.value = v;
                self.alignment.source = AlignmentSource::Key(index);
                if value_type != ValueType::UINT32 {
                    self.note(AnomalyKind::AlignmentType(value_type), span, path());
                }
                if !v.is_power_of_two() {
                    self.note(AnomalyKind::AlignmentNotPowerOfTwo(v), span, path());
                }
            }
            _ => {
                self.alignment.source = AlignmentSource::Unusable(index);
                self.alignment.unusable = Some((span, index, value_type, value));
            }
        }
    }

    /// At the head's end: an alignment that cannot be used is an error when there is something to align, or when it is
    /// a number that no reader can compute with.
    fn settle_alignment(&mut self) -> Result<(), ParseError> {
        let Some((span, index, value_type, value)) = self.alignment.unusable else { return Ok(()) };
        let path = Path::kv(index, crate::path::KvPart::Value(crate::path::Element::Whole));
        if self.tensors_read > 0 || value.is_some() {
            self.set_name(b"general.alignment");
            return Err(ParseError::new(span.start, path, Reason::BadAlignment { value_type, value }));
        }
        self.note(AnomalyKind::AlignmentUnusable, span, path);
        Ok(())
    }
}

/// Reads the header; also the span of header padding that is not zero.
fn header(unit: &mut Unit<'_>) -> Result<(Header, Option<Span>), record::Stop> {
    let base = unit.start;
    let path = |part| move || Path::Header(part);
    let magic = unit.array::<4>(path(HeaderPart::Magic))?;
    if magic != MAGIC {
        return Err(unit.fail(base, Path::Header(HeaderPart::Magic), Reason::BadMagic { found: magic }));
    }
    let bytes = unit.array::<4>(path(HeaderPart::Version))?;
    let little = u32::from_le_bytes(bytes);
    // Versions are small, so a version whose low half is zero was written in the other byte order.
    let endian = if little & 0xffff == 0 && little != 0 { Endian::Big } else { Endian::Little };
    let version = endian.u32(bytes);
    if !(1..=3).contains(&version) {
        let found = Reason::BadVersion { found: version };
        return Err(unit.fail(base.saturating_add(4), Path::Header(HeaderPart::Version), found));
    }
    unit.endian = endian;
    unit.short = version == 1;
    let tensor_count = unit.length(path(HeaderPart::TensorCount))?;
    let kv_count = unit.length(path(HeaderPart::KvCount))?;
    let (mut alignment, mut odd) = (None, None);
    if let HeaderTrait::Alignment { padding } = unit.dialect.header {
        alignment = Some(unit.u32(path(HeaderPart::Alignment))?);
        let at = unit.position();
        let bytes = unit.take(padding.into(), path(HeaderPart::Padding))?;
        if bytes.iter().any(|&b| b != 0) {
            odd = Some(Span::new(at, padding.into()));
        }
    }
    let header = Header {
        base,
        span: Span::between(base, unit.position()),
        version,
        endian,
        tensor_count,
        kv_count,
        alignment,
        dialect: unit.dialect,
    };
    Ok((header, odd))
}
