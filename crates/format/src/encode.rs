//! The way back: values, records and headers as bytes of the standard layout.
//!
//! What is written here is what every reader reads: version 2 or 3, the layout of the specification. Mis-written layouts
//! and version 1 are read and never written. Nothing here knows where a byte will stand; [`Plan`](crate::Plan) does.

use alloc::vec::Vec;
use core::fmt;

use crate::endian::{Endian, f16_to_f32};
use crate::index::Scalar;
use crate::parser::MAGIC;
use crate::spec::{TensorType, ValueType};
use crate::view::{ArrayRef, Elements, Value};

/// Why something cannot be written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum EncodeError {
    /// Versions 2 and 3 are written.
    Version(u32),
    /// The format permits big-endian from version 3 on.
    EarlyBigEndian(u32),
    /// The format has no half precision; as f32 the value keeps its number (see [`widen`]).
    HalfPrecision,
    /// A length or count that does not fit its field.
    TooLarge {
        /// What it counts: "dimensions".
        what: &'static str,
        /// The number.
        value: u64,
    },
    /// The value's elements are not all in the bytes that it was read from.
    Incomplete,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version(version) => write!(f, "version {version} is not written; 2 and 3 are"),
            Self::EarlyBigEndian(version) => {
                write!(f, "version {version} has no big-endian form; version 3 has")
            }
            Self::HalfPrecision => f.write_str("half precision is no value type of the format"),
            Self::TooLarge { what, value } => write!(f, "{value} {what} do not fit in their 32-bit field"),
            Self::Incomplete => f.write_str("the bytes of the value are not all there"),
        }
    }
}

impl core::error::Error for EncodeError {}

/// What becomes of bool bytes other than 0 and 1, which read as true.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bools {
    /// They are written as they stand.
    Keep,
    /// They become 1.
    Normalise,
}

/// A scalar of a type that the format has: half precision as the f32 of the same value, all others as they are.
#[must_use]
pub const fn widen(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::F16(bits) => Scalar::F32(f16_to_f32(bits)),
        other => other,
    }
}

/// Type of a value that is written for one of type `ty`: half precision becomes f32.
#[must_use]
pub const fn written_type(ty: ValueType) -> ValueType {
    match ty {
        ValueType::FLOAT16 => ValueType::FLOAT32,
        other => other,
    }
}

/// Writes the parts of a head, in one version and byte order.
///
/// ```
/// use ggufkit_format::encode::Encoder;
/// use ggufkit_format::{Endian, Options, Scalar, View, parse};
///
/// let encoder = Encoder::new(3, Endian::Little)?;
/// let mut head = Vec::new();
/// encoder.header(&mut head, 0, 1);
/// encoder.string(&mut head, b"answer");
/// encoder.value_type(&mut head, Scalar::U32(42).value_type());
/// encoder.scalar(&mut head, Scalar::U32(42))?;
/// let index = parse(&head, Options::new()).into_result()?;
/// assert_eq!(View::new(&index, &head).get("answer").and_then(|v| v.as_u64()), Some(42));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Encoder {
    version: u32,
    endian: Endian,
}

impl Encoder {
    /// An encoder of this version and byte order.
    ///
    /// # Errors
    /// A version other than 2 and 3, and big-endian before version 3.
    pub const fn new(version: u32, endian: Endian) -> Result<Self, EncodeError> {
        match (version, endian) {
            (3, _) | (2, Endian::Little) => Ok(Self { version, endian }),
            (2, Endian::Big) => Err(EncodeError::EarlyBigEndian(2)),
            _ => Err(EncodeError::Version(version)),
        }
    }

    /// The version.
    #[must_use]
    pub const fn version(&self) -> u32 {
        self.version
    }

    /// The byte order.
    #[must_use]
    pub const fn endian(&self) -> Endian {
        self.endian
    }

    /// The header: magic, version, counts.
    pub fn header(&self, out: &mut Vec<u8>, tensors: u64, kvs: u64) {
        out.extend_from_slice(&MAGIC);
        self.u32(out, self.version);
        self.u64(out, tensors);
        self.u64(out, kvs);
    }

    /// A string: its length and its bytes.
    pub fn string(&self, out: &mut Vec<u8>, bytes: &[u8]) {
        self.u64(out, bytes.len().try_into().unwrap_or(u64::MAX));
        out.extend_from_slice(bytes);
    }

    /// A value's type.
    pub fn value_type(&self, out: &mut Vec<u8>, ty: ValueType) {
        self.u32(out, ty.0);
    }

