//! A tensor's data piece by piece, in bounded memory.

use std::io;
use std::ops::Range;

use ggufkit_format::{ReadAt, Span, Tensor};

use super::{DataError, Extent, TensorReader, allocate};
use crate::data::DataReason;

/// A piece of a tensor's data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chunk<'b> {
    /// Where the bytes lie in the source.
    pub span: Span,
    /// The rows that the bytes belong to, from 0; a part of one row where a row is longer than a chunk may be. Empty when
    /// the type is not known.
    pub rows: Range<u64>,
    /// The elements that the bytes hold, counted over the whole tensor. Empty when the type is not known.
    pub elements: Range<u64>,
    /// The bytes.
    pub bytes: &'b [u8],
}

/// Goes over the data of a tensor; see [`TensorReader::chunks`].
///
/// Not an iterator: each chunk lives in the one buffer until the next is asked for.
///
/// ```no_run
/// # fn each<S>(reader: &ggufkit_io::TensorReader<'_, S>, tensor: &ggufkit_format::Tensor) -> Result<(), ggufkit_io::DataError>
/// # where S: ggufkit_format::ReadAt<Error = std::io::Error> {
/// let mut chunks = reader.chunks(tensor, 1 << 20)?;
/// while let Some(chunk) = chunks.next_chunk() {
///     let chunk = chunk?;
///     println!("rows {:?}: {} bytes", chunk.rows, chunk.bytes.len());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct RowChunks<'r, 's, S: ?Sized> {
    reader: &'r TensorReader<'s, S>,
    tensor: Tensor,
    extent: Extent,
    /// Bytes of a chunk.
    step: u64,
    /// Bytes that were passed, counted from the tensor's first.
    passed: u64,
    /// Where to stop, counted alike.
    end: u64,
    /// `None` when the type is not known.
    shape: Option<Shape>,
    buffer: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Shape {
    row_bytes: u64,
    row_elems: u64,
    block_bytes: u64,
    block_elems: u64,
}

impl<'r, 's, S: ReadAt<Error = io::Error> + ?Sized> RowChunks<'r, 's, S> {
    pub(super) fn new(
        reader: &'r TensorReader<'s, S>,
        tensor: Tensor,
        max_bytes: usize,
    ) -> Result<Self, DataError> {
        let extent = reader.extent(&tensor)?;
        let max = (max_bytes as u64).max(1);
        let mut shape = None;
        let mut step = max;
        if let Some(info) = tensor.tensor_type.info().filter(|_| !extent.inferred) {
            let (_, row_bytes) = reader.row_shape(&tensor)?;
            let row_elems = reader.view().index().dims(&tensor).first().copied().unwrap_or(1);
            let (block_bytes, block_elems) = (u64::from(info.block_bytes), u64::from(info.block_elems));
            let unit = if (1..=max).contains(&row_bytes) { row_bytes } else { block_bytes.max(1) };
            step = (max / unit).max(1).saturating_mul(unit);
            shape = Some(Shape { row_bytes, row_elems, block_bytes, block_elems });
        }
        let end = extent.span.len;
        Ok(Self { reader, tensor, extent, step, passed: 0, end, shape, buffer: Vec::new() })
    }

    /// Keeps to the bytes of these rows, which exist.
    pub(super) fn keep_rows(mut self, rows: &Range<u64>, row_bytes: u64) -> Self {
        self.passed = rows.start.saturating_mul(row_bytes);
        self.end = rows.end.saturating_mul(row_bytes);
        self
    }

    /// Where the data lies, and whether its length was inferred.
    #[must_use]
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// Reads the next chunk; `None` after the last, and after an error.
    pub fn next_chunk(&mut self) -> Option<Result<Chunk<'_>, DataError>> {
        let left = self.end.saturating_sub(self.passed);
        if left == 0 {
            return None;
        }
        let mut len = left.min(self.step);
        if let Some(Shape { row_bytes, .. }) = self.shape.filter(|shape| shape.row_bytes > self.step) {
            // Rows are cut: a chunk stays within one.
            len = len.min(row_bytes - self.passed % row_bytes);
        }
        let span = Span::new(self.extent.span.start.saturating_add(self.passed), len);
        let from = self.passed;
        self.passed = from.saturating_add(len);
        match self.read(span) {
            Ok(()) => {}
            Err(error) => {
                self.passed = self.end;
                return Some(Err(error));
            }
        }
        let (rows, elements) = match self.shape {
            Some(shape) => shape.ranges(from, self.passed),
            None => (0..0, 0..0),
        };
        let bytes = usize::try_from(len).ok().and_then(|len| self.buffer.get(..len)).unwrap_or_default();
        Some(Ok(Chunk { span, rows, elements, bytes }))
    }

    fn read(&mut self, span: Span) -> Result<(), DataError> {
        let no_memory = || self.reader.error(&self.tensor, DataReason::Memory { needed: span.len });
        let len = usize::try_from(span.len).map_err(|_| no_memory())?;
        if self.buffer.len() < len {
            self.buffer = allocate(len).ok_or_else(no_memory)?;
        }
        let buffer = self.buffer.get_mut(..len).unwrap_or_default();
        self.reader.fill(&self.tensor, span.start, buffer)
    }
}

impl Shape {
    /// Rows and elements of the bytes between two positions in the tensor, both on block boundaries.
    fn ranges(self, from: u64, to: u64) -> (Range<u64>, Range<u64>) {
        let rows = match self.row_bytes {
            0 => 0..0,
            row => from / row..to.div_ceil(row),
        };
        let element = |at: u64| match self.row_bytes {
            0 => 0,
            row => {
                let in_row = (at % row / self.block_bytes.max(1)).saturating_mul(self.block_elems);
                (at / row).saturating_mul(self.row_elems).saturating_add(in_row)
            }
        };
        (rows, element(from)..element(to))
    }
}
