//! An index together with the bytes it speaks of: typed values without copies.

use core::iter::FusedIterator;

use crate::endian::Endian;
use crate::index::{Array, Index, Kv, Payload, Scalar, Tensor};
use crate::parser::strings;
use crate::span::Span;
use crate::spec::ValueType;
use crate::text::ByteStr;

/// An [`Index`] with the bytes of its head.
///
/// `head` begins at the magic and holds at least the part of the head that is looked at; where bytes are missing, or
/// are not the ones that were indexed, methods answer `None` or end early. They never panic.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    index: &'a Index,
    head: &'a [u8],
    start: u64,
}

impl<'a> View<'a> {
    /// Pairs an index with its bytes, from the magic on.
    #[must_use]
    pub fn new(index: &'a Index, head: &'a [u8]) -> Self {
        Self { index, head, start: index.header().base }
    }

    /// Pairs an index with bytes that begin at the absolute position `start`: a part of the head.
    #[must_use]
    pub const fn at(index: &'a Index, bytes: &'a [u8], start: u64) -> Self {
        Self { index, head: bytes, start }
    }

    /// The index.
    #[must_use]
    pub const fn index(&self) -> &'a Index {
        self.index
    }

    /// The bytes that this view has, from the magic on (or from the position given to [`View::at`]).
    #[must_use]
    pub const fn head(&self) -> &'a [u8] {
        self.head
    }

    /// Absolute position of the first byte of [`View::head`].
    #[must_use]
    pub const fn start(&self) -> u64 {
        self.start
    }

    /// The bytes of a span of the head.
    #[must_use]
    pub fn bytes(&self, span: Span) -> Option<&'a [u8]> {
        span.slice(self.head, self.start)
    }

    fn text(&self, span: Span) -> ByteStr<'a> {
        ByteStr(self.bytes(span).unwrap_or_default())
    }

    /// The key of a key-value of this index.
    #[must_use]
    pub fn key(&self, kv: &Kv) -> ByteStr<'a> {
        self.text(kv.key.span)
    }

    /// The name of a tensor of this index.
    #[must_use]
    pub fn name(&self, tensor: &Tensor) -> ByteStr<'a> {
        self.text(tensor.name.span)
    }

    /// The value of a key-value of this index.
    #[must_use]
    pub fn value(&self, kv: &'a Kv) -> Value<'a> {
        match &kv.payload {
            Payload::Scalar(scalar) => Value::Scalar(*scalar),
            Payload::String(text) => Value::String(self.text(text.span)),
            Payload::Array(array) => Value::Array(self.array(array)),
        }
    }

    /// An array of this index.
    #[must_use]
    pub fn array(&self, array: &'a Array) -> ArrayRef<'a> {
        let header = self.index.header();
        ArrayRef {
            element_type: array.element_type,
            count: array.count,
            bytes: self.bytes(array.elements).unwrap_or_default(),
            start: array.elements.start,
            marks: &array.marks,
            reading: Reading {
                endian: header.endian,
                short: header.version == 1,
                nul: header.dialect.nul_strings,
                dialect: header.dialect,
            },
        }
    }

    /// The key-values with their keys, in file order.
    pub fn kvs(
        &self,
    ) -> impl DoubleEndedIterator<Item = (ByteStr<'a>, &'a Kv)> + ExactSizeIterator + use<'a> {
        let view = *self;
        self.index.kvs().iter().map(move |kv| (view.key(kv), kv))
    }

    /// The tensors with their names, in file order.
    pub fn tensors(
        &self,
    ) -> impl DoubleEndedIterator<Item = (ByteStr<'a>, &'a Tensor)> + ExactSizeIterator + use<'a> {
        let view = *self;
        self.index.tensors().iter().map(move |tensor| (view.name(tensor), tensor))
    }

    /// The first key-value with this key. Keys may occur again: [`View::kvs`] shows them all.
    #[must_use]
    pub fn find(&self, key: &str) -> Option<&'a Kv> {
        self.kvs().find(|(k, _)| k.0 == key.as_bytes()).map(|(_, kv)| kv)
    }

    /// The value of the first key-value with this key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Value<'a>> {
        self.find(key).map(|kv| self.value(kv))
    }

    /// The first tensor with this name.
    #[must_use]
    pub fn tensor(&self, name: &str) -> Option<&'a Tensor> {
        self.tensors().find(|(n, _)| n.0 == name.as_bytes()).map(|(_, tensor)| tensor)
    }
}

