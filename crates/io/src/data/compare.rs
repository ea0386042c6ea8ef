//! Data of two sources, byte by byte: whether it is the same, how much of it differs, and where first.
//!
//! Reads are positioned and go into small buffers that are used again; long data is cut into pieces for several threads. Data
//! of the other byte order is turned as it is read, where the type tells how.

use std::cell::RefCell;
use std::hash::Hasher as _;
use std::io;
use std::num::NonZeroUsize;

use ggufkit_format::exchange::Exchange;
use ggufkit_format::{ReadAt, Span};
use twox_hash::XxHash64;

use super::map_many;
use crate::file::read_exact_at;

/// Bytes that one piece of work covers.
const PIECE: u64 = 16 << 20;

/// Pieces that are handed out together.
const BATCH: usize = 4096;

/// Bytes read at once.
const BUFFER: usize = 128 << 10;

/// Two stretches of the same length that are to be compared.
#[derive(Debug)]
pub struct ByteJob<'s, S: ?Sized> {
    /// The first source.
    pub a: &'s S,
    /// Where the first stretch begins.
    pub at_a: u64,
    /// The second source.
    pub b: &'s S,
    /// Where the second stretch begins.
    pub at_b: u64,
    /// Bytes of either.
    pub len: u64,
    /// Bytes of a block: differences are counted by blocks too. 1 where there are none.
    pub block: u64,
    /// How the second stretch is brought into the byte order of the first, where they differ.
    pub turn: Option<Exchange>,
}

/// What a comparison found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ByteDifference {
    /// Bytes that differ.
    pub bytes: u64,
    /// Blocks that differ.
    pub blocks: u64,
    /// The first byte that differs, counted from the beginning.
    pub first: Option<u64>,
}

thread_local! {
    static MEMORY: RefCell<(Vec<u8>, Vec<u8>)> = const { RefCell::new((Vec::new(), Vec::new())) };
}

/// Compares stretches, by at most `threads` threads; the results are in the order of the jobs. `progress` is told of bytes
/// that were compared, from any thread.
pub fn compare_bytes<S: ReadAt<Error = io::Error> + Sync + ?Sized>(
    jobs: &[ByteJob<'_, S>],
    threads: NonZeroUsize,
    progress: &(dyn Fn(u64) + Sync),
) -> Vec<io::Result<ByteDifference>> {
    let mut out: Vec<io::Result<ByteDifference>> =
        jobs.iter().map(|_| Ok(ByteDifference::default())).collect();
    let pieces = |(number, job): (usize, &ByteJob<'_, S>)| {
        let block = job.block.clamp(1, PIECE);
        let step = PIECE - PIECE % block;
        let len = job.len;
        let mut done = 0;
        core::iter::from_fn(move || {
            let piece = (number, done, step.min(len - done));
            done += piece.2;
            (piece.2 > 0).then_some(piece)
        })
    };
    let mut all = jobs.iter().enumerate().flat_map(pieces);
    loop {
        let batch: Vec<(usize, u64, u64)> = all.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            return out;
        }
        let found = map_many(batch.len(), threads, &|at| {
            let (number, from, len) = batch.get(at).copied().unwrap_or_default();
            match jobs.get(number) {
                Some(job) => piece(job, from, len, progress),
                None => Ok(ByteDifference::default()),
            }
        });
        for ((number, ..), found) in batch.into_iter().zip(found) {
            let Some(sum) = out.get_mut(number) else { continue };
            match (&mut *sum, found) {
                (Err(_), _) => {}
                (_, Err(error)) => *sum = Err(error),
                (Ok(sum), Ok(found)) => {
                    sum.bytes = sum.bytes.saturating_add(found.bytes);
                    sum.blocks = sum.blocks.saturating_add(found.blocks);
                    sum.first = sum.first.or(found.first);
                }
            }
        }
    }
}

fn piece<S: ReadAt<Error = io::Error> + ?Sized>(
    job: &ByteJob<'_, S>,
    from: u64,
    len: u64,
    progress: &(dyn Fn(u64) + Sync),
) -> io::Result<ByteDifference> {
    let mut out = ByteDifference::default();
    let block = usize::try_from(job.block.max(1)).unwrap_or(1).min(BUFFER);
    let step = BUFFER - BUFFER % block;
    MEMORY.with_borrow_mut(|(one, other)| {
        one.resize(BUFFER, 0);
        other.resize(BUFFER, 0);
        let mut done = 0;
        while done < len {
            let now = usize::try_from(len - done).unwrap_or(usize::MAX).min(step);
            let at = from.saturating_add(done);
            let (Some(a), Some(b)) = (one.get_mut(..now), other.get_mut(..now)) else { break };
            read_exact_at(job.a, a, job.at_a.saturating_add(at))?;
            read_exact_at(job.b, b, job.at_b.saturating_add(at))?;
            if let Some(exchange) = &job.turn {
                exchange.apply(b);
            }
            if a != b {
                for (number, (a, b)) in a.chunks(block).zip(b.chunks(block)).enumerate() {
                    if a == b {
                        continue;
                    }
                    let first = a.iter().zip(b).position(|(a, b)| a != b).unwrap_or(0);
                    let place = (number as u64).saturating_mul(block as u64).saturating_add(first as u64);
                    out.first.get_or_insert(at.saturating_add(place));
                    out.blocks += 1;
                    out.bytes += a.iter().zip(b).filter(|(a, b)| a != b).count() as u64;
                }
            }
            done += now as u64;
            progress(now as u64);
        }
        Ok(out)
    })
}

