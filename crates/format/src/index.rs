//! The result of a reading: where everything is, in file order, without the bytes themselves.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::anomaly::Anomaly;
use crate::dialect::Dialect;
use crate::endian::Endian;
use crate::error::ParseError;
use crate::layout;
use crate::span::Span;
use crate::spec::{KeyType, TensorType, ValueType};

/// The header of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// Position of the magic in the source: 0 for a file of its own.
    pub base: u64,
    /// The header's bytes.
    pub span: Span,
    /// 1, 2 or 3.
    pub version: u32,
    /// Byte order, as the version field tells it.
    pub endian: Endian,
    /// Number of tensor-info records that the header declares.
    pub tensor_count: u64,
    /// Number of key-values that the header declares.
    pub kv_count: u64,
    /// The alignment that a *padded-header* file keeps in its header.
    pub alignment: Option<u32>,
    /// The layout that was read.
    pub dialect: Dialect,
}

impl Header {
    /// Bytes of a length or count: 4 in version 1, 8 after it.
    #[must_use]
    pub const fn length_bytes(&self) -> u64 {
        if self.version == 1 { 4 } else { 8 }
    }

    /// Bytes after every string, not counted in its length: 1 in the dialects that write a NUL.
    #[must_use]
    pub const fn nul_bytes(&self) -> u64 {
        self.dialect.nul_strings as u64
    }
}

/// A value of fixed size.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Scalar {
    /// UINT8.
    U8(u8),
    /// INT8.
    I8(i8),
    /// UINT16.
    U16(u16),
    /// INT16.
    I16(i16),
    /// UINT32.
    U32(u32),
    /// INT32.
    I32(i32),
    /// FLOAT32.
    F32(f32),
    /// BOOL: the byte as it stands in the file; 0 and 1 are the legal ones, any other reads as true.
    Bool(u8),
    /// UINT64.
    U64(u64),
    /// INT64.
    I64(i64),
    /// FLOAT64.
    F64(f64),
    /// Half precision, by its bits (*short-ids* dialect only).
    F16(u16),
}

impl Scalar {
    /// The scalar of type `ty` at the start of `bytes`; `None` for types without a fixed size and for missing bytes.
    #[must_use]
    #[inline]
    pub fn read(ty: ValueType, endian: Endian, bytes: &[u8]) -> Option<Self> {
        macro_rules! number {
            ($variant:ident, $method:ident) => {
                Self::$variant(endian.$method(*bytes.first_chunk()?))
            };
        }
        Some(match ty {
            ValueType::UINT8 => Self::U8(*bytes.first()?),
            ValueType::INT8 => Self::I8(i8::from_le_bytes(*bytes.first_chunk()?)),
            ValueType::UINT16 => number!(U16, u16),
            ValueType::INT16 => number!(I16, i16),
            ValueType::UINT32 => number!(U32, u32),
            ValueType::INT32 => number!(I32, i32),
            ValueType::FLOAT32 => number!(F32, f32),
            ValueType::BOOL => Self::Bool(*bytes.first()?),
            ValueType::UINT64 => number!(U64, u64),
            ValueType::INT64 => number!(I64, i64),
            ValueType::FLOAT64 => number!(F64, f64),
            ValueType::FLOAT16 => number!(F16, u16),
            _ => return None,
        })
    }

    /// The type.
    #[must_use]
    pub const fn value_type(&self) -> ValueType {
        match self {
            Self::U8(_) => ValueType::UINT8,
            Self::I8(_) => ValueType::INT8,
            Self::U16(_) => ValueType::UINT16,
            Self::I16(_) => ValueType::INT16,
            Self::U32(_) => ValueType::UINT32,
            Self::I32(_) => ValueType::INT32,
            Self::F32(_) => ValueType::FLOAT32,
            Self::Bool(_) => ValueType::BOOL,
            Self::U64(_) => ValueType::UINT64,
            Self::I64(_) => ValueType::INT64,
            Self::F64(_) => ValueType::FLOAT64,
            Self::F16(_) => ValueType::FLOAT16,
        }
    }

