//! The bytes of converted tensors, made when they are asked for.
//!
//! Behind the files that are read lie the tensors as they will be, one after the other. Of these a batch is held: so many rows as a
//! few threads have worth of work. A batch is always the same rows, whoever asks, so bytes do not depend on threads, nor on
//! where the reading begins.

use std::fmt;
use std::io;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use ggufkit_format::exchange::Exchange;
use ggufkit_format::spec::TensorType;
use ggufkit_format::{ReadAt, Span, shorten};
use ggufkit_io::{FileSource, Files, Joined, map_many};
use ggufkit_quant::Codec;
use ggufkit_values::importance::ImportanceMatrix;
use ggufkit_values::{Memory, Weights};

/// Values of a piece, which one thread makes: a multiple of every block. Rows are taken whole, so it may be one row more.
const PIECE: u64 = 1 << 18;

/// Values of a row above which it is cut into pieces, where its blocks know nothing of each other.
const LONG: u64 = 1 << 21;

/// Pieces of a batch for each thread.
const EACH: usize = 2;

/// Threads that are of use.
const MOST: usize = 32;

/// Values that are decoded in one piece when what was encoded is looked at.
const AGAIN: usize = 1 << 13;

/// A weight that cannot be converted. Inside an [`io::Error`].
#[derive(Clone, PartialEq, Debug)]
pub struct WeightError {
    /// The tensor.
    pub name: Vec<u8>,
    /// The number of the value in it, and in which row and column that is.
    pub element: u64,
    /// The row.
    pub row: u64,
    /// The column.
    pub column: u64,
    /// The value.
    pub value: f32,
    /// The type in which it is no number any more; `None` where it is none in the file.
    pub written_as: Option<TensorType>,
    /// Whether it was written by importance, which then may be the reason.
    pub by_importance: bool,
}

impl fmt::Display for WeightError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { element, row, column, value, .. } = self;
        let name = shorten(&self.name, 80);
        write!(f, "{name}: the weight in row {row}, column {column} (element {element}) is {value}")?;
        match self.written_as {
            Some(ty) if self.by_importance => {
                write!(f, " once it is written as {ty} by its importance: either may be too large")
            }
            Some(ty) => write!(f, " once it is written as {ty}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for WeightError {}

impl WeightError {
    /// The error of a value at its place in the tensor of these weights.
    pub(super) fn at(
        weights: &Weights<'_, FileSource>,
        element: u64,
        value: f32,
        written: Option<(TensorType, bool)>,
    ) -> io::Error {
        let row = weights.row_elements().max(1);
        let name = weights.name().to_vec();
        let (row, column) = (element / row, element % row);
        let written_as = written.map(|(ty, _)| ty);
        let by_importance = written.is_some_and(|(_, by_importance)| by_importance);
        let error = Self { name, element, row, column, value, written_as, by_importance };
        io::Error::new(io::ErrorKind::InvalidData, error)
    }
}

/// A tensor that is converted.
#[derive(Debug)]
pub(super) struct Converted<'a> {
    pub(super) weights: Weights<'a, FileSource>,
    pub(super) codec: &'static Codec,
    /// Where the file has the other byte order.
    pub(super) turn: Option<Exchange>,
    /// Rows of a matrix, and matrices.
    pub(super) rows: u64,
    pub(super) matrices: u64,
    /// Whether there is importance for it.
    pub(super) importance: bool,
    /// Its bytes.
    pub(super) bytes: u64,
}

impl Converted<'_> {
    /// Values of a piece.
    fn piece(&self) -> u64 {
        let row = self.weights.row_elements().max(1);
        // With importance some types look at whole rows.
        if row > LONG && !self.importance {
            return PIECE;
        }
        (PIECE / row).max(1).saturating_mul(row)
    }

    /// Bytes of so many values, which are whole blocks.
    fn bytes_of(&self, values: u64) -> u64 {
        (values / self.codec.block_elements() as u64).saturating_mul(self.codec.block_bytes() as u64)
    }
}

/// Bytes that are held.
#[derive(Debug, Default)]
struct Held {
    /// Which tensor, and which batch of it.
    of: Option<(usize, u64)>,
    pieces: Vec<Vec<u8>>,
}

