//! Copying a stretch of one file into another, by a few threads.
//!
//! On a file system that shares no blocks a copy is memory traffic: one thread's reads go on while the other's writes hold
//! the target. Buffers stay within a core's cache, so a byte passes through memory twice and not four times.

use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use ggufkit_format::Span;

use crate::data::fan_out;
use crate::platform;

/// Threads; more wait for each other, as a file is written by one at a time.
const THREADS: usize = 2;

/// Bytes that a thread copies before it asks for more.
const PIECE: u64 = 4 << 20;

/// Bytes that are read before they are written: within a core's own cache.
const BUFFER: usize = 128 << 10;

/// Why a stretch was not copied whole.
#[derive(Debug)]
pub(super) enum Stopped {
    /// The source could not be read.
    Read(io::Error),
    /// The target could not be written.
    Write(io::Error),
    /// The source ends there.
    Ended(u64),
}

/// Copies `span` of one file to the bytes from `to_at` on of another. Neither file's cursor counts.
///
/// # Errors
/// The first thing in the order of the bytes that went wrong, as far as the threads came.
pub(super) fn stretch(from: &File, to: &File, span: Span, to_at: u64) -> Result<(), Stopped> {
    let next = AtomicU64::new(0);
    let stopped: Mutex<Option<(u64, Stopped)>> = Mutex::new(None);
    let threads = THREADS.min(usize::try_from(span.len.div_ceil(PIECE)).unwrap_or(THREADS));
    fan_out(threads, &|| {
        let mut buffer = vec![0; BUFFER];
        loop {
            let begin = next.fetch_add(PIECE, Ordering::Relaxed);
            if begin >= span.len {
                return;
            }
            let end = begin.saturating_add(PIECE).min(span.len);
            if let Err((at, why)) = piece(from, to, span.start, to_at, Span::between(begin, end), &mut buffer)
            {
                next.store(span.len, Ordering::Relaxed);
                let mut stopped = stopped.lock().unwrap_or_else(PoisonError::into_inner);
                if stopped.as_ref().is_none_or(|(other, _)| at < *other) {
                    *stopped = Some((at, why));
                }
                return;
            }
        }
    });
    match stopped.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((_, why)) => Err(why),
        None => Ok(()),
    }
}

/// Copies the bytes `part` of a stretch, counted from its beginning.
fn piece(
    from: &File,
    to: &File,
    from_at: u64,
    to_at: u64,
    part: Span,
    buffer: &mut [u8],
) -> Result<(), (u64, Stopped)> {
    let mut at = part.start;
    while at < part.end() {
        let want = part.end().saturating_sub(at).min(BUFFER as u64) as usize;
        let read_at = from_at.saturating_add(at);
        let chunk = buffer.get_mut(..want).unwrap_or_default();
        let read = match platform::read_at(from, chunk, read_at) {
            Ok(0) => return Err((at, Stopped::Ended(read_at))),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err((at, Stopped::Read(error))),
        };
        let chunk = chunk.get(..read).unwrap_or_default();
        platform::write_all_at(to, chunk, to_at.saturating_add(at))
            .map_err(|error| (at, Stopped::Write(error)))?;
        at = at.saturating_add(read as u64);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_arrives_at_its_place_and_an_early_end_is_told_where_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let bytes: Vec<u8> = (0..3 * PIECE as usize + 4567).map(|at| (at * 31 % 251) as u8).collect();
        let path = folder.path().join("from");
        std::fs::write(&path, &bytes).unwrap();
        let from = File::open(&path).unwrap();
        let to = File::create(folder.path().join("to")).unwrap();
        stretch(&from, &to, Span::new(77, bytes.len() as u64 - 77), 1000).unwrap();
        let there = std::fs::read(folder.path().join("to")).unwrap();
        assert!(there[..1000].iter().all(|byte| *byte == 0) && there[1000..] == bytes[77..]);

        let end = bytes.len() as u64;
        let told = stretch(&from, &to, Span::new(end - 10, 4 * PIECE), 0).unwrap_err();
        assert!(matches!(told, Stopped::Ended(at) if at == end), "{told:?}");
        let told = stretch(&from, &from, Span::new(0, 8), 0).unwrap_err();
        assert!(matches!(told, Stopped::Write(_)), "{told:?}");
    }
}
