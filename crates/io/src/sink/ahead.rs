//! Reading while what was read before is written: for sources that work before they have bytes, as those that decode.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};

use ggufkit_format::{ReadAt, Span};

use super::BUFFER;
use crate::file::read_full;

/// Buffers on their way: one that is filled, one that is written, one that waits.
const BUFFERS: usize = 3;

/// What was read of a chunk: its buffer, and how much of it is filled.
type Filled = (Vec<u8>, io::Result<usize>);

/// Reads a span chunk by chunk, one chunk ahead, and hands each to `take` in order, with what was read and the bytes that were
/// wanted. `take` says whether to go on. Where the system gives no thread nothing is read, and it is false.
pub(super) fn read<S>(source: &S, span: Span, take: &mut dyn FnMut(io::Result<&[u8]>, usize) -> bool) -> bool
where
    S: ReadAt<Error = io::Error> + Sync + ?Sized,
{
    let (filled, ready) = sync_channel(BUFFERS);
    let (give_back, empty) = channel();
    for _ in 0..BUFFERS {
        let _ = give_back.send(Vec::new());
    }
    std::thread::scope(|scope| {
        let reader = move || fill(source, span, &empty, |made| filled.send(made).is_ok());
        if std::thread::Builder::new().spawn_scoped(scope, reader).is_err() {
            return false;
        }
        drain(span, ready, &give_back, take);
        true
    })
}

/// Fills buffers until the span ends, one is not filled, or nobody wants more.
fn fill<S>(source: &S, span: Span, empty: &Receiver<Vec<u8>>, mut hand: impl FnMut(Filled) -> bool)
where
    S: ReadAt<Error = io::Error> + Sync + ?Sized,
{
    let mut at = span.start;
    while at < span.end() {
        let Ok(mut buffer) = empty.recv() else { return };
        let want = wanted(span, at);
        buffer.resize(want, 0);
        let read = read_full(source, &mut buffer, at);
        let whole = matches!(read, Ok(read) if read == want);
        if !hand((buffer, read)) || !whole {
            return;
        }
        at = at.saturating_add(want as u64);
    }
}

fn drain(
    span: Span,
    ready: Receiver<Filled>,
    give_back: &Sender<Vec<u8>>,
    take: &mut dyn FnMut(io::Result<&[u8]>, usize) -> bool,
) {
    let mut at = span.start;
    for (buffer, read) in ready {
        let want = wanted(span, at);
        at = at.saturating_add(want as u64);
        if !take(read.map(|read| buffer.get(..read).unwrap_or_default()), want) {
            return;
        }
        // The reader may have read all by now.
        let _ = give_back.send(buffer);
    }
}

/// Bytes of the chunk that begins there.
fn wanted(span: Span, at: u64) -> usize {
    span.end().saturating_sub(at).min(BUFFER) as usize
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Bytes that tell where they stand; an error or an end at a place, and what was asked for.
    struct Source {
        fails_at: u64,
        ends_at: u64,
        asked: Mutex<Vec<u64>>,
    }

    const SIZE: u64 = 9 * BUFFER + 77;

    impl Source {
        fn new(fails_at: u64, ends_at: u64) -> Self {
            Self { fails_at, ends_at, asked: Mutex::default() }
        }
    }

    fn byte(at: u64) -> u8 {
        (at * 31 % 251) as u8
    }

    impl ReadAt for Source {
        type Error = io::Error;

        fn size(&self) -> Option<u64> {
            Some(SIZE)
        }

        fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
            self.asked.lock().unwrap().push(offset);
            if (offset..offset + buf.len() as u64).contains(&self.fails_at) {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            let len = self.ends_at.saturating_sub(offset).min(buf.len() as u64) as usize;
            buf[..len].iter_mut().zip(offset..).for_each(|(to, at)| *to = byte(at));
            Ok(len)
        }
    }

    #[test]
    fn chunks_come_in_order_and_are_whole() {
        let source = Source::new(u64::MAX, SIZE);
        let mut bytes = Vec::new();
        assert!(read(&source, Span::between(5, SIZE), &mut |chunk, want| {
            let chunk = chunk.unwrap();
            assert_eq!(chunk.len(), want);
            bytes.extend_from_slice(chunk);
            true
        }));
        assert!(
            bytes.len() as u64 == SIZE - 5 && bytes.iter().zip(5..).all(|(found, at)| *found == byte(at))
        );
    }

    #[test]
    fn an_error_and_an_end_are_told_behind_what_was_there_and_nothing_more_is_read() {
        for (source, last) in
            [(Source::new(3 * BUFFER + 9, SIZE), None), (Source::new(u64::MAX, 3 * BUFFER + 9), Some(9))]
        {
            let mut told = Vec::new();
            assert!(read(&source, Span::new(0, SIZE), &mut |chunk, want| {
                assert_eq!(want as u64, BUFFER);
                told.push(chunk.ok().map(<[u8]>::len));
                true
            }));
            let whole = Some(BUFFER as usize);
            assert_eq!(told, [whole, whole, whole, last]);
            assert!(source.asked.into_inner().unwrap().iter().all(|at| *at <= 3 * BUFFER + 9));
        }
    }

    #[test]
    fn who_wants_no_more_gets_no_more() {
        let source = Source::new(u64::MAX, SIZE);
        let mut taken = 0;
        assert!(read(&source, Span::new(0, SIZE), &mut |_, _| {
            taken += 1;
            taken < 2
        }));
        assert_eq!(taken, 2);
        assert!(source.asked.into_inner().unwrap().len() <= 2 + BUFFERS);
    }
}
