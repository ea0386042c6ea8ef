//! The values of the weights: one pass over the data sections, by several threads.
//!
//! This module reads and counts; what is said about it is the business of the rules of the family *data*. Each worker reads
//! into one small buffer that stays in the processor's cache, so that a scan costs little more than the read.

mod repeated;
mod scan;

use std::cell::RefCell;
use std::io;
use std::num::NonZeroUsize;

use ggufkit_format::spec::TensorType;
use ggufkit_format::{Endian, Index, Tensor};
use ggufkit_io::map_many;

use crate::subject::{Source, Subject};

pub(crate) use self::repeated::Pair;
pub(crate) use self::scan::Count;
use self::scan::Scanner;

/// Bytes that one piece of work covers: a large tensor keeps all threads busy.
const PIECE: u64 = 16 << 20;

/// Bytes read at once.
const BUFFER: usize = 256 << 10;

/// What one pass over the data found.
#[derive(Debug)]
pub struct DataScan {
    /// For every file of the subject, for every tensor of its table.
    files: Vec<Vec<TensorScan>>,
    pub(crate) repeated: Vec<Pair>,
}

/// What is known about a tensor's values.
#[derive(Clone, Debug, Default)]
pub(crate) struct TensorScan {
    /// Why the values were not looked at, or not all of them.
    pub(crate) skipped: Option<Skipped>,
    /// Values, or scales of blocks, that are not finite.
    pub(crate) count: Count,
    /// Whether every byte is zero; `false` for a tensor without bytes.
    pub(crate) zero: bool,
    /// Of samples of the bytes: tensors with other samples differ.
    fingerprint: u64,
}

/// Why values were not looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Skipped {
    /// The type or the shape gives no size.
    NoSize,
    /// The data does not lie within the file. Other rules speak of that.
    OutOfFile,
    /// There is no source to read from.
    NoSource,
    /// The system's answer.
    Unreadable(String),
}

impl DataScan {
    pub(crate) fn of(&self, file: usize) -> &[TensorScan] {
        self.files.get(file).map(Vec::as_slice).unwrap_or_default()
    }
}

/// Whether every value of a float type is finite.
pub(crate) fn is_finite(ty: TensorType, endian: Endian, bytes: &[u8]) -> bool {
    let mut count = Count::default();
    match Scanner::new(ty, endian) {
        Some(scanner) => scanner.count(bytes, 0, &mut count),
        None => return false,
    }
    count.first.is_none()
}

/// A stretch of a tensor's data.
struct Piece {
    file: usize,
    tensor: usize,
    start: u64,
    len: u64,
}

/// What was found in a piece.
struct Found {
    count: Count,
    zero: bool,
    samples: u64,
    error: Option<String>,
}

thread_local! {
    static MEMORY: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Bytes that a scan will read: the size of all data sections whose tensors can be located.
#[must_use]
pub fn data_size(subject: &Subject<'_>) -> u64 {
    plan(subject).1.iter().fold(0, |sum, piece| sum.saturating_add(piece.len))
}

/// Reads the data of every tensor, by at most `threads` threads. `progress` is told of the bytes that were read since it
/// was last called, from any thread.
#[must_use]
pub fn scan_data(subject: &Subject<'_>, threads: NonZeroUsize, progress: &(dyn Fn(u64) + Sync)) -> DataScan {
    let (mut files, pieces) = plan(subject);
    let found = map_many(pieces.len(), threads, &|at| {
        let piece = pieces.get(at)?;
        let file = subject.files.get(piece.file)?;
        let index = file.view?.index();
        let scanner = Scanner::new(index.tensors().get(piece.tensor)?.tensor_type, index.header().endian)?;
        Some(read(file.source?, piece, &scanner, progress))
    });
    for (piece, found) in pieces.iter().zip(found) {
        let Some(found) = found else { continue };
        let scan = files.get_mut(piece.file).and_then(|file| file.get_mut(piece.tensor));
        let Some(scan) = scan else { continue };
        scan.zero &= found.zero;
        scan.fingerprint = scan.fingerprint.rotate_left(5).wrapping_mul(scan::PRIME) ^ found.samples;
        scan.count.add(&found.count);
        if let Some(error) = found.error {
            scan.skipped = Some(Skipped::Unreadable(error));
        }
    }
    let repeated = repeated::find(subject, &files, threads);
    DataScan { files, repeated }
}

/// What there is to read, and why the rest is not read.
fn plan(subject: &Subject<'_>) -> (Vec<Vec<TensorScan>>, Vec<Piece>) {
    let mut pieces = Vec::new();
    let mut files = Vec::with_capacity(subject.files.len());
    for (at, file) in subject.files.iter().enumerate() {
        let Some(view) = file.view else {
            files.push(Vec::new());
            continue;
        };
        let index = view.index();
        let scans = index.tensors().iter().enumerate().map(|(number, tensor)| {
            let skipped = |why| TensorScan { skipped: Some(why), ..TensorScan::default() };
            let Ok(span) = index.data_span(tensor) else { return skipped(Skipped::NoSize) };
            if file.source.is_none() {
                return skipped(Skipped::NoSource);
            }
            if file.size.is_some_and(|size| span.end() > size) {
                return skipped(Skipped::OutOfFile);
            }
            let whole = block(index, tensor).map_or(PIECE, |block| PIECE - PIECE % block);
            let mut start = span.start;
            while start < span.end() {
                let len = whole.min(span.end() - start);
                pieces.push(Piece { file: at, tensor: number, start, len });
                start += len;
            }
            TensorScan { zero: span.len > 0, ..TensorScan::default() }
        });
        files.push(scans.collect());
    }
    (files, pieces)
}

fn block(_: &Index, tensor: &Tensor) -> Option<u64> {
    tensor.tensor_type.info().map(|info| u64::from(info.block_bytes)).filter(|bytes| *bytes > 0)
}

fn read(source: &Source, piece: &Piece, scanner: &Scanner, progress: &(dyn Fn(u64) + Sync)) -> Found {
    let mut found = Found { count: Count::default(), zero: true, samples: 0, error: None };
    MEMORY.with_borrow_mut(|memory| {
        memory.resize(BUFFER, 0);
        let most = BUFFER - BUFFER % scanner.block();
        let mut done = 0;
        while done < piece.len {
            let len = usize::try_from(piece.len - done).unwrap_or(usize::MAX).min(most);
            let at = piece.start.saturating_add(done);
            let Some(bytes) = memory.get_mut(..len) else { break };
            if let Err(error) = fill(source, bytes, at) {
                found.error = Some(error.to_string());
                break;
            }
            scanner.count(bytes, at, &mut found.count);
            found.zero = found.zero && bytes.iter().all(|byte| *byte == 0);
            found.samples = scan::samples(bytes, found.samples);
            done += len as u64;
            progress(len as u64);
        }
    });
    found
}

/// Fills the buffer from `at` on.
fn fill(source: &Source, buffer: &mut [u8], at: u64) -> io::Result<()> {
    let mut got = 0;
    while let Some(rest) = buffer.get_mut(got..).filter(|rest| !rest.is_empty()) {
        match source.read_at(rest, at.saturating_add(got as u64))? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            n => got += n,
        }
    }
    Ok(())
}
