//! The other byte order: the head by its values, the data by the rule of each tensor's type.

use std::fmt;

use ggufkit_format::exchange::Exchange;
use ggufkit_format::spec::TensorType;
use ggufkit_format::{Endian, Span, shorten};

use crate::document::Document;
use crate::error::EditError;

/// Has a document written in a byte order. The value is what of the source has to be turned on the way, with
/// [`ggufkit_io::Turned`], for what [`Document::plan`] makes of it; `None` where it is in this order already.
///
/// # Errors
/// See [`EndianError`]; the document is then of no use.
pub fn turn(document: &mut Document<'_>, to: Endian) -> Result<Option<Vec<(Span, Exchange)>>, EndianError> {
    if !document.set_endian(to)? {
        return Ok(None);
    }
    let mut regions = Vec::new();
    for (at, (ty, span)) in (0..).zip(document.data_spans()?) {
        match Exchange::of(ty) {
            Some(exchange) => regions.push((span, exchange)),
            None if span.is_empty() => {}
            None => return Err(EndianError::NoRule { name: document.name(at).to_vec(), ty }),
        }
    }
    Ok(Some(regions))
}

/// Why a file cannot be written in the other byte order.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum EndianError {
    /// How the blocks of a type are turned is not known.
    NoRule {
        /// The tensor.
        name: Vec<u8>,
        /// Its type.
        ty: TensorType,
    },
    /// It cannot be written, whatever the order.
    Edit(EditError),
}

impl fmt::Display for EndianError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRule { name, ty } => {
                let name = shorten(name, 100);
                write!(f, "tensor {name} is of type {ty}, and how its blocks are turned is not known")
            }
            Self::Edit(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for EndianError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NoRule { .. } => None,
            Self::Edit(error) => Some(error),
        }
    }
}

impl From<EditError> for EndianError {
    fn from(error: EditError) -> Self {
        Self::Edit(error)
    }
}
