//! The values of the weights: one pass over the data sections, by several threads.
//!
//! This module reads and counts; what is said about it is the business of the rules of the family *data*. Each worker reads
//! into one small buffer that stays in the processor's cache, so that a scan costs little more than the read.

mod repeated;
mod scan;

use std::cell::RefCell;
use std::num::NonZeroUsize;

use ggufkit_format::spec::TensorType;
use ggufkit_format::{Endian, Tensor};
use ggufkit_io::{map_many, read_exact_at};

use crate::subject::{Source, Subject};

pub(crate) use self::repeated::Pair;
pub(crate) use self::scan::Count;
use self::scan::Scanner;

/// Bytes that one piece of work covers: a large tensor keeps all threads busy.
const PIECE: u64 = 16 << 20;

/// Pieces that are handed out together; between them the threads wait for each other.
const BATCH: usize = 4096;

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
    /// Some of its bytes are another tensor's, too, and are looked at as that one's.
    Overlaps,
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

/// The data of a tensor.
#[derive(Clone, Copy)]
struct Stretch {
    file: usize,
    tensor: usize,
    start: u64,
    len: u64,
    /// Bytes of a piece: whole blocks.
    whole: u64,
}

impl Stretch {
    /// What is read as one piece of work.
    fn pieces(self) -> impl Iterator<Item = Piece> {
        let Self { file, tensor, start, len, whole } = self;
        let mut done = 0;
        core::iter::from_fn(move || {
            let piece = Piece { file, tensor, start: start.checked_add(done)?, len: whole.min(len - done) };
            done += piece.len;
            (piece.len > 0).then_some(piece)
        })
    }
}

/// A part of a tensor's data.
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

/// Bytes that a scan will read, at most those of the files: the data of tensors that lie where a file has it.
#[must_use]
pub fn data_size(subject: &Subject<'_>) -> u64 {
    plan(subject).1.iter().fold(0, |sum, stretch| sum.saturating_add(stretch.len))
}

/// Reads the data of every tensor, by at most `threads` threads. `progress` is told of the bytes that were read since it
/// was last called, from any thread.
#[must_use]
pub fn scan_data(subject: &Subject<'_>, threads: NonZeroUsize, progress: &(dyn Fn(u64) + Sync)) -> DataScan {
    let (mut files, stretches) = plan(subject);
    let mut all = stretches.into_iter().flat_map(Stretch::pieces);
    loop {
        let pieces: Vec<Piece> = all.by_ref().take(BATCH).collect();
        if pieces.is_empty() {
            break;
        }
        let found = map_many(pieces.len(), threads, &|at| {
            let piece = pieces.get(at)?;
            let file = subject.files.get(piece.file)?;
            let index = file.view?.index();
            let scanner =
                Scanner::new(index.tensors().get(piece.tensor)?.tensor_type, index.header().endian)?;
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
    }
    let repeated = repeated::find(subject, &files, threads);
    DataScan { files, repeated }
}

/// What there is to read, in the order of the files and their bytes, and why the rest is not read. No byte is read twice.
fn plan(subject: &Subject<'_>) -> (Vec<Vec<TensorScan>>, Vec<Stretch>) {
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut files = Vec::with_capacity(subject.files.len());
    for (at, file) in subject.files.iter().enumerate() {
        let Some(view) = file.view else {
            files.push(Vec::new());
            continue;
        };
        let index = view.index();
        let skipped = |why| TensorScan { skipped: Some(why), ..TensorScan::default() };
        let size = file.size.or_else(|| file.source?.size());
        let before = stretches.len();
        let scans = index.tensors().iter().enumerate().map(|(number, tensor)| {
            let Ok(span) = index.data_span(tensor) else { return skipped(Skipped::NoSize) };
            let (Some(_), Some(size)) = (file.source, size) else { return skipped(Skipped::NoSource) };
            if span.end() > size {
                return skipped(Skipped::OutOfFile);
            }
            if span.len > 0 {
                let whole = block(tensor).map_or(PIECE, |block| PIECE - PIECE % block);
                stretches.push(Stretch { file: at, tensor: number, start: span.start, len: span.len, whole });
            }
            TensorScan { zero: span.len > 0, ..TensorScan::default() }
        });
        let mut scans: Vec<TensorScan> = scans.collect();
        let mut own = stretches.split_off(before);
        own.sort_unstable_by_key(|stretch| (stretch.start, stretch.tensor));
        let mut claimed = 0;
        for stretch in own {
            if stretch.start >= claimed {
                claimed = stretch.start.saturating_add(stretch.len);
                stretches.push(stretch);
            } else if let Some(scan) = scans.get_mut(stretch.tensor) {
                *scan = skipped(Skipped::Overlaps);
            }
        }
        files.push(scans);
    }
    (files, stretches)
}

fn block(tensor: &Tensor) -> Option<u64> {
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
            if let Err(error) = read_exact_at(source, bytes, at) {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

    use ggufkit_testkit::{Builder, Tensor};

    use super::*;
    use crate::Options;
    use crate::testing::Recipe;

    #[test]
    fn bytes_that_many_tensors_claim_are_read_once_and_the_others_are_not_examined() {
        let bytes = vec![1; 4096];
        let file = (0..400).fold(Builder::new(), |file, n| {
            let tensor = Tensor::new(format!("t{n}"), 0, &[1024]);
            file.tensor(if n == 0 { tensor.data(bytes.clone()) } else { tensor.data([]).offset(0) })
        });
        let recipe = Recipe::from(file).scanned();
        recipe.judge(&Options::default(), |report, subject| {
            assert_eq!(data_size(subject), 4096);
            let said = |omission: &crate::Omission| omission.what == "the values of 399 of 400 tensors";
            assert!(report.omissions.iter().any(said), "{:?}", report.omissions);
        });
    }

    #[test]
    fn pieces_are_cut_at_blocks_and_are_all_of_a_tensor() {
        let stretch = Stretch { file: 0, tensor: 3, start: 64, len: 2 * PIECE + 5, whole: PIECE - 1 };
        let pieces: Vec<(u64, u64)> = stretch.pieces().map(|piece| (piece.start, piece.len)).collect();
        assert_eq!(pieces, [(64, PIECE - 1), (63 + PIECE, PIECE - 1), (62 + 2 * PIECE, 7)]);
        assert_eq!(Stretch { len: 0, ..stretch }.pieces().count(), 0);
        // A size that nothing backs costs no memory: pieces are made when they are read.
        assert_eq!(Stretch { len: u64::MAX - 64, ..stretch }.pieces().take(10).count(), 10);
    }
}
