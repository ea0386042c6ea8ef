//! Headers of safetensors files: which tensors one has and where their data is, and what is to stand in a new one.
//!
//! The file is 8 bytes of length (little-endian), a header in JSON, and the data. What is read is held against the rules of
//! the format: the header is at most 100 MB, names are given once, and the data of the tensors, in its order, begins with
//! the data section, has no gaps and no overlaps, and ends with the file.

mod header;
mod write;

pub use write::{Entry, Layout, LayoutError, dtype, layout};

use std::fmt;
use std::io;

use ggufkit_format::spec::TensorType;
use ggufkit_format::{ReadAt, Span, shorten};

use crate::file::read_full;
use header::{Header, Record};

/// Longest header that the format permits.
const MAX_HEADER: u64 = 100_000_000;

/// The name that stands for no tensor.
const RESERVED: &str = "__metadata__";

/// A safetensors file's tensors, in the order of the header.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Safetensors {
    /// The tensors.
    pub tensors: Vec<Stored>,
    /// What the header says under `__metadata__`.
    pub metadata: Vec<(String, String)>,
}

/// A tensor of a safetensors file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stored {
    /// The name.
    pub name: String,
    /// The type as the header has it: `BF16`.
    pub dtype: String,
    /// The same in GGUF; `None` where it has none.
    pub tensor_type: Option<TensorType>,
    /// Dimensions in GGUF's order, the row length first: the shape of the header turned round.
    pub dims: Vec<u64>,
    /// Where the data is in the file; always little-endian.
    pub data: Span,
}

impl Safetensors {
    /// The tensor of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Stored> {
        self.tensors.iter().find(|tensor| tensor.name == name)
    }
}

/// Why a file is no safetensors file.
#[derive(Debug)]
#[non_exhaustive]
pub enum SafetensorsError {
    /// It cannot be read.
    Io(io::Error),
    /// The length of the header is not that of one: longer than the file, or than 100 MB.
    HeaderLength(u64),
    /// The header is no JSON of the form that the format has.
    Header(String),
    /// A tensor's place is not behind that of the tensor before, or its bytes are not those that type and shape give.
    Place {
        /// The tensor.
        name: String,
        /// What is wrong.
        problem: &'static str,
    },
    /// The file does not end with its data.
    Length {
        /// Where the data ends.
        end: u64,
        /// Where the file does.
        size: u64,
    },
}

impl fmt::Display for SafetensorsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::HeaderLength(len) => write!(
                f,
                "not a safetensors file: its header would have {len} bytes, more than there are or than the format permits"
            ),
            Self::Header(why) => {
                write!(f, "not a safetensors file: its header is none, {}", shorten(why.as_bytes(), 120))
            }
            Self::Place { name, problem } => {
                write!(f, "tensor \"{}\": {problem}", shorten(name.as_bytes(), 80))
            }
            Self::Length { end, size } => {
                write!(f, "the data ends at {end:#x}, and the file has {size} bytes")
            }
        }
    }
}

impl std::error::Error for SafetensorsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for SafetensorsError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Reads the header of a safetensors file whose length is known.
///
/// # Errors
/// See [`SafetensorsError`].
pub fn read<S>(source: &S) -> Result<Safetensors, SafetensorsError>
where
    S: ReadAt<Error = io::Error> + ?Sized,
{
    let size = source.size().ok_or_else(|| io::Error::from(io::ErrorKind::NotSeekable))?;
    let mut len = [0; 8];
    let read = read_full(source, &mut len, 0)?;
    let len = u64::from_le_bytes(len);
    let data = len.saturating_add(8);
    if read < 8 || len > MAX_HEADER || data > size {
        return Err(SafetensorsError::HeaderLength(len));
    }
    let mut text = vec![0; usize::try_from(len).map_err(|_| SafetensorsError::HeaderLength(len))?];
    if read_full(source, &mut text, 8)? < text.len() {
        return Err(SafetensorsError::HeaderLength(len));
    }
    if text.first() != Some(&b'{') {
        return Err(SafetensorsError::Header("it does not begin with {".to_owned()));
    }
    let header: Header =
        serde_json::from_slice(&text).map_err(|error| SafetensorsError::Header(error.to_string()))?;
    drop(text);
    let mut tensors = Vec::with_capacity(header.tensors.len());
    for (name, record) in header.tensors {
        tensors.push(stored(name, record, data)?);
    }
    are_in_order(&tensors, data, size)?;
    Ok(Safetensors { tensors, metadata: header.metadata })
}

fn stored(name: String, record: Record, base: u64) -> Result<Stored, SafetensorsError> {
    let (from, to) = record.data_offsets;
    let place = (from <= to).then(|| base.checked_add(to)).flatten();
    let Some(end) = place else {
        return Err(SafetensorsError::Place { name, problem: "its data ends before it begins" });
    };
    let data = Span::between(base.saturating_add(from), end);
    if let Some(bits) = bits(&record.dtype) {
        let elements = ggufkit_format::layout::element_count(&record.shape);
        let needed = elements.and_then(|elements| elements.checked_mul(bits));
        if needed.is_none() || needed != data.len.checked_mul(8) {
            let problem = "its data is not as long as its type and shape ask for";
            return Err(SafetensorsError::Place { name, problem });
        }
    }
    let tensor_type = tensor_type(&record.dtype);
    let dims = record.shape.into_iter().rev().collect();
    Ok(Stored { name, dtype: record.dtype, tensor_type, dims, data })
}

/// Whether the data fills the file: no gap, no overlap, nothing behind.
fn are_in_order(tensors: &[Stored], base: u64, size: u64) -> Result<(), SafetensorsError> {
    let mut order: Vec<&Stored> = tensors.iter().collect();
    order.sort_by_key(|tensor| (tensor.data.start, tensor.data.len));
    let mut end = base;
    for tensor in order {
        let problem = match tensor.data.start.cmp(&end) {
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Less => Some("its data begins before that of another ends"),
            std::cmp::Ordering::Greater => Some("there are bytes of no tensor before its data"),
        };
        if let Some(problem) = problem {
            return Err(SafetensorsError::Place { name: tensor.name.clone(), problem });
        }
        end = tensor.data.end();
    }
    if end == size { Ok(()) } else { Err(SafetensorsError::Length { end, size }) }
}

/// The type of GGUF for one of safetensors.
fn tensor_type(name: &str) -> Option<TensorType> {
    let types = ggufkit_format::spec::TENSOR_TYPES.iter().map(|info| info.ty);
    types.into_iter().find(|ty| dtype(*ty) == Some(name))
}

/// Bits of an element; `None` for types that are not known, whose lengths cannot be tested.
fn bits(dtype: &str) -> Option<u64> {
    Some(match dtype {
        "F4" => 4,
        "F6_E2M3" | "F6_E3M2" => 6,
        "BOOL" | "U8" | "I8" | "F8_E5M2" | "F8_E4M3" | "F8_E8M0" | "F8_E4M3FNUZ" | "F8_E5M2FNUZ" => 8,
        "I16" | "U16" | "F16" | "BF16" => 16,
        "I32" | "U32" | "F32" => 32,
        "I64" | "U64" | "F64" | "C64" => 64,
        _ => return None,
    })
}
