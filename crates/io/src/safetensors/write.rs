//! Writing safetensors files: what stands before the data, and in which order the data follows.
//!
//! Tensors of wider elements come first, so that each begins at a multiple of its element, and those of one width in the
//! order in which they were given. The header ends at a multiple of 8.

use std::collections::HashSet;
use std::fmt;

use ggufkit_format::layout::{SizeError, tensor_bytes};
use ggufkit_format::shorten;
use ggufkit_format::spec::TensorType;
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::{MAX_HEADER, RESERVED};

/// A tensor that is to be written.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// Its type.
    pub tensor_type: TensorType,
    /// Its dimensions in GGUF's order, the row length first.
    pub dims: &'a [u64],
}

/// A file that is to be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// What stands before the data: the length of the header, and the header.
    pub head: Vec<u8>,
    /// The numbers of the tensors, in the order in which their data follows, without gaps.
    pub order: Vec<usize>,
    /// Length of the file.
    pub len: u64,
}

/// Why tensors make no safetensors file.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LayoutError {
    /// The format has no such type: the elements share blocks, or the type is not known.
    NoType {
        /// The tensor.
        name: Vec<u8>,
        /// Its type.
        tensor_type: TensorType,
    },
    /// A name that is not UTF-8, or is the one that the format keeps for itself.
    Name(Vec<u8>),
    /// Two tensors have one name.
    Duplicate(Vec<u8>),
    /// Type and shape give no size.
    Size {
        /// The tensor.
        name: Vec<u8>,
        /// Why not.
        error: SizeError,
    },
    /// The header would be longer than the 100 MB that readers take, or the file longer than 2^64 bytes.
    TooLong,
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = |name: &Vec<u8>| shorten(name, 80).to_string();
        match self {
            Self::NoType { name, tensor_type } => {
                write!(f, "tensor \"{}\": safetensors has no type for {tensor_type}", short(name))
            }
            Self::Name(name) => {
                write!(f, "tensor \"{}\": safetensors has no such names", short(name))
            }
            Self::Duplicate(name) => write!(f, "two tensors are called \"{}\"", short(name)),
            Self::Size { name, error } => write!(f, "tensor \"{}\": {error}", short(name)),
            Self::TooLong => f.write_str("more tensors than a safetensors file may have"),
        }
    }
}

impl std::error::Error for LayoutError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Size { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// The format's name of a type; `None` where it has none.
#[must_use]
pub fn dtype(tensor_type: TensorType) -> Option<&'static str> {
    Some(match tensor_type {
        TensorType::F32 => "F32",
        TensorType::F16 => "F16",
        TensorType::BF16 => "BF16",
        TensorType::F64 => "F64",
        TensorType::I8 => "I8",
        TensorType::I16 => "I16",
        TensorType::I32 => "I32",
        TensorType::I64 => "I64",
        _ => return None,
    })
}

/// Lays out a file of these tensors. Its metadata says `{"format": "pt"}`, without which Hugging Face's loaders refuse a
/// file.
///
/// ```
/// use ggufkit_format::spec::TensorType;
/// use ggufkit_io::safetensors::{Entry, layout};
///
/// let entry = Entry { name: b"w", tensor_type: TensorType::F32, dims: &[4, 3] };
/// let layout = layout(&[entry])?;
/// assert!(layout.head[8..].starts_with(
///     br#"{"__metadata__":{"format":"pt"},"w":{"dtype":"F32","shape":[3,4],"data_offsets":[0,48]}}"#
/// ));
/// assert_eq!(layout.len, layout.head.len() as u64 + 48);
/// # Ok::<(), ggufkit_io::safetensors::LayoutError>(())
/// ```
///
/// # Errors
/// See [`LayoutError`].
pub fn layout(entries: &[Entry<'_>]) -> Result<Layout, LayoutError> {
    let mut seen = HashSet::new();
    let mut all = Vec::with_capacity(entries.len());
    for (number, entry) in entries.iter().enumerate() {
        let name = || entry.name.to_vec();
        let tensor_type = entry.tensor_type;
        let dtype = dtype(tensor_type).ok_or_else(|| LayoutError::NoType { name: name(), tensor_type })?;
        let text = std::str::from_utf8(entry.name).ok().filter(|text| *text != RESERVED);
        let text = text.ok_or_else(|| LayoutError::Name(name()))?;
        if !seen.insert(text) {
            return Err(LayoutError::Duplicate(name()));
        }
        let bytes = tensor_bytes(tensor_type, entry.dims)
            .map_err(|error| LayoutError::Size { name: name(), error })?;
        let width = tensor_type.info().map_or(1, |info| info.block_bytes);
        all.push((width, number, Place { name: text, dtype, dims: entry.dims, from: 0, to: bytes }));
    }
    all.sort_by_key(|(width, ..)| std::cmp::Reverse(*width));
    let mut end = 0_u64;
    for (.., place) in &mut all {
        place.from = end;
        end = end.checked_add(place.to).ok_or(LayoutError::TooLong)?;
        place.to = end;
    }
    let order = all.iter().map(|(_, number, _)| *number).collect();
    let places: Vec<Place<'_>> = all.into_iter().map(|(.., place)| place).collect();
    let mut text = serde_json::to_vec(&Header(&places)).map_err(|_| LayoutError::TooLong)?;
    text.resize(text.len().next_multiple_of(8), b' ');
    let length = text.len() as u64;
    if length > MAX_HEADER {
        return Err(LayoutError::TooLong);
    }
    let mut head = length.to_le_bytes().to_vec();
    head.append(&mut text);
    let len = end.checked_add(head.len() as u64).ok_or(LayoutError::TooLong)?;
    Ok(Layout { head, order, len })
}

struct Place<'a> {
    name: &'a str,
    dtype: &'static str,
    dims: &'a [u64],
    from: u64,
    to: u64,
}

struct Header<'a>(&'a [Place<'a>]);

impl Serialize for Header<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry(RESERVED, &std::collections::BTreeMap::from([("format", "pt")]))?;
        for place in self.0 {
            map.serialize_entry(place.name, place)?;
        }
        map.end()
    }
}

impl Serialize for Place<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("dtype", self.dtype)?;
        map.serialize_entry("shape", &self.dims.iter().rev().collect::<Vec<_>>())?;
        map.serialize_entry("data_offsets", &[self.from, self.to])?;
        map.end()
    }
}