/// A metadata value, borrowed from the head.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// A value of fixed size.
    Scalar(Scalar),
    /// A string.
    String(ByteStr<'a>),
    /// An array, read on demand.
    Array(ArrayRef<'a>),
}

impl<'a> Value<'a> {
    /// The text, when this is a string and its bytes are UTF-8.
    #[must_use]
    pub fn as_str(&self) -> Option<&'a str> {
        match self {
            Self::String(text) => text.to_str(),
            _ => None,
        }
    }

    /// The bytes, when this is a string.
    #[must_use]
    pub fn as_bytes(&self) -> Option<&'a [u8]> {
        match self {
            Self::String(text) => Some(text.0),
            _ => None,
        }
    }

    /// The number, when this is an integer of any type, not negative, that fits in 64 bits.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Self::Scalar(scalar) => scalar.as_u64(),
            _ => None,
        }
    }

    /// The number, when this is a float of any width.
    #[must_use]
    pub fn as_float(&self) -> Option<f64> {
        match self {
            Self::Scalar(scalar) => scalar.as_float(),
            _ => None,
        }
    }

    /// The truth value, when this is a bool.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Scalar(scalar) => scalar.as_bool(),
            _ => None,
        }
    }

    /// The array, when this is one.
    #[must_use]
    pub fn as_array(&self) -> Option<ArrayRef<'a>> {
        match self {
            Self::Array(array) => Some(*array),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Reading {
    endian: Endian,
    short: bool,
    nul: bool,
    dialect: crate::dialect::Dialect,
}

/// An array of the head: its elements are read when asked for.
#[derive(Clone, Copy)]
pub struct ArrayRef<'a> {
    element_type: ValueType,
    count: u64,
    bytes: &'a [u8],
    start: u64,
    marks: &'a [u64],
    reading: Reading,
}

impl core::fmt::Debug for ArrayRef<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "[{}; {}]", self.element_type, self.count)
    }
}

impl<'a> ArrayRef<'a> {
    /// Type of the elements.
    #[must_use]
    pub const fn element_type(&self) -> ValueType {
        self.element_type
    }

    /// Byte order of the elements.
    #[must_use]
    pub const fn endian(&self) -> Endian {
        self.reading.endian
    }

    /// Number of elements.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.count
    }

    /// Whether there is no element.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All elements' bytes as they stand in the file, lengths and nested headers included.
    #[must_use]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Absolute position of the first element.
    #[must_use]
    pub const fn start(&self) -> u64 {
        self.start
    }

    /// The element at `index`; at most [`Array::STRIDE`] elements are walked to find it.
    #[must_use]
    pub fn get(&self, index: u64) -> Option<Value<'a>> {
        self.iter_from(index).next()
    }

    /// The elements from the first.
    #[must_use]
    pub fn iter(&self) -> Elements<'a> {
        self.iter_from(0)
    }

    /// The elements from `index` on.
    #[must_use]
    pub fn iter_from(&self, index: u64) -> Elements<'a> {
        let none = Elements { array: *self, rest: &[], index: self.count };
        if index >= self.count {
            return none;
        }
        if let Some(size) = self.element_type.fixed_size() {
            let at = usize::try_from(index.saturating_mul(size)).ok();
            let rest = at.and_then(|at| self.bytes.get(at..)).unwrap_or_default();
            return Elements { array: *self, rest, index };
        }
        let mark = index.checked_div(Array::STRIDE).unwrap_or(0);
        // A nested array carries no marks of its own: it is walked from its start.
        let marked = usize::try_from(mark).ok().and_then(|m| self.marks.get(m));
        let (from, at) = match marked {
            Some(position) => (mark.saturating_mul(Array::STRIDE), position.saturating_sub(self.start)),
            None => (0, 0),
        };
        let rest = usize::try_from(at).ok().and_then(|at| self.bytes.get(at..)).unwrap_or_default();
        let mut elements = Elements { array: *self, rest, index: from };
        while elements.index < index {
            if elements.step().is_none() {
                return none;
            }
        }
        elements
    }
}

impl<'a> IntoIterator for ArrayRef<'a> {
    type Item = Value<'a>;
    type IntoIter = Elements<'a>;

    fn into_iter(self) -> Elements<'a> {
        self.iter()
    }
}

/// The elements of an array, in order.
#[derive(Clone, Debug)]
pub struct Elements<'a> {
    array: ArrayRef<'a>,
    rest: &'a [u8],
    index: u64,
}