/// Files, and behind them what becomes of their tensors: what the plans of a [`Quantization`](super::Quantization) copy from.
#[derive(Debug)]
pub struct Converting<'a> {
    files: Joined<'a>,
    tensors: Vec<Converted<'a>>,
    /// Where each of them ends.
    ends: Vec<u64>,
    importance: Option<&'a ImportanceMatrix>,
    /// Files that nothing is copied from, and that decide about the bytes all the same.
    beside: Vec<&'a FileSource>,
    threads: NonZeroUsize,
    held: Mutex<Held>,
}

impl<'a> Converting<'a> {
    pub(super) fn new(
        files: Joined<'a>,
        tensors: Vec<Converted<'a>>,
        importance: Option<&'a ImportanceMatrix>,
        beside: Vec<&'a FileSource>,
        threads: NonZeroUsize,
    ) -> Self {
        let mut end = files.len();
        let ends = tensors.iter().map(|tensor| {
            end = end.saturating_add(tensor.bytes);
            end
        });
        Self { ends: ends.collect(), files, tensors, importance, beside, threads, held: Mutex::default() }
    }

    /// What the tensors are encoded by.
    pub(super) fn importance(&self) -> Option<&'a ImportanceMatrix> {
        self.importance
    }

    /// Bytes of the batch that is held.
    #[cfg(test)]
    pub(super) fn held_bytes(&self) -> usize {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.pieces.iter().map(Vec::len).sum()
    }

    fn end(&self) -> u64 {
        self.ends.last().copied().unwrap_or_else(|| self.files.len())
    }

    fn made(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let at = self.ends.partition_point(|end| *end <= offset);
        let (Some(tensor), Some(end)) = (self.tensors.get(at), self.ends.get(at)) else { return Ok(0) };
        let within = tensor.bytes.saturating_sub(end.saturating_sub(offset));
        let pieces = (self.threads.get().min(MOST) as u64).saturating_mul(EACH as u64);
        let piece_bytes = tensor.bytes_of(tensor.piece()).max(1);
        let batch_bytes = piece_bytes.saturating_mul(pieces);
        let batch = within / batch_bytes;
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.of != Some((at, batch)) {
            *held = Held::default();
            held.pieces = self.batch(tensor, batch.saturating_mul(pieces), pieces)?;
            held.of = Some((at, batch));
        }
        let into = within % batch_bytes;
        let piece = usize::try_from(into / piece_bytes).ok().and_then(|piece| held.pieces.get(piece));
        let from = usize::try_from(into % piece_bytes).unwrap_or(usize::MAX);
        let bytes = piece.and_then(|piece| piece.get(from..)).unwrap_or_default();
        let most = bytes.len().min(buffer.len());
        if let (Some(to), Some(bytes)) = (buffer.get_mut(..most), bytes.get(..most)) {
            to.copy_from_slice(bytes);
        }
        Ok(most)
    }

    fn batch(&self, tensor: &Converted<'_>, first: u64, pieces: u64) -> io::Result<Vec<Vec<u8>>> {
        let piece = tensor.piece();
        let all = tensor.weights.elements();
        let left = all.saturating_sub(first.saturating_mul(piece)).div_ceil(piece).min(pieces);
        let count = usize::try_from(left).unwrap_or(0);
        let made = map_many(count, self.threads, &|number| {
            let start = first.saturating_add(number as u64).saturating_mul(piece);
            self.piece(tensor, start..start.saturating_add(piece).min(all))
        });
        // The first error in the order of the values, whichever thread came first.
        made.into_iter().collect()
    }

    /// The bytes of these values.
    fn piece(&self, tensor: &Converted<'_>, elements: Range<u64>) -> io::Result<Vec<u8>> {
        let codec = tensor.codec;
        let count = usize::try_from(elements.end.saturating_sub(elements.start)).unwrap_or(0);
        let mut values: Vec<f32> = Vec::with_capacity(count);
        let mut memory = Memory::default();
        let mut stretches = tensor.weights.stretches(elements.clone(), &mut memory);
        while let Some(stretch) = stretches.next_stretch() {
            let stretch = stretch?;
            if let Some(odd) = odd(stretch.values) {
                let value = stretch.values.get(odd).copied().unwrap_or(f32::NAN);
                let element = stretch.at.saturating_add(odd as u64);
                return Err(WeightError::at(&tensor.weights, element, value, None));
            }
            values.extend_from_slice(stretch.values);
        }
        let row = tensor.weights.row_elements().max(1);
        // Of a cut row a piece is as good as a row.
        let width = usize::try_from(row).unwrap_or(usize::MAX).min(values.len());
        let mut out = vec![0; usize::try_from(tensor.bytes_of(values.len() as u64)).unwrap_or(0)];
        let row_bytes = usize::try_from(tensor.bytes_of(width as u64)).unwrap_or(usize::MAX);
        let mut weights = Vec::new();
        let (mut at, mut from, mut to) = (elements.start, values.as_slice(), out.as_mut_slice());
        while !from.is_empty() {
            // Rows up to the next matrix: each has importance of its own.
            let number = at / row;
            let same = tensor.rows.max(1).saturating_sub(number % tensor.rows.max(1));
            let rows = (from.len() / width.max(1)).min(usize::try_from(same).unwrap_or(usize::MAX)).max(1);
            let (these, rest) = from.split_at_checked(rows.saturating_mul(width)).unwrap_or((from, &[]));
            let (into, left) = std::mem::take(&mut to)
                .split_at_mut_checked(rows.saturating_mul(row_bytes))
                .ok_or_else(|| io::Error::other("rows and bytes do not go together"))?;
            let importance = match self.importance.filter(|_| tensor.importance) {
                Some(importance) => {
                    let matrix = (number / tensor.rows.max(1)) % tensor.matrices.max(1);
                    let name = tensor.weights.name();
                    importance.columns(name, width, matrix, &mut weights).map_err(io::Error::other)?;
                    Some(weights.as_slice())
                }
                None => None,
            };
            codec.encode(these, width, importance, into).map_err(io::Error::other)?;
            at = at.saturating_add(these.len() as u64);
            (from, to) = (rest, left);
        }
        self.again(tensor, elements.start, &out)?;
        if let Some(turn) = &tensor.turn {
            turn.apply(&mut out);
        }
        Ok(out)
    }

    /// Looks at what the bytes are worth: a float may be too large for its new type.
    fn again(&self, tensor: &Converted<'_>, first: u64, bytes: &[u8]) -> io::Result<()> {
        let codec = tensor.codec;
        let blocks = (AGAIN / codec.block_elements()).max(1);
        let mut values = vec![0.0; blocks.saturating_mul(codec.block_elements())];
        let mut at = first;
        for bytes in bytes.chunks(blocks.saturating_mul(codec.block_bytes())) {
            let count = (bytes.len() / codec.block_bytes()).saturating_mul(codec.block_elements());
            let values = values.get_mut(..count).unwrap_or_default();
            codec.decode(bytes, values).map_err(io::Error::other)?;
            if let Some(odd) = odd(values) {
                let value = values.get(odd).copied().unwrap_or(f32::NAN);
                let element = at.saturating_add(odd as u64);
                let written = Some((codec.tensor_type(), tensor.importance));
                return Err(WeightError::at(&tensor.weights, element, value, written));
            }
            at = at.saturating_add(count as u64);
        }
        Ok(())
    }
}

/// The first value that is not finite.
pub(super) fn odd(values: &[f32]) -> Option<usize> {
    let all = values.iter().fold(true, |all, value| all & value.is_finite());
    if all { None } else { values.iter().position(|value| !value.is_finite()) }
}

impl ReadAt for Converting<'_> {
    type Error = io::Error;

    fn size(&self) -> Option<u64> {
        Some(self.end())
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        if offset < self.files.len() { self.files.read_at(buffer, offset) } else { self.made(buffer, offset) }
    }
}

impl Files for Converting<'_> {
    fn file_count(&self) -> usize {
        self.files.file_count().saturating_add(self.beside.len())
    }

    fn file_at(&self, number: usize) -> Option<&FileSource> {
        // Who writes looks at the end whether one of them was changed meanwhile: what is beside counts as well.
        match number.checked_sub(self.files.file_count()) {
            Some(beside) => self.beside.get(beside).copied(),
            None => self.files.file_at(number),
        }
    }

    fn locate(&self, span: Span) -> Option<(usize, Span)> {
        // What is made is in no file, so that nobody copies it from one.
        if span.start < self.files.len() { self.files.locate(span) } else { None }
    }
}
