//! Units that are read whole or not at all: a key with its type, a scalar, a string, a tensor-info record.

use crate::anomaly::AnomalyKind;
use crate::dialect::{ArrayHeader, Dialect};
use crate::endian::Endian;
use crate::error::{ParseError, Reason};
use crate::index::{Kv, Payload, Scalar, Tensor, TextSpan};
use crate::layout;
use crate::path::{Element, KvPart, Path, TensorPart};
use crate::span::Span;
use crate::spec::{TensorType, TypeStatus, ValueType};

use super::array::ArrayWalk;
use super::{Dims, Event, Key, Parser, State, Step, TensorEvent};

/// A key-value whose value is still to be read.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) index: u64,
    pub(super) start: u64,
    pub(super) key: TextSpan,
    pub(super) value_type: ValueType,
    pub(super) value_start: u64,
    pub(super) is_alignment: bool,
}

/// Why a unit could not be read.
pub(super) enum Stop {
    /// So many bytes are needed, counted from the unit's start.
    Need(u64),
    /// It never will be.
    Error(ParseError),
}

impl From<ParseError> for Stop {
    fn from(error: ParseError) -> Self {
        Self::Error(error)
    }
}

impl Stop {
    pub(super) fn into_step<'a>(self, at: u64) -> Result<Step<'a>, ParseError> {
        match self {
            Self::Need(min) => Ok(Step::Need { at, min }),
            Self::Error(error) => Err(error),
        }
    }
}

/// A cursor over one unit's bytes. Dropping it takes nothing; the parser moves only when a unit is whole.
pub(super) struct Unit<'a> {
    pub(super) input: &'a [u8],
    /// Absolute position of `input`'s first byte.
    pub(super) start: u64,
    pub(super) at: u64,
    pub(super) more: bool,
    pub(super) size: Option<u64>,
    /// Absolute position of the magic.
    pub(super) base: u64,
    /// Absolute position that no part of the head may pass.
    pub(super) head_end: u64,
    pub(super) max_string: u64,
    pub(super) endian: Endian,
    pub(super) short: bool,
    pub(super) dialect: Dialect,
}

impl<'a> Unit<'a> {
    pub(super) fn position(&self) -> u64 {
        self.start.saturating_add(self.at)
    }

    pub(super) fn fail(&self, offset: u64, path: Path, reason: Reason) -> Stop {
        Stop::Error(ParseError::new(offset, path, reason))
    }

    /// Tests that `n` bytes can follow the cursor at all: in the source where its size is known, in the head's budget,
    /// in 64 bits.
    pub(super) fn room(&self, n: u64, path: impl Fn() -> Path) -> Result<(), Stop> {
        let position = self.position();
        if let Some(size) = self.size {
            let remaining = size.saturating_sub(position);
            if n > remaining {
                return Err(self.fail(position, path(), Reason::UnexpectedEnd { needed: n, remaining }));
            }
        }
        let end = position.checked_add(n);
        match end {
            None => Err(self.fail(position, path(), Reason::Overflow { what: "position" })),
            Some(end) if end > self.head_end => {
                let reason = Reason::Limit {
                    what: "size of the head",
                    value: end.saturating_sub(self.base),
                    limit: self.head_end.saturating_sub(self.base),
                    option: "max_head",
                };
                Err(self.fail(position, path(), reason))
            }
            Some(_) => Ok(()),
        }
    }