/// A stretch of a source that is to be hashed.
#[derive(Debug)]
pub struct HashJob<'s, S: ?Sized> {
    /// The source.
    pub source: &'s S,
    /// The bytes.
    pub span: Span,
    /// How it is brought into another byte order first.
    pub turn: Option<Exchange>,
}

/// A hash of each stretch, 64 bits that tell data apart quickly: that of equal hash is still to be compared. The results are
/// in the order of the jobs.
pub fn hash_bytes<S: ReadAt<Error = io::Error> + Sync + ?Sized>(
    jobs: &[HashJob<'_, S>],
    threads: NonZeroUsize,
    progress: &(dyn Fn(u64) + Sync),
) -> Vec<io::Result<u64>> {
    map_many(jobs.len(), threads, &|at| {
        let Some(job) = jobs.get(at) else { return Ok(0) };
        let mut hasher = XxHash64::default();
        let block = job.turn.as_ref().map_or(1, |exchange| exchange.block().max(1)).min(BUFFER);
        let step = BUFFER - BUFFER % block;
        MEMORY.with_borrow_mut(|(memory, _)| {
            memory.resize(BUFFER, 0);
            let mut done = 0;
            while done < job.span.len {
                let now = usize::try_from(job.span.len - done).unwrap_or(usize::MAX).min(step);
                let Some(bytes) = memory.get_mut(..now) else { break };
                read_exact_at(job.source, bytes, job.span.start.saturating_add(done))?;
                if let Some(exchange) = &job.turn {
                    exchange.apply(bytes);
                }
                hasher.write(bytes);
                done += now as u64;
                progress(now as u64);
            }
            Ok(hasher.finish())
        })
    })
}

/// Whether all bytes of each stretch are zero. The results are in the order of the stretches.
pub fn all_zero<S: ReadAt<Error = io::Error> + Sync + ?Sized>(
    jobs: &[(&S, Span)],
    threads: NonZeroUsize,
) -> Vec<io::Result<bool>> {
    map_many(jobs.len(), threads, &|at| {
        let Some((source, span)) = jobs.get(at).copied() else { return Ok(true) };
        MEMORY.with_borrow_mut(|(memory, _)| {
            memory.resize(BUFFER, 0);
            let mut done = 0;
            while done < span.len {
                let now = usize::try_from(span.len - done).unwrap_or(usize::MAX).min(BUFFER);
                let Some(bytes) = memory.get_mut(..now) else { break };
                read_exact_at(source, bytes, span.start.saturating_add(done))?;
                if bytes.iter().any(|byte| *byte != 0) {
                    return Ok(false);
                }
                done += now as u64;
            }
            Ok(true)
        })
    })
}

#[cfg(test)]
mod tests {
    use ggufkit_format::spec::TensorType;

    use super::*;

    struct Memory(Vec<u8>);

    impl ReadAt for Memory {
        type Error = io::Error;

        fn size(&self) -> Option<u64> {
            Some(self.0.len() as u64)
        }

        fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
            let from = self.0.get(usize::try_from(offset).unwrap()..).unwrap_or_default();
            let n = from.len().min(buf.len());
            buf[..n].copy_from_slice(&from[..n]);
            Ok(n)
        }
    }

    fn job<'s>(a: &'s Memory, b: &'s Memory, at_b: u64, len: u64, block: u64) -> ByteJob<'s, Memory> {
        ByteJob { a, at_a: 0, b, at_b, len, block, turn: None }
    }

    #[test]
    fn differences_are_counted_by_byte_and_block_across_pieces() {
        let len = PIECE + 100;
        let a = Memory(vec![7; usize::try_from(len).unwrap()]);
        let mut b = Memory([vec![0; 3], a.0.clone()].concat());
        let threads = NonZeroUsize::new(3).unwrap();
        let compare =
            |b: &Memory, len| compare_bytes(&[job(&a, b, 3, len, 18)], threads, &|_| {}).pop().unwrap();
        assert_eq!(compare(&b, len).unwrap(), ByteDifference::default());
        // Two bytes of one block, and the very last byte.
        for at in [40, 41, usize::try_from(len).unwrap() - 1] {
            b.0[at + 3] = 8;
        }
        assert_eq!(compare(&b, len).unwrap(), ByteDifference { bytes: 3, blocks: 2, first: Some(40) });
        assert_eq!(compare(&b, len + 1).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn another_byte_order_is_turned_member_by_member() {
        // Q4_0: a half of two bytes, then 16 bytes of nibbles.
        let exchange = || Exchange::of(TensorType::Q4_0);
        let little: Vec<u8> = (0..36).collect();
        let mut big = little.clone();
        big.swap(0, 1);
        big.swap(18, 19);
        let (a, b) = (Memory(little), Memory(big));
        let threads = NonZeroUsize::MIN;
        let turned = ByteJob { turn: exchange(), ..job(&a, &b, 0, 36, 18) };
        let found = compare_bytes(&[turned, job(&a, &b, 0, 36, 18)], threads, &|_| {});
        let found: Vec<_> = found.into_iter().map(Result::unwrap).collect();
        assert_eq!(found[0].bytes, 0);
        assert_eq!(found[1], ByteDifference { bytes: 4, blocks: 2, first: Some(0) });
        let span = Span::new(0, 36);
        let hashes = hash_bytes(
            &[HashJob { source: &a, span, turn: None }, HashJob { source: &b, span, turn: exchange() }],
            threads,
            &|_| {},
        );
        let hashes: Vec<u64> = hashes.into_iter().map(Result::unwrap).collect();
        assert_eq!(hashes[0], hashes[1]);
    }
}