    /// The integer as a scalar of type `ty`; `None` where it does not fit, or `ty` is no integer type.
    #[must_use]
    pub fn integer(ty: ValueType, value: i128) -> Option<Self> {
        Some(match ty {
            ValueType::UINT8 => Self::U8(value.try_into().ok()?),
            ValueType::INT8 => Self::I8(value.try_into().ok()?),
            ValueType::UINT16 => Self::U16(value.try_into().ok()?),
            ValueType::INT16 => Self::I16(value.try_into().ok()?),
            ValueType::UINT32 => Self::U32(value.try_into().ok()?),
            ValueType::INT32 => Self::I32(value.try_into().ok()?),
            ValueType::UINT64 => Self::U64(value.try_into().ok()?),
            ValueType::INT64 => Self::I64(value.try_into().ok()?),
            _ => return None,
        })
    }

    /// The value as an integer, where the type is one; a bool is not.
    #[must_use]
    #[inline]
    pub fn as_integer(&self) -> Option<i128> {
        Some(match *self {
            Self::U8(v) => v.into(),
            Self::I8(v) => v.into(),
            Self::U16(v) => v.into(),
            Self::I16(v) => v.into(),
            Self::U32(v) => v.into(),
            Self::I32(v) => v.into(),
            Self::U64(v) => v.into(),
            Self::I64(v) => v.into(),
            _ => return None,
        })
    }

    /// The value as a non-negative integer that fits in 64 bits.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        u64::try_from(self.as_integer()?).ok()
    }

    /// The value as a double, where the type is a float; exact, since every narrower float is a double too.
    #[must_use]
    pub fn as_float(&self) -> Option<f64> {
        Some(match *self {
            Self::F32(v) => v.into(),
            Self::F64(v) => v,
            Self::F16(v) => crate::endian::f16_to_f32(v).into(),
            _ => return None,
        })
    }

    /// The value as a bool, where the type is one: any byte but 0 is true.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match *self {
            Self::Bool(v) => Some(v != 0),
            _ => None,
        }
    }
}

/// What a key-value holds.
#[derive(Clone, PartialEq, Debug)]
pub enum Payload {
    /// A value of fixed size, decoded.
    Scalar(Scalar),
    /// A string: its bytes, without the length.
    String(TextSpan),
    /// An array: where its elements are.
    Array(Box<Array>),
}

/// Where a string lies, and whether it is UTF-8.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TextSpan {
    /// The bytes, without the length and without a dialect's NUL.
    pub span: Span,
    /// Whether the bytes are UTF-8. `None` when the reading was told not to look ([`Options::text`](crate::Options)).
    pub utf8: Option<bool>,
}

/// Where an array's elements lie.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    /// Type of the elements, also when there are none.
    pub element_type: ValueType,
    /// Number of elements.
    pub count: u64,
    /// All elements, lengths of strings and headers of nested arrays included.
    pub elements: Span,
    /// Positions of the elements 0, [`Array::STRIDE`], 2 * [`Array::STRIDE`], … where elements have no fixed size.
    pub(crate) marks: Vec<u64>,
    /// Strings (nested ones too) that are not UTF-8. `None` when there are no strings or nobody looked.
    pub invalid_utf8: Option<u64>,
    /// The first element that is, or holds, a string that is not UTF-8.
    pub first_invalid_utf8: Option<u64>,
}

impl Array {
    /// Every how many elements a position is kept, so that any element is found by at most this many steps.
    pub const STRIDE: u64 = 64;
}

/// A metadata key-value.
#[derive(Clone, PartialEq, Debug)]
pub struct Kv {
    /// The whole record: key, type, value.
    pub span: Span,
    /// The key.
    pub key: TextSpan,
    /// Type of the value.
    pub value_type: ValueType,
    /// The value, from after the type to the record's end: a string's length and an array's header belong to it.
    pub value_span: Span,
    /// What it holds.
    pub payload: Payload,
}