    /// The next `n` bytes.
    pub(super) fn take(&mut self, n: u64, path: impl Fn() -> Path) -> Result<&'a [u8], Stop> {
        let end = self.at.saturating_add(n);
        let range = usize::try_from(self.at).ok().zip(usize::try_from(end).ok());
        match range.and_then(|(from, to)| self.input.get(from..to)) {
            // Checked: a position that stands still at the end of 64 bits would have the same bytes read for ever.
            Some(bytes) if self.position().checked_add(n).is_some_and(|end| end <= self.head_end) => {
                self.at = end;
                Ok(bytes)
            }
            _ => {
                self.room(n, &path)?;
                if self.more {
                    return Err(Stop::Need(end));
                }
                let there = u64::try_from(self.input.len()).unwrap_or(u64::MAX);
                let remaining = there.saturating_sub(self.at);
                Err(self.fail(self.position(), path(), Reason::UnexpectedEnd { needed: n, remaining }))
            }
        }
    }

    pub(super) fn array<const N: usize>(&mut self, path: impl Fn() -> Path) -> Result<[u8; N], Stop> {
        let bytes = self.take(N.try_into().unwrap_or(u64::MAX), path)?;
        Ok(bytes.first_chunk().copied().unwrap_or([0; N]))
    }

    pub(super) fn u32(&mut self, path: impl Fn() -> Path) -> Result<u32, Stop> {
        Ok(self.endian.u32(self.array(path)?))
    }

    pub(super) fn u64(&mut self, path: impl Fn() -> Path) -> Result<u64, Stop> {
        Ok(self.endian.u64(self.array(path)?))
    }

    /// A length or count: u64, u32 in version 1.
    pub(super) fn length(&mut self, path: impl Fn() -> Path) -> Result<u64, Stop> {
        if self.short { Ok(self.u32(path)?.into()) } else { self.u64(path) }
    }

    /// A string's length, tested against the budget.
    pub(super) fn text_length(
        &mut self,
        length: impl Fn() -> Path,
        text: impl Fn() -> Path,
    ) -> Result<u64, Stop> {
        let at = self.position();
        let len = self.length(length)?;
        if len <= self.max_string {
            return Ok(len);
        }
        let reason = match self.size.map(|s| s.saturating_sub(self.position())) {
            Some(remaining) if len > remaining => {
                Reason::TooLarge { what: "length", declared: len, needed: len, remaining }
            }
            _ => Reason::Limit { what: "length", value: len, limit: self.max_string, option: "max_string" },
        };
        Err(self.fail(at, text(), reason))
    }

    /// A string: its bytes and where they are. The cursor ends after the dialect's NUL.
    pub(super) fn text(
        &mut self,
        length: impl Fn() -> Path,
        text: impl Fn() -> Path,
    ) -> Result<(&'a [u8], Span), Stop> {
        let len = self.text_length(length, &text)?;
        let span = Span::new(self.position(), len);
        let bytes = self.take(len, &text)?;
        self.nul(&text)?;
        Ok((bytes, span))
    }

    fn nul(&mut self, path: impl Fn() -> Path) -> Result<(), Stop> {
        if self.dialect.nul_strings {
            let at = self.position();
            let nul = || nul_after(path());
            let [found] = self.array(nul)?;
            if found != 0 {
                return Err(self.fail(at, nul(), Reason::MissingNul { found }));
            }
        }
        Ok(())
    }

    /// An array's element type, its raw id, and count, in the dialect's order.
    pub(super) fn array_header(
        &mut self,
        ty: impl Fn() -> Path,
        count: impl Fn() -> Path,
    ) -> Result<(ValueType, u64), Stop> {
        let (at, id, n);
        match self.dialect.array_header {
            ArrayHeader::Standard => {
                at = self.position();
                id = self.u32(&ty)?;
                n = self.length(count)?;
            }
            ArrayHeader::CountFirst => {
                n = self.length(count)?;
                at = self.position();
                id = self.u32(&ty)?;
            }
            ArrayHeader::ShortCountFirst => {
                n = self.u32(count)?.into();
                at = self.position();
                id = self.u32(&ty)?;
            }
            ArrayHeader::ShortCount => {
                at = self.position();
                id = self.u32(&ty)?;
                n = self.u32(count)?.into();
            }
        }
        let element = self.dialect.value_type(id);
        if !is_readable(element) {
            return Err(self.fail(at, ty(), Reason::UnknownValueType { id, element: true }));
        }
        Ok((element, n))
    }
}

/// The field of the NUL that follows this text.
fn nul_after(text: Path) -> Path {
    match text {
        Path::Kv { index, part: KvPart::Key } => Path::kv(index, KvPart::KeyNul),
        Path::Kv { index, part: KvPart::Value(element) } => Path::kv(index, KvPart::Nul(element)),
        Path::Tensor { index, part: TensorPart::Name } => Path::tensor(index, TensorPart::NameNul),
        other => other,
    }
}