impl<'a> Elements<'a> {
    /// Absolute position of the next element: of its length or header, where it has one.
    #[must_use]
    pub fn offset(&self) -> u64 {
        let passed = self.array.bytes.len().saturating_sub(self.rest.len());
        self.array.start.saturating_add(passed.try_into().unwrap_or(u64::MAX))
    }

    #[inline]
    fn step(&mut self) -> Option<Value<'a>> {
        if self.index >= self.array.count {
            return None;
        }
        let Reading { endian, short, nul, dialect } = self.array.reading;
        let ty = self.array.element_type;
        let value = if let Some(size) = ty.fixed_size() {
            let scalar = Scalar::read(ty, endian, self.rest)?;
            self.rest = self.rest.get(usize::try_from(size).ok()?..)?;
            Value::Scalar(scalar)
        } else if ty == ValueType::STRING {
            let (_, text, rest) = strings::first(self.rest, endian, short, nul)?;
            self.rest = rest;
            Value::String(ByteStr(text))
        } else {
            let (element_type, count, elements) = nested::header(self.rest, endian, short, dialect)?;
            let len = nested::length(elements, element_type, count, self.array.reading)?;
            let (bytes, rest) = elements.split_at_checked(len)?;
            let start = self.offset().saturating_add(
                self.rest.len().saturating_sub(elements.len()).try_into().unwrap_or(u64::MAX),
            );
            self.rest = rest;
            Value::Array(ArrayRef {
                element_type,
                count,
                bytes,
                start,
                marks: &[],
                reading: self.array.reading,
            })
        };
        self.index = self.index.saturating_add(1);
        Some(value)
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = Value<'a>;

    #[inline]
    fn next(&mut self) -> Option<Value<'a>> {
        let value = self.step();
        if value.is_none() {
            self.index = self.array.count;
        }
        value
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::try_from(self.array.count.saturating_sub(self.index)).ok();
        (0, left)
    }
}

impl FusedIterator for Elements<'_> {}

/// Arrays inside arrays, read again from bytes that the parser has already walked.
mod nested {
    use alloc::vec::Vec;

    use super::Reading;
    use crate::dialect::{ArrayHeader, Dialect};
    use crate::endian::Endian;
    use crate::parser::strings;
    use crate::spec::ValueType;

    /// Element type, count, and the bytes after the header.
    pub(super) fn header(
        bytes: &[u8],
        endian: Endian,
        short: bool,
        dialect: Dialect,
    ) -> Option<(ValueType, u64, &[u8])> {
        let number = |bytes: &[u8], short: bool| {
            if short {
                Some(u64::from(endian.u32(*bytes.first_chunk()?)))
            } else {
                Some(endian.u64(*bytes.first_chunk()?))
            }
        };
        let (type_first, narrow) = match dialect.array_header {
            ArrayHeader::Standard => (true, short),
            ArrayHeader::CountFirst => (false, short),
            ArrayHeader::ShortCountFirst => (false, true),
            ArrayHeader::ShortCount => (true, true),
        };
        let width = if narrow { 4 } else { 8 };
        let (type_at, count_at) = if type_first { (0, 4) } else { (width, 0) };
        let id = endian.u32(*bytes.get(type_at..)?.first_chunk()?);
        let count = number(bytes.get(count_at..)?, narrow)?;
        Some((dialect.value_type(id), count, bytes.get(width.checked_add(4)?..)?))
    }

    /// Bytes that `count` elements take at the start of `bytes`.
    pub(super) fn length(
        bytes: &[u8],
        element_type: ValueType,
        count: u64,
        reading: Reading,
    ) -> Option<usize> {
        let Reading { endian, short, nul, dialect } = reading;
        let mut rest = bytes;
        let mut levels: Vec<(ValueType, u64)> = alloc::vec![(element_type, count)];
        while let Some((ty, left)) = levels.pop() {
            if left == 0 {
                continue;
            }
            if let Some(size) = ty.fixed_size() {
                rest = rest.get(usize::try_from(left.checked_mul(size)?).ok()?..)?;
            } else if ty == ValueType::STRING {
                rest = strings::skip(rest, left, endian, short, nul)?;
            } else {
                let (ty_inner, n, after) = header(rest, endian, short, dialect)?;
                rest = after;
                levels.push((ty, left.checked_sub(1)?));
                levels.push((ty_inner, n));
            }
        }
        bytes.len().checked_sub(rest.len())
    }
}
