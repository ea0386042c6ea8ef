//! Tensor data: the bytes of one tensor, of some of its rows, of a layer, and nothing else.
//!
//! Bytes are handed out as bytes. What they mean is not known here, and no reference is made that alignment could break.

mod chunks;
mod compare;
mod error;
mod parallel;
mod select;

use std::io;
use std::ops::Range;
use std::sync::OnceLock;

use ggufkit_format::extents::Extents;
use ggufkit_format::layout::{self, SizeError};
use ggufkit_format::{ReadAt, Span, Tensor, View};

use crate::file::read_full;
use crate::map;

pub use chunks::{Chunk, RowChunks};
pub use compare::{ByteDifference, ByteJob, HashJob, all_zero, compare_bytes, hash_bytes, turn};
pub use error::{DataError, DataReason};
pub(crate) use parallel::fan_out;
pub use parallel::map_many;
pub use select::Selection;

/// Where a tensor's data lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// The bytes, by absolute position.
    pub span: Span,
    /// Whether the length was inferred: the type is not known, and the data is taken to go on to the next tensor, or to
    /// the end of the file. Padding is then part of it.
    pub inferred: bool,
}

/// Reads tensor data from a source.
///
/// ```no_run
/// # use ggufkit_format::{Options, View};
/// # use ggufkit_io::{FileSource, HeadBuffer, Selection, TensorReader};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let source = FileSource::open("model.gguf")?;
/// let mut buffer = HeadBuffer::new();
/// let index = buffer.read(&source, Options::new())?.into_result()?;
/// let reader = TensorReader::new(&source, View::new(&index, buffer.bytes()));
/// for tensor in reader.select(&Selection::new().layers(0..=0)) {
///     let data = reader.read(tensor)?;
///     println!("{}: {} bytes", reader.view().name(tensor).display(), data.len());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct TensorReader<'s, S: ?Sized> {
    source: &'s S,
    view: View<'s>,
    size: Option<u64>,
    /// The data in its order; made when a size must be inferred.
    extents: OnceLock<Extents>,
}

impl<'s, S: ReadAt<Error = io::Error> + ?Sized> TensorReader<'s, S> {
    /// A reader of the data that `view` tells of, in the source from which it was read.
    #[must_use]
    pub fn new(source: &'s S, view: View<'s>) -> Self {
        Self { source, view, size: source.size(), extents: OnceLock::new() }
    }

