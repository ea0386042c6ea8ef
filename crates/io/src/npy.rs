//! NumPy's `.npy` format, for tensors whose elements stand alone: version 1.0 is written, 1 to 3 are read.
//!
//! Shapes are turned round: GGUF names the fastest dimension first, NumPy last. The bytes stay as they are, and the byte
//! order of the file is named in the header.

mod read;

pub use read::{Array, ArrayError, read};

use std::fmt;
use std::io::{self, Write};
use std::ops::Range;

use ggufkit_format::spec::TensorType;
use ggufkit_format::{Endian, ReadAt, Tensor, shorten};

use crate::data::{DataError, TensorReader};

/// Bytes that are read and written at once.
const CHUNK: usize = 1 << 20;

/// Dimensions that NumPy can hold.
const MAX_DIMS: usize = 64;

/// What becomes of BF16, for which NumPy has no type.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Bf16 {
    /// An error.
    #[default]
    Refuse,
    /// The bits as `u2`: the upper halves of `f4` values, to be shifted by the reader.
    Bits,
    /// Widened to `f4`, which is exact and takes twice the bytes.
    Widen,
}

/// Why a tensor does not become an array.
#[derive(Debug)]
#[non_exhaustive]
pub enum NpyError {
    /// NumPy has no type for the elements: they share blocks, or the type is not known, or it is BF16.
    NoType {
        /// The tensor's name, where one is written.
        name: Box<[u8]>,
        /// Its type.
        tensor_type: TensorType,
    },
    /// More dimensions than NumPy can hold.
    TooManyDims {
        /// How many.
        count: usize,
    },
    /// The data cannot be read.
    Data(DataError),
    /// The output cannot be written.
    Write(io::Error),
}

impl fmt::Display for NpyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoType { name, tensor_type } => {
                if !name.is_empty() {
                    write!(f, "tensor \"{}\": ", shorten(name, 80))?;
                }
                write!(f, "NumPy has no type for {tensor_type}")?;
                if *tensor_type == TensorType::BF16 {
                    f.write_str(" (it can be widened to f4, or written as bits, u2)")
                } else {
                    f.write_str("; its values must be dequantized first")
                }
            }
            Self::TooManyDims { count } => {
                write!(f, "{count} dimensions, NumPy holds {MAX_DIMS} at most")
            }
            Self::Data(error) => error.fmt(f),
            Self::Write(_) => f.write_str("cannot write the array"),
        }
    }
}

impl std::error::Error for NpyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Data(error) => error.source(),
            Self::Write(error) => Some(error),
            _ => None,
        }
    }
}

impl From<DataError> for NpyError {
    fn from(error: DataError) -> Self {
        Self::Data(error)
    }
}

/// NumPy's name of a type, byte order included: `<f4`, `>i2`, `|i1`; `None` where it has none.
#[must_use]
pub fn descr(tensor_type: TensorType, endian: Endian, bf16: Bf16) -> Option<&'static str> {
    let [little, big] = match tensor_type {
        TensorType::F32 => ["<f4", ">f4"],
        TensorType::F16 => ["<f2", ">f2"],
        TensorType::F64 => ["<f8", ">f8"],
        TensorType::I8 => ["|i1", "|i1"],
        TensorType::I16 => ["<i2", ">i2"],
        TensorType::I32 => ["<i4", ">i4"],
        TensorType::I64 => ["<i8", ">i8"],
        TensorType::BF16 => match bf16 {
            Bf16::Refuse => return None,
            Bf16::Bits => ["<u2", ">u2"],
            Bf16::Widen => ["<f4", ">f4"],
        },
        _ => return None,
    };
    Some(match endian {
        Endian::Little => little,
        Endian::Big => big,
    })
}