    /// A value of fixed size.
    ///
    /// # Errors
    /// Half precision.
    pub fn scalar(&self, out: &mut Vec<u8>, scalar: Scalar) -> Result<(), EncodeError> {
        macro_rules! number {
            ($v:expr) => {
                out.extend_from_slice(&match self.endian {
                    Endian::Little => $v.to_le_bytes(),
                    Endian::Big => $v.to_be_bytes(),
                })
            };
        }
        match scalar {
            Scalar::U8(v) | Scalar::Bool(v) => out.push(v),
            Scalar::I8(v) => number!(v),
            Scalar::U16(v) => number!(v),
            Scalar::I16(v) => number!(v),
            Scalar::U32(v) => number!(v),
            Scalar::I32(v) => number!(v),
            // By their bits: a NaN keeps its payload.
            Scalar::F32(v) => number!(v.to_bits()),
            Scalar::U64(v) => number!(v),
            Scalar::I64(v) => number!(v),
            Scalar::F64(v) => number!(v.to_bits()),
            Scalar::F16(_) => return Err(EncodeError::HalfPrecision),
        }
        Ok(())
    }

    /// What precedes an array's elements: their type and their number.
    pub fn array_header(&self, out: &mut Vec<u8>, element_type: ValueType, count: u64) {
        self.value_type(out, element_type);
        self.u64(out, count);
    }

    /// A value as it was read, whatever the layout it was read from: half precision becomes f32 of the same value, all
    /// else keeps its type and its bits. Arrays in arrays are walked without recursion.
    ///
    /// # Errors
    /// Elements that are not in the view's bytes. What was written of the value by then stays in `out`.
    pub fn value(&self, out: &mut Vec<u8>, value: Value<'_>, bools: Bools) -> Result<(), EncodeError> {
        let mut open: Vec<(Elements<'_>, u64)> = Vec::new();
        self.item(out, value, bools, &mut open)?;
        while let Some((mut elements, left)) = open.pop() {
            let Some(rest) = left.checked_sub(1) else { continue };
            let item = elements.next().ok_or(EncodeError::Incomplete)?;
            open.push((elements, rest));
            self.item(out, item, bools, &mut open)?;
        }
        Ok(())
    }

    fn item<'a>(
        &self,
        out: &mut Vec<u8>,
        value: Value<'a>,
        bools: Bools,
        open: &mut Vec<(Elements<'a>, u64)>,
    ) -> Result<(), EncodeError> {
        match value {
            Value::Scalar(Scalar::Bool(byte)) if bools == Bools::Normalise => out.push((byte != 0).into()),
            Value::Scalar(scalar) => self.scalar(out, widen(scalar))?,
            Value::String(text) => self.string(out, text.0),
            Value::Array(array) => {
                self.array_header(out, written_type(array.element_type()), array.len());
                if !self.flat(out, &array, bools)? {
                    open.push((array.iter(), array.len()));
                }
            }
        }
        Ok(())
    }

    /// An array whose elements stand in the file as they are to be written, at once; false where they do not.
    fn flat(&self, out: &mut Vec<u8>, array: &ArrayRef<'_>, bools: Bools) -> Result<bool, EncodeError> {
        let ty = array.element_type();
        let (Some(size), true) = (ty.fixed_size(), array.endian() == self.endian) else { return Ok(false) };
        if ty == ValueType::FLOAT16 || (ty == ValueType::BOOL && bools == Bools::Normalise) {
            return Ok(false);
        }
        let len = array.len().checked_mul(size).ok_or(EncodeError::Incomplete)?;
        if len != u64::try_from(array.as_bytes().len()).unwrap_or(u64::MAX) {
            return Err(EncodeError::Incomplete);
        }
        out.extend_from_slice(array.as_bytes());
        Ok(true)
    }

    /// A tensor-info record.
    ///
    /// # Errors
    /// More than 2^32 dimensions.
    pub fn tensor(
        &self,
        out: &mut Vec<u8>,
        name: &[u8],
        dims: &[u64],
        tensor_type: TensorType,
        offset: u64,
    ) -> Result<(), EncodeError> {
        let count = u32::try_from(dims.len()).map_err(|_| EncodeError::TooLarge {
            what: "dimensions",
            value: dims.len().try_into().unwrap_or(u64::MAX),
        })?;
        self.string(out, name);
        self.u32(out, count);
        for &dim in dims {
            self.u64(out, dim);
        }
        self.u32(out, tensor_type.0);
        self.u64(out, offset);
        Ok(())
    }

    fn u32(&self, out: &mut Vec<u8>, v: u32) {
        out.extend_from_slice(&match self.endian {
            Endian::Little => v.to_le_bytes(),
            Endian::Big => v.to_be_bytes(),
        });
    }

    fn u64(&self, out: &mut Vec<u8>, v: u64) {
        out.extend_from_slice(&match self.endian {
            Endian::Little => v.to_le_bytes(),
            Endian::Big => v.to_be_bytes(),
        });
    }
}