    /// The view.
    #[must_use]
    pub fn view(&self) -> View<'s> {
        self.view
    }

    fn error(&self, tensor: &Tensor, reason: DataReason) -> DataError {
        DataError::new(self.view.name(tensor).0, reason)
    }

    /// Where the data of a tensor lies.
    ///
    /// # Errors
    /// The position or the size is unknown, or the data does not lie within the file.
    pub fn extent(&self, tensor: &Tensor) -> Result<Extent, DataError> {
        let index = self.view.index();
        let start = index.data_position(tensor).ok_or_else(|| self.error(tensor, DataReason::NoPosition))?;
        let extent = match index.data_span(tensor) {
            Ok(span) => Extent { span, inferred: false },
            Err(reason @ (SizeError::UnknownType(_) | SizeError::RemovedType(_))) => {
                let end = self
                    .next_start(tensor)
                    .or(self.size)
                    .ok_or_else(|| self.error(tensor, DataReason::Size(reason)))?;
                // A start behind the file's end is found below.
                Extent { span: Span::new(start, end.saturating_sub(start)), inferred: true }
            }
            Err(reason) => return Err(self.error(tensor, DataReason::Size(reason))),
        };
        match self.size {
            Some(size) if extent.span.end() > size => {
                let present = size.saturating_sub(start);
                Err(self.error(tensor, DataReason::OutOfFile { span: extent.span, present }))
            }
            _ => Ok(extent),
        }
    }

    /// The position of the next data behind that of a tensor.
    fn next_start(&self, tensor: &Tensor) -> Option<u64> {
        let index = self.view.index();
        let next = self.extents.get_or_init(|| Extents::of(index)).next_offset(tensor.offset)?;
        index.data_start()?.checked_add(next)
    }

    /// Number of rows of a tensor, and bytes of one. A tensor without dimensions has one row of one element.
    ///
    /// # Errors
    /// The type is not known, or the numbers do not fit in 64 bits.
    pub fn row_shape(&self, tensor: &Tensor) -> Result<(u64, u64), DataError> {
        let dims = self.view.index().dims(tensor);
        let of = |reason| self.error(tensor, DataReason::Size(reason));
        let row = layout::row_bytes(tensor.tensor_type, dims.first().copied().unwrap_or(1)).map_err(of)?;
        let rows = match layout::element_count(dims.get(1..).unwrap_or_default()) {
            Some(rows) => rows,
            None => return Err(of(SizeError::Overflow)),
        };
        Ok((rows, row))
    }

    /// Reads the data of a tensor.
    ///
    /// # Errors
    /// As [`TensorReader::extent`], and the source's own.
    pub fn read(&self, tensor: &Tensor) -> Result<Vec<u8>, DataError> {
        let span = self.extent(tensor)?.span;
        self.read_span(tensor, span)
    }

    /// Reads the data of a tensor into a buffer of exactly its length.
    ///
    /// # Errors
    /// As [`TensorReader::read`], and a buffer of another length.
    pub fn read_into(&self, tensor: &Tensor, buffer: &mut [u8]) -> Result<(), DataError> {
        let span = self.extent(tensor)?.span;
        let given = buffer.len() as u64;
        if given != span.len {
            return Err(self.error(tensor, DataReason::Buffer { needed: span.len, given }));
        }
        self.fill(tensor, span.start, buffer)
    }

    /// Reads some rows of a tensor: `dims[0]` elements each, counted over all other dimensions.
    ///
    /// # Errors
    /// As [`TensorReader::read`]; rows that do not exist, and rows of a tensor whose type is not known.
    pub fn rows(&self, tensor: &Tensor, rows: Range<u64>) -> Result<Vec<u8>, DataError> {
        let span = self.row_span(tensor, rows)?;
        self.read_span(tensor, span)
    }

    /// Where some rows of a tensor lie.
    ///
    /// # Errors
    /// As [`TensorReader::rows`], but for the source's own.
    pub fn row_span(&self, tensor: &Tensor, rows: Range<u64>) -> Result<Span, DataError> {
        let (count, bytes) = self.row_shape(tensor)?;
        let whole = self.extent(tensor)?.span;
        if rows.start > rows.end || rows.end > count {
            return Err(self.error(tensor, DataReason::Rows { rows, count }));
        }
        // Within the tensor, whose size was computed: neither product can overflow.
        let start = whole.start.saturating_add(rows.start.saturating_mul(bytes));
        Ok(Span::new(start, (rows.end - rows.start).saturating_mul(bytes)))
    }

    /// Goes over some rows of a tensor as [`TensorReader::chunks`] does over all.
    ///
    /// # Errors
    /// As [`TensorReader::row_span`].
    pub fn row_chunks(
        &self,
        tensor: &Tensor,
        rows: Range<u64>,
        max_bytes: usize,
    ) -> Result<RowChunks<'_, 's, S>, DataError> {
        self.row_span(tensor, rows.clone())?;
        let (_, bytes) = self.row_shape(tensor)?;
        Ok(RowChunks::new(self, *tensor, max_bytes)?.keep_rows(&rows, bytes))
    }

    /// Goes over the data of a tensor in chunks of whole rows, `max_bytes` or less, in one buffer. Where a single row is
    /// longer it is cut between blocks.
    ///
    /// # Errors
    /// As [`TensorReader::extent`].
    pub fn chunks(&self, tensor: &Tensor, max_bytes: usize) -> Result<RowChunks<'_, 's, S>, DataError> {
        RowChunks::new(self, *tensor, max_bytes)
    }

    /// The tensors that a selection takes, in file order.
    #[must_use]
    pub fn select(&self, selection: &Selection) -> Vec<&'s Tensor> {
        let tensors = self.view.tensors();
        tensors.filter(|(name, _)| selection.takes(name.0)).map(|(_, tensor)| tensor).collect()
    }

    fn read_span(&self, tensor: &Tensor, span: Span) -> Result<Vec<u8>, DataError> {
        let no_memory = || self.error(tensor, DataReason::Memory { needed: span.len });
        let len = usize::try_from(span.len).map_err(|_| no_memory())?;
        if self.size.is_some() {
            let mut bytes = allocate(len).ok_or_else(no_memory)?;
            self.fill(tensor, span.start, &mut bytes)?;
            return Ok(bytes);
        }
        // Nobody vouches for the length: memory grows as bytes come.
        let mut bytes = Vec::new();
        while bytes.len() < len {
            let from = bytes.len();
            let step = from.max(1 << 20).min(len - from);
            bytes.try_reserve(step).map_err(|_| no_memory())?;
            bytes.resize(from + step, 0);
            let at = span.start.saturating_add(from as u64);
            self.fill(tensor, at, bytes.get_mut(from..).unwrap_or_default())?;
        }
        Ok(bytes)
    }

    fn fill(&self, tensor: &Tensor, start: u64, buffer: &mut [u8]) -> Result<(), DataError> {
        let span = Span::new(start, buffer.len() as u64);
        match read_full(self.source, buffer, start) {
            Ok(read) if read < buffer.len() => {
                Err(self.error(tensor, DataReason::Ended { span, read: read as u64 }))
            }
            Ok(_) => Ok(()),
            Err(source) => Err(self.error(tensor, DataReason::Io { span, source })),
        }
    }
}

/// Fresh memory of `len` bytes; `None` when there is not so much.
fn allocate(len: usize) -> Option<Vec<u8>> {
    // Asking without touching tells whether there is memory; zeroed memory then comes from the system untouched, where
    // `Vec::resize` would write all of it before the data does.
    Vec::<u8>::new().try_reserve_exact(len).ok()?;
    let mut bytes = vec![0; len];
    map::advise_huge(&mut bytes);
    Some(bytes)
}