impl Kv {
    /// The type of the value, with that of its elements where it is an array.
    #[must_use]
    pub const fn key_type(&self) -> KeyType {
        match &self.payload {
            Payload::Array(array) => KeyType::Array(array.element_type),
            _ => KeyType::Scalar(self.value_type),
        }
    }
}

/// A tensor-info record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tensor {
    /// The whole record.
    pub span: Span,
    /// The name.
    pub name: TextSpan,
    /// Type of the data; ids that nobody knows are kept.
    pub tensor_type: TensorType,
    /// Position of the data, relative to the start of the data section, as the file gives it.
    pub offset: u64,
    /// Where this tensor's dimensions lie in the index's pool.
    pub(crate) dims: (u32, u32),
}

/// Where the alignment of the data section comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AlignmentSource {
    /// `general.alignment` is absent: 32.
    Default,
    /// The key-value at this index.
    Key(u64),
    /// The key-value at this index is no number to align by, so it is 32, as if the key were absent.
    Unusable(u64),
    /// The *padded-header* dialect's header.
    Header,
}

/// Everything that one reading of a head found, in file order, duplicates included.
///
/// An index owns no bytes of the file: it holds decoded scalars and the [`Span`] of everything else. It is cheap to
/// clone and outlives the source. [`View`](crate::View) pairs it with the bytes.
#[derive(Clone, Debug)]
pub struct Index(pub(crate) Arc<Inner>);

#[derive(Clone, Debug)]
pub(crate) struct Inner {
    pub(crate) header: Header,
    pub(crate) kvs: Vec<Kv>,
    pub(crate) tensors: Vec<Tensor>,
    pub(crate) dims: Vec<u64>,
    pub(crate) alignment: u64,
    pub(crate) alignment_source: AlignmentSource,
    pub(crate) head_end: u64,
    pub(crate) data_start: Option<u64>,
    pub(crate) anomalies: Vec<Anomaly>,
    pub(crate) anomalies_left_out: u64,
    pub(crate) complete: bool,
}

impl Index {
    /// An index of a single key-value, for a reading that stopped at the key it was looking for.
    #[must_use]
    pub fn of_record(header: Header, kv: Kv) -> Self {
        let head_end = kv.span.end();
        Self(Arc::new(Inner {
            header,
            kvs: alloc::vec![kv],
            tensors: Vec::new(),
            dims: Vec::new(),
            alignment: layout::DEFAULT_ALIGNMENT,
            alignment_source: AlignmentSource::Default,
            head_end,
            data_start: None,
            anomalies: Vec::new(),
            anomalies_left_out: 0,
            complete: false,
        }))
    }

