//! The values of one tensor of a file.

use std::fmt;
use std::io;
use std::ops::Range;

use ggufkit_format::exchange::Exchange;
use ggufkit_format::layout;
use ggufkit_format::spec::TensorType;
use ggufkit_format::{Endian, ReadAt, Span, Tensor};
use ggufkit_io::{DataError, TensorReader, read_full};
use ggufkit_quant::Codec;

use crate::exact::{Exact, Wide};

/// Elements that are decoded at once: their floats stay in a core's own cache. A multiple of every block.
pub(crate) const STRETCH: usize = 1 << 12;

/// Elements whose bytes are read at once. A multiple of the above.
const AT_ONCE: usize = 1 << 17;

/// The values of a tensor: where they lie and how they are decoded. Nothing is read by making one.
#[derive(Debug)]
pub struct Weights<'s, S: ?Sized> {
    source: &'s S,
    name: Box<[u8]>,
    span: Span,
    elements: u64,
    row: u64,
    codec: &'static Codec,
    /// Where the file has the other byte order.
    turn: Option<Exchange>,
}

/// Why a tensor has no values here.
#[derive(Debug)]
#[non_exhaustive]
pub enum NoValues {
    /// Its data cannot be told.
    Data(DataError),
    /// Nothing is known of how its type is decoded.
    NoDecoding {
        /// The tensor.
        name: Box<[u8]>,
        /// Its type.
        ty: TensorType,
    },
    /// The file is big-endian, and there is no rule for turning the blocks of the type.
    NoByteOrder {
        /// The tensor.
        name: Box<[u8]>,
        /// Its type.
        ty: TensorType,
    },
}

impl NoValues {
    /// What stands in the way, without the tensor's name.
    #[must_use]
    pub fn why(&self) -> String {
        match self {
            Self::Data(error) => error.reason().to_string(),
            Self::NoDecoding { ty, .. } => format!("the type {ty} has no values that are known here"),
            Self::NoByteOrder { ty, .. } => {
                format!("there is no rule for the bytes of {ty} in a big-endian file")
            }
        }
    }
}

impl fmt::Display for NoValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Data(error) => error.fmt(f),
            Self::NoDecoding { name, .. } | Self::NoByteOrder { name, .. } => {
                write!(f, "{}: {}", ggufkit_format::shorten(name, 80), self.why())
            }
        }
    }
}

impl std::error::Error for NoValues {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Data(error) => Some(error),
            _ => None,
        }
    }
}

impl From<DataError> for NoValues {
    fn from(error: DataError) -> Self {
        Self::Data(error)
    }
}

/// Memory that is used again and again: bytes as they are read, and floats.
#[derive(Debug, Default)]
pub struct Memory {
    pub(crate) bytes: Vec<u8>,
    pub(crate) floats: Vec<f32>,
    /// Values that are not in the order in which they are needed.
    pub(crate) band: Vec<f32>,
}

impl<'s, S: ReadAt<Error = io::Error> + ?Sized> Weights<'s, S> {
    /// The values of a tensor of `reader`'s file.
    ///
    /// # Errors
    /// [`NoValues`]: the type is not known or not decoded, the data does not lie in the file, the byte order has no rule.
    pub fn of(source: &'s S, reader: &TensorReader<'_, S>, tensor: &Tensor) -> Result<Self, NoValues> {
        let view = reader.view();
        let (name, ty) = (view.name(tensor).0, tensor.tensor_type);
        if ggufkit_quant::codec(ty).is_none() {
            return Err(NoValues::NoDecoding { name: name.into(), ty });
        }
        let span = reader.extent(tensor)?.span;
        Self::at(source, name, ty, view.index().dims(tensor), span.start, view.index().header().endian)
    }

    /// The values of a tensor whose data begins at `start` of a source, of whatever format.
    ///
    /// # Errors
    /// [`NoValues`]: the type is not known or not decoded, type and shape give no size, the byte order has no rule.
    pub fn at(
        source: &'s S,
        name: &[u8],
        ty: TensorType,
        dims: &[u64],
        start: u64,
        endian: Endian,
    ) -> Result<Self, NoValues> {
        let name: Box<[u8]> = name.into();
        let Some(codec) = ggufkit_quant::codec(ty) else { return Err(NoValues::NoDecoding { name, ty }) };
        let Ok(len) = layout::tensor_bytes(ty, dims) else { return Err(NoValues::NoDecoding { name, ty }) };
        let turn = match endian {
            Endian::Little => None,
            Endian::Big => match Exchange::of(ty) {
                Some(exchange) => Some(exchange),
                None => return Err(NoValues::NoByteOrder { name, ty }),
            },
        };
        // The size was computed from them, so the product fits.
        let elements = layout::element_count(dims).unwrap_or(0);
        let row = dims.first().copied().unwrap_or(1);
        Ok(Self { source, name, span: Span::new(start, len), elements, row, codec, turn })
    }

    /// The tensor's name, as its bytes.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// The tensor's type.
    #[must_use]
    pub fn tensor_type(&self) -> TensorType {
        self.codec.tensor_type()
    }

    /// Number of values.
    #[must_use]
    pub fn elements(&self) -> u64 {
        self.elements
    }

    /// Values of a row (the first dimension).
    #[must_use]
    pub fn row_elements(&self) -> u64 {
        self.row
    }