/// Whether the length of a value of this type can be told.
fn is_readable(ty: ValueType) -> bool {
    ty.fixed_size().is_some() || ty == ValueType::STRING || ty == ValueType::ARRAY
}

/// Whether a name is one that a careful writer could have meant: for guessing dialects.
fn is_plausible_name(name: &[u8]) -> bool {
    !name.is_empty()
        && name.len() <= 1024
        && core::str::from_utf8(name).is_ok_and(|s| s.chars().all(crate::text::is_safe))
}

impl Parser {
    /// At the start of a record: a key, a tensor-info, or the end.
    pub(super) fn read_record<'a>(&mut self, input: &'a [u8], more: bool) -> Result<Step<'a>, ParseError> {
        let Some(header) = self.header else { return Ok(Step::Done) };
        self.name.clear();
        if self.kvs_read < header.kv_count {
            return self.read_key(input, more);
        }
        if self.tensors_read < header.tensor_count {
            return self.read_tensor(input, more);
        }
        if self.options.strict
            && header.tensor_count == 0
            && let Err(stop) = self.nothing_follows(input, more)
        {
            self.state = State::Kv;
            return stop.into_step(self.position);
        }
        self.settle_alignment()?;
        self.state = State::Done;
        Ok(Step::Done)
    }

    /// Tests that a head without tensors is followed by padding and nothing else: a reading that took a length for
    /// something else ends before the file does.
    fn nothing_follows(&self, input: &[u8], more: bool) -> Result<(), Stop> {
        let mut unit = self.unit(input, more);
        let Some(left) = unit.size.map(|size| size.saturating_sub(self.position)) else { return Ok(()) };
        let gap = layout::padding(self.position.saturating_sub(unit.base), self.alignment.value);
        let padding = if left > gap { None } else { Some(unit.take(left, || Path::Padding)?) };
        if padding.is_some_and(|bytes| bytes.iter().all(|&b| b == 0)) {
            return Ok(());
        }
        Err(unit.fail(self.position, Path::Unparsed, Reason::Implausible { what: "end of the head" }))
    }

    fn read_key<'a>(&mut self, input: &'a [u8], more: bool) -> Result<Step<'a>, ParseError> {
        let index = self.kvs_read;
        let path = |part: KvPart| move || Path::kv(index, part.clone());
        let mut unit = self.unit(input, more);
        let start = unit.start;
        let mut name: &[u8] = &[];
        let mut read = || -> Result<(Span, u32, ValueType, u64), Stop> {
            let (bytes, span) = unit.text(path(KvPart::KeyLength), path(KvPart::Key))?;
            name = bytes;
            let at = unit.position();
            let id = unit.u32(path(KvPart::Type))?;
            let value_type = unit.dialect.value_type(id);
            if !is_readable(value_type) {
                return Err(unit.fail(
                    at,
                    Path::kv(index, KvPart::Type),
                    Reason::UnknownValueType { id, element: false },
                ));
            }
            Ok((span, id, value_type, unit.position()))
        };
        let result = read();
        let (span, value_type, value_start) = match result {
            Ok((span, _, value_type, value_start)) => (span, value_type, value_start),
            Err(stop) => {
                self.set_name(name);
                self.state = State::Kv;
                return stop.into_step(self.position);
            }
        };
        self.set_name(name);
        if self.options.strict && !is_plausible_name(name) {
            return Err(ParseError::new(
                start,
                Path::kv(index, KvPart::Key),
                Reason::Implausible { what: "key" },
            ));
        }
        let key = self.see_name(name, span, Path::kv(index, KvPart::Key));
        if name.is_empty() {
            self.note(AnomalyKind::EmptyKey, Span::between(start, span.end()), Path::kv(index, KvPart::Key));
        }
        self.position = value_start;
        let is_alignment = name == b"general.alignment";
        self.state = State::Value(Pending { index, start, key, value_type, value_start, is_alignment });
        Ok(Step::Event(Event::Key(Key { index, bytes: name, start, value_type, value_start })))
    }

    /// Judges a key or tensor name.
    fn see_name(&mut self, name: &[u8], span: Span, path: Path) -> TextSpan {
        let utf8 = simdutf8::basic::from_utf8(name).is_ok();
        if !utf8 {
            self.note(AnomalyKind::InvalidUtf8 { strings: 1 }, span, path.clone());
        }
        if name.contains(&0) {
            self.note(AnomalyKind::NulInName, span, path);
        }
        TextSpan { span, utf8: Some(utf8) }
    }

    pub(super) fn read_value<'a>(
        &mut self,
        pending: Pending,
        input: &'a [u8],
        more: bool,
    ) -> Result<Step<'a>, ParseError> {
        let index = pending.index;
        let path = |part: KvPart| move || Path::kv(index, part.clone());
        let mut unit = self.unit(input, more);
        let whole = KvPart::Value(Element::Whole);
        let result = if pending.value_type == ValueType::STRING {
            self.text_value(&mut unit, index)
        } else if pending.value_type == ValueType::ARRAY {
            let header = unit
                .array_header(path(KvPart::ElementType(Element::Whole)), path(KvPart::Count(Element::Whole)))
                .and_then(|(ty, n)| {
                    Ok(ArrayWalk::new(
                        ty,
                        n,
                        unit.position(),
                        self.bound_array(&unit, index, Element::Whole, n)?,
                    ))
                });
            match header {
                Ok(walk) => {
                    self.position = unit.position();
                    let rest =
                        usize::try_from(unit.at).ok().and_then(|at| input.get(at..)).unwrap_or_default();
                    return self.read_array(pending, walk, rest, more);
                }
                Err(stop) => Err(stop),
            }
        } else {
            let size = pending.value_type.fixed_size().unwrap_or(0);
            unit.take(size, path(whole)).and_then(|bytes| {
                Scalar::read(pending.value_type, unit.endian, bytes)
                    .map(Payload::Scalar)
                    .ok_or(Stop::Need(size))
            })
        };
        match result {
            Ok(Payload::Scalar(Scalar::Bool(2..))) if self.options.strict => {
                let reason = Reason::Implausible { what: "bool" };
                Err(ParseError::new(
                    pending.value_start,
                    Path::kv(index, KvPart::Value(Element::Whole)),
                    reason,
                ))
            }
            Ok(payload) => Ok(self.finish_value(pending, payload, unit.position())),
            Err(stop) => {
                self.state = State::Value(pending);
                stop.into_step(self.position)
            }
        }
    }

    /// A string value. When text is not judged it need not be present: the parser may jump over it.
    fn text_value(&mut self, unit: &mut Unit<'_>, index: u64) -> Result<Payload, Stop> {
        let length = || Path::kv(index, KvPart::Length(Element::Whole));
        let text = || Path::kv(index, KvPart::Value(Element::Whole));
        if !self.options.text && unit.size.is_some() {
            let len = unit.text_length(length, text)?;
            let whole = len.saturating_add(u64::from(unit.dialect.nul_strings));
            unit.room(whole, text)?;
            let span = Span::new(unit.position(), len);
            unit.at = unit.at.saturating_add(whole);
            return Ok(Payload::String(TextSpan { span, utf8: None }));
        }
        let (bytes, span) = unit.text(length, text)?;
        let utf8 = simdutf8::basic::from_utf8(bytes).is_ok();
        if !utf8 {
            self.note(AnomalyKind::InvalidUtf8 { strings: 1 }, span, text());
        }
        Ok(Payload::String(TextSpan { span, utf8: Some(utf8) }))
    }

    pub(super) fn finish_value<'a>(&mut self, pending: Pending, payload: Payload, end: u64) -> Step<'a> {
        let Pending { index, start, key, value_type, value_start, is_alignment } = pending;
        let value_span = Span::between(value_start, end);
        let scalar = match &payload {
            Payload::Scalar(s) => Some(*s),
            _ => None,
        };
        if is_alignment {
            self.see_alignment(index, value_span, value_type, scalar);
        }
        if let Some(Scalar::Bool(byte @ 2..)) = scalar {
            let path = Path::kv(index, KvPart::Value(Element::Whole));
            self.note(AnomalyKind::OddBool { count: 1, first: byte }, value_span, path);
        }
        self.kvs_read = self.kvs_read.saturating_add(1);
        self.position = end;
        self.state = State::Kv;
        Step::Event(Event::Value(Kv {
            span: Span::between(start, end),
            key,
            value_type,
            value_span,
            payload,
        }))
    }

    fn read_tensor<'a>(&mut self, input: &'a [u8], more: bool) -> Result<Step<'a>, ParseError> {
        let index = self.tensors_read;
        let path = |part| move || Path::tensor(index, part);
        let mut unit = self.unit(input, more);
        let start = unit.start;
        let mut name: &[u8] = &[];
        let mut read = || -> Result<_, Stop> {
            let (bytes, span) = unit.text(path(TensorPart::NameLength), path(TensorPart::Name))?;
            name = bytes;
            let count = unit.u32(path(TensorPart::DimCount))?;
            let width = if unit.short { 4 } else { 8 };
            // One check for all of them: a count of 2^32 asks for 32 GiB at once, and is refused at once.
            let dims = unit.take(u64::from(count).saturating_mul(width), path(TensorPart::Dim(0)))?;
            let (ty, offset);
            if unit.dialect.offset_before_type {
                offset = unit.u64(path(TensorPart::Offset))?;
                ty = unit.u32(path(TensorPart::Type))?;
            } else {
                ty = unit.u32(path(TensorPart::Type))?;
                offset = unit.u64(path(TensorPart::Offset))?;
            }
            Ok((span, count, dims, width, TensorType(ty), offset))
        };
        let (name_span, count, dims, width, tensor_type, offset) = match read() {
            Ok(parts) => parts,
            Err(stop) => {
                self.set_name(name);
                self.state = State::Kv;
                return stop.into_step(self.position);
            }
        };
        let (end, endian) = (unit.position(), unit.endian);
        self.set_name(name);
        let implausible = if !is_plausible_name(name) {
            Some(("tensor name", TensorPart::Name))
        } else if count > 8 {
            Some(("number of dimensions", TensorPart::DimCount))
        } else if tensor_type.info().is_none() {
            Some(("tensor type", TensorPart::Type))
        } else if unit.size.is_some_and(|size| offset > size) {
            // Offset and type exchanged still are an offset and a type; only the offset is then beyond any file.
            Some(("tensor offset", TensorPart::Offset))
        } else {
            None
        };
        if self.options.strict
            && let Some((what, part)) = implausible
        {
            return Err(ParseError::new(start, Path::tensor(index, part), Reason::Implausible { what }));
        }
        let name_text = self.see_name(name, name_span, Path::tensor(index, TensorPart::Name));
        if name.is_empty() {
            let span = Span::between(start, name_span.end());
            self.note(AnomalyKind::EmptyTensorName, span, Path::tensor(index, TensorPart::Name));
        }
        let dims_start = name_span.end().saturating_add(u64::from(unit.dialect.nul_strings));
        if count > 4 {
            let span = Span::new(dims_start, 4);
            self.note(AnomalyKind::ManyDimensions(count), span, Path::tensor(index, TensorPart::DimCount));
        }
        let type_start = end.saturating_sub(if unit.dialect.offset_before_type { 4 } else { 12 });
        let odd_type = match tensor_type.info() {
            None => Some(AnomalyKind::UnknownTensorType(tensor_type)),
            Some(info) if matches!(info.status, TypeStatus::Removed { .. }) => {
                Some(AnomalyKind::RemovedTensorType(tensor_type))
            }
            Some(_) => None,
        };
        if let Some(kind) = odd_type {
            self.note(kind, Span::new(type_start, 4), Path::tensor(index, TensorPart::Type));
        }
        self.tensors_read = self.tensors_read.saturating_add(1);
        self.position = end;
        self.state = State::Kv;
        let span = Span::between(start, end);
        let tensor = Tensor { span, name: name_text, tensor_type, offset, dims: (0, count) };
        let dims = Dims { bytes: dims, width: width.try_into().unwrap_or(8), endian };
        Ok(Step::Event(Event::Tensor(TensorEvent { index, tensor, name, dims })))
    }
}