    /// The header.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.0.header
    }

    /// The key-values, in file order.
    #[must_use]
    pub fn kvs(&self) -> &[Kv] {
        &self.0.kvs
    }

    /// The tensor-info records, in file order.
    #[must_use]
    pub fn tensors(&self) -> &[Tensor] {
        &self.0.tensors
    }

    /// The dimensions of a tensor of this index: `dims[0]` is the row length, which varies fastest.
    #[must_use]
    pub fn dims(&self, tensor: &Tensor) -> &[u64] {
        let (start, len) = (tensor.dims.0 as usize, tensor.dims.1 as usize);
        self.0.dims.get(start..start.saturating_add(len)).unwrap_or_default()
    }

    /// Alignment of the data section, in bytes.
    #[must_use]
    pub fn alignment(&self) -> u64 {
        self.0.alignment
    }

    /// Where the alignment comes from.
    #[must_use]
    pub fn alignment_source(&self) -> AlignmentSource {
        self.0.alignment_source
    }

    /// Position just past the tensor table, or past the last record that could be read.
    #[must_use]
    pub fn head_end(&self) -> u64 {
        self.0.head_end
    }

    /// The head, from the magic to the end of the tensor table.
    #[must_use]
    pub fn head(&self) -> Span {
        Span::between(self.0.header.base, self.0.head_end)
    }

    /// Position of the data section, aligned relative to the magic. `None` when the head was not read to its end or
    /// the position does not fit in 64 bits. It may lie past the end of a file that has no tensors.
    #[must_use]
    pub fn data_start(&self) -> Option<u64> {
        self.0.data_start
    }

    /// Whether the head was read to its end.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.0.complete
    }

    /// Whether all key-values that the header declares were read: what was not found among them is absent.
    #[must_use]
    pub fn has_all_kvs(&self) -> bool {
        self.kvs().len() as u64 == self.header().kv_count
    }

    /// Whether all tensors that the header declares were read. The table stands behind the key-values, so that of a head that
    /// ends among those none of it was seen, whatever number is declared.
    #[must_use]
    pub fn has_all_tensors(&self) -> bool {
        self.has_all_kvs() && self.tensors().len() as u64 == self.header().tensor_count
    }

    /// What is odd about the head and did not stop the reading, in file order of the records.
    #[must_use]
    pub fn anomalies(&self) -> &[Anomaly] {
        &self.0.anomalies
    }

    /// Anomalies past the number that is kept.
    #[must_use]
    pub fn anomalies_left_out(&self) -> u64 {
        self.0.anomalies_left_out
    }

    /// Position of a tensor's data in the source; `None` when it does not fit in 64 bits or there is no data section.
    #[must_use]
    pub fn data_position(&self, tensor: &Tensor) -> Option<u64> {
        self.0.data_start?.checked_add(tensor.offset)
    }

    /// A tensor's data in the source, sized by type and shape.
    ///
    /// # Errors
    /// The size is unknown (see [`layout::tensor_bytes`]) or the position does not fit in 64 bits.
    pub fn data_span(&self, tensor: &Tensor) -> Result<Span, layout::SizeError> {
        let len = layout::tensor_bytes(tensor.tensor_type, self.dims(tensor))?;
        let start = self.data_position(tensor).ok_or(layout::SizeError::Overflow)?;
        start.checked_add(len).ok_or(layout::SizeError::Overflow)?;
        Ok(Span::new(start, len))
    }

    /// Bytes of memory that the index itself takes, the bytes of the head not counted.
    #[must_use]
    pub fn memory(&self) -> usize {
        let inner = &*self.0;
        let arrays = inner.kvs.iter().map(|kv| match &kv.payload {
            Payload::Array(a) => size_of::<Array>().saturating_add(a.marks.capacity().saturating_mul(8)),
            _ => 0,
        });
        size_of::<Inner>()
            .saturating_add(inner.kvs.capacity().saturating_mul(size_of::<Kv>()))
            .saturating_add(inner.tensors.capacity().saturating_mul(size_of::<Tensor>()))
            .saturating_add(inner.dims.capacity().saturating_mul(8))
            .saturating_add(inner.anomalies.capacity().saturating_mul(size_of::<Anomaly>()))
            .saturating_add(arrays.fold(0, usize::saturating_add))
    }
}

/// What a reading came to: all that was read, and the error that ended it, if one did.
///
/// Nothing that was read before an error is lost.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What was read. `None` when not even the header could be.
    pub index: Option<Index>,
    /// What ended the reading before the head's end.
    pub error: Option<ParseError>,
}

impl Outcome {
    /// The index of a head that was read whole.
    ///
    /// # Errors
    /// The error that ended the reading.
    pub fn into_result(self) -> Result<Index, ParseError> {
        match self {
            Self { error: Some(error), .. } => Err(error),
            Self { index: Some(index), error: None } => Ok(index),
            Self { index: None, error: None } => Err(ParseError::new(
                0,
                crate::path::Path::Header(crate::path::HeaderPart::Magic),
                crate::error::Reason::UnexpectedEnd { needed: 4, remaining: 0 },
            )),
        }
    }
}