/// The header of an `.npy` file, version 1.0: what stands before the elements, a multiple of 64 bytes. `dims` is in
/// GGUF's order, the row length first.
///
/// ```
/// # use ggufkit_io::npy;
/// let header = npy::header("<f4", &[4, 3])?;
/// assert!(header.starts_with(b"\x93NUMPY\x01\0"));
/// assert!(header[10..].starts_with(b"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }"));
/// # Ok::<(), npy::NpyError>(())
/// ```
///
/// # Errors
/// More than 64 dimensions.
pub fn header(descr: &str, dims: &[u64]) -> Result<Vec<u8>, NpyError> {
    if dims.len() > MAX_DIMS {
        return Err(NpyError::TooManyDims { count: dims.len() });
    }
    let shape: Vec<String> = dims.iter().rev().map(u64::to_string).collect();
    // A tuple of one needs its comma.
    let comma = if shape.len() == 1 { "," } else { "" };
    let mut text =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({}{comma}), }}", shape.join(", "));
    let unpadded = 10 + text.len() + 1;
    text.extend(std::iter::repeat_n(' ', unpadded.next_multiple_of(64) - unpadded));
    text.push('\n');
    // 64 dimensions of 20 digits are far from the 64 KiB that the length can tell.
    let len = u16::try_from(text.len()).unwrap_or(u16::MAX);
    let mut header = b"\x93NUMPY\x01\0".to_vec();
    header.extend(len.to_le_bytes());
    header.extend(text.as_bytes());
    Ok(header)
}

/// The header of a tensor's array, or of some of its rows: what [`write`](fn@write) writes first. It reads nothing, so that it can be
/// asked whether a tensor has such a form before a file is made for it.
///
/// # Errors
/// NumPy has no such type, or does not hold so many dimensions.
pub fn header_of<S>(
    reader: &TensorReader<'_, S>,
    tensor: &Tensor,
    rows: Option<&Range<u64>>,
    bf16: Bf16,
) -> Result<Vec<u8>, NpyError>
where
    S: ReadAt<Error = io::Error> + ?Sized,
{
    let view = reader.view();
    let descr = descr(tensor.tensor_type, view.index().header().endian, bf16).ok_or_else(|| {
        NpyError::NoType { name: view.name(tensor).0.into(), tensor_type: tensor.tensor_type }
    })?;
    let dims = view.index().dims(tensor);
    match rows {
        None => header(descr, dims),
        Some(rows) => {
            header(descr, &[dims.first().copied().unwrap_or(1), rows.end.saturating_sub(rows.start)])
        }
    }
}

/// Writes a tensor as an `.npy` file, 1 MiB at a time; of `rows`, where they are given, as an array of two dimensions.
///
/// # Errors
/// NumPy has no such type, the data cannot be read, or the output cannot be written. Nothing was written in the first
/// case, and an output that is not whole may be there in the others.
pub fn write<S, W>(
    reader: &TensorReader<'_, S>,
    tensor: &Tensor,
    rows: Option<Range<u64>>,
    bf16: Bf16,
    out: &mut W,
) -> Result<(), NpyError>
where
    S: ReadAt<Error = io::Error> + ?Sized,
    W: Write + ?Sized,
{
    let header = header_of(reader, tensor, rows.as_ref(), bf16)?;
    let endian = reader.view().index().header().endian;
    let widen = tensor.tensor_type == TensorType::BF16 && bf16 == Bf16::Widen;
    let mut chunks = match rows {
        None => reader.chunks(tensor, CHUNK)?,
        Some(rows) => reader.row_chunks(tensor, rows, CHUNK)?,
    };
    out.write_all(&header).map_err(NpyError::Write)?;
    let mut wide = Vec::new();
    while let Some(chunk) = chunks.next_chunk() {
        let bytes = chunk?.bytes;
        let bytes = if widen {
            widen_bf16(bytes, endian, &mut wide);
            &wide
        } else {
            bytes
        };
        out.write_all(bytes).map_err(NpyError::Write)?;
    }
    Ok(())
}

/// A BF16 is the upper half of an F32.
fn widen_bf16(bytes: &[u8], endian: Endian, wide: &mut Vec<u8>) {
    wide.clear();
    for half in bytes.as_chunks::<2>().0 {
        match endian {
            Endian::Little => wide.extend([0, 0, half[0], half[1]]),
            Endian::Big => wide.extend([half[0], half[1], 0, 0]),
        }
    }
}