    /// How the values are decoded.
    pub(crate) fn codec(&self) -> &'static Codec {
        self.codec
    }

    /// Where the bytes lie.
    #[must_use]
    pub fn span(&self) -> Span {
        self.span
    }

    /// Goes over the values of `elements`, which begin and end at blocks, in order. Nothing but the bytes of these blocks is
    /// read, about a megabyte at a time.
    #[must_use]
    pub fn stretches<'m>(&self, elements: Range<u64>, memory: &'m mut Memory) -> Stretches<'_, 's, 'm, S> {
        let end = elements.end.min(self.elements);
        memory.floats.resize(STRETCH, 0.0);
        Stretches { weights: self, memory, at: elements.start, end, held: 0..0 }
    }

    /// Reads and decodes as many values as `out` takes, from `at` on, of a type whose values stand alone.
    pub(crate) fn read(&self, at: u64, out: &mut [f32], bytes: &mut Vec<u8>) -> io::Result<()> {
        let len = self.fill(at, out.len(), bytes)?;
        self.codec.decode(bytes.get(..len).unwrap_or_default(), out).map_err(io::Error::other)
    }

    /// Reads the bytes of so many elements.
    fn fill(&self, at: u64, count: usize, bytes: &mut Vec<u8>) -> io::Result<usize> {
        let (block, size) = (self.codec.block_elements(), self.codec.block_bytes());
        let len = (count / block).saturating_mul(size);
        // Within the data, whose length was computed.
        let from = (at / block as u64).saturating_mul(size as u64);
        if bytes.len() < len {
            bytes.resize(len, 0);
        }
        let bytes = bytes.get_mut(..len).unwrap_or_default();
        if read_full(self.source, bytes, self.span.start.saturating_add(from))? < len {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file has become shorter"));
        }
        if let Some(turn) = &self.turn {
            turn.apply(bytes);
        }
        Ok(len)
    }
}

/// Values that follow each other.
#[derive(Clone, Copy, Debug)]
pub struct Stretch<'m> {
    /// The number of the first one within the tensor.
    pub at: u64,
    /// The values; at most 4,096, and but for the last stretch always as many.
    pub values: &'m [f32],
    /// The blocks that they were decoded from, in little-endian order.
    pub blocks: &'m [u8],
    /// Where some of the blocks are numbers that floats of 32 bits do not hold.
    pub(crate) wide: Option<Wide>,
}

impl Stretch<'_> {
    /// The values as the file has them, where floats of 32 bits do not hold them.
    pub(crate) fn exact(&self) -> Option<Vec<Exact>> {
        self.wide.map(|wide| wide.values(self.blocks))
    }

    /// The values without loss.
    pub(crate) fn numbers(&self) -> Vec<Exact> {
        self.exact()
            .unwrap_or_else(|| self.values.iter().map(|value| Exact::Real(f64::from(*value))).collect())
    }
}

/// Goes over the values of a tensor; see [`Weights::stretches`]. Not an iterator: each stretch lives in the one memory until
/// the next is asked for.
#[derive(Debug)]
pub struct Stretches<'w, 's, 'm, S: ?Sized> {
    weights: &'w Weights<'s, S>,
    memory: &'m mut Memory,
    at: u64,
    end: u64,
    /// The bytes that were read and not decoded yet.
    held: Range<usize>,
}

impl<S: ReadAt<Error = io::Error> + ?Sized> Stretches<'_, '_, '_, S> {
    /// The next stretch; `None` after the last, and after an error.
    pub fn next_stretch(&mut self) -> Option<io::Result<Stretch<'_>>> {
        let left = self.end.saturating_sub(self.at);
        if left == 0 {
            return None;
        }
        let at = self.at;
        match self.decode(left) {
            Ok((blocks, count)) => {
                self.at = at.saturating_add(count as u64);
                let blocks = self.memory.bytes.get(blocks).unwrap_or_default();
                let decoded = || self.memory.floats.get(..count).unwrap_or_default();
                let values = self.weights.codec.in_place(blocks).unwrap_or_else(decoded);
                let wide =
                    Wide::of(self.weights.tensor_type()).filter(|wide| !wide.is_held_by(values, blocks));
                Some(Ok(Stretch { at, values, blocks, wide }))
            }
            Err(error) => {
                self.at = self.end;
                Some(Err(error))
            }
        }
    }

    /// The blocks of the next stretch alone, which are not decoded; `None` after the last, and after an error.
    pub(crate) fn next_blocks(&mut self) -> Option<io::Result<&[u8]>> {
        let left = self.end.saturating_sub(self.at);
        if left == 0 {
            return None;
        }
        match self.step(left) {
            Ok((blocks, count)) => {
                self.at = self.at.saturating_add(count as u64);
                Some(Ok(self.memory.bytes.get(blocks).unwrap_or_default()))
            }
            Err(error) => {
                self.at = self.end;
                Some(Err(error))
            }
        }
    }

    /// Where the bytes of the next stretch are, and how many values they hold.
    fn step(&mut self, left: u64) -> io::Result<(Range<usize>, usize)> {
        let codec = self.weights.codec;
        if self.held.is_empty() {
            let count = left.min(AT_ONCE as u64) as usize;
            self.held = 0..self.weights.fill(self.at, count, &mut self.memory.bytes)?;
        }
        let step = (STRETCH / codec.block_elements()).saturating_mul(codec.block_bytes());
        let end = self.held.start.saturating_add(step).min(self.held.end);
        let blocks = self.held.start..end;
        self.held.start = end;
        let count = (blocks.len() / codec.block_bytes()).saturating_mul(codec.block_elements());
        Ok((blocks, count))
    }

    fn decode(&mut self, left: u64) -> io::Result<(Range<usize>, usize)> {
        let (blocks, count) = self.step(left)?;
        let bytes = self.memory.bytes.get(blocks.clone()).unwrap_or_default();
        if self.weights.codec.in_place(bytes).is_none() {
            let values = self.memory.floats.get_mut(..count).unwrap_or_default();
            self.weights.codec.decode(bytes, values).map_err(io::Error::other)?;
        }
        Ok((blocks, count))
    }
}
