//! Many tensors at once, by a few threads.

use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use ggufkit_format::{ReadAt, Tensor};

use super::{Chunk, DataError, TensorReader};

/// More threads than this wait for each other and for the disk.
const MAX_THREADS: usize = 64;

impl<S: ReadAt<Error = io::Error> + Sync + ?Sized> TensorReader<'_, S> {
    /// Goes over the data of many tensors in chunks of at most `max_bytes` (see [`TensorReader::chunks`]), by at most
    /// `threads` threads (and at most 64), each with one buffer. `visit` is given the tensor's place in `tensors`; the
    /// chunks of one tensor come in order and from one thread, those of different tensors in any order.
    ///
    /// # Errors
    /// The error of the first tensor, in the order of `tensors`, that could not be read; the others were then not all
    /// visited.
    pub fn visit_many(
        &self,
        tensors: &[&Tensor],
        threads: NonZeroUsize,
        max_bytes: usize,
        visit: &(dyn Fn(usize, &Chunk<'_>) + Sync),
    ) -> Result<(), DataError> {
        run(tensors.len(), threads, &|at| {
            let Some(tensor) = tensors.get(at) else { return Ok(()) };
            let mut chunks = self.chunks(tensor, max_bytes)?;
            while let Some(chunk) = chunks.next_chunk() {
                visit(at, &chunk?);
            }
            Ok(())
        })
    }
}

/// Does the pieces of work 0 to `count`, each once; stops handing out after an error and returns the one of the first
/// piece that failed.
fn run<E: Send>(
    count: usize,
    threads: NonZeroUsize,
    work: &(dyn Fn(usize) -> Result<(), E> + Sync),
) -> Result<(), E> {
    let threads = threads.get().min(MAX_THREADS).min(count);
    if threads <= 1 {
        return (0..count).try_for_each(work);
    }
    let next = AtomicUsize::new(0);
    let failed: Mutex<Option<(usize, E)>> = Mutex::new(None);
    fan_out(threads, &|| {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                return;
            }
            if let Err(error) = work(at) {
                // Work is handed out in order, so whatever stands before this piece is being done or done.
                next.store(count, Ordering::Relaxed);
                let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                if failed.as_ref().is_none_or(|(other, _)| at < *other) {
                    *failed = Some((at, error));
                }
                return;
            }
        }
    });
    match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((_, error)) => Err(error),
        None => Ok(()),
    }
}

/// Runs `worker` in the calling thread and in up to `threads - 1` others, until all have returned. Where the system gives
/// no more threads (a limit on processes or memory), those that run do all the work.
pub(crate) fn fan_out(threads: usize, worker: &(dyn Fn() + Sync)) {
    std::thread::scope(|scope| {
        for _ in 1..threads {
            if std::thread::Builder::new().spawn_scoped(scope, worker).is_err() {
                break;
            }
        }
        worker();
    });
}

/// Does `count` pieces of work by at most `threads` threads (and at most 64), every one of them whatever becomes of the
/// others; the results are in their order.
pub fn map_many<T: Send>(count: usize, threads: NonZeroUsize, work: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    let slots: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    fan_out(threads.get().min(MAX_THREADS).min(count), &|| {
        while let Some((at, slot)) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            slots.get(at).map(|slot| (at, slot))
        } {
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(work(at));
        }
    });
    slots.into_iter().filter_map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_is_done_once_and_in_its_place() {
        for threads in [1, 2, 5000] {
            let threads = NonZeroUsize::new(threads).unwrap();
            let done = AtomicUsize::new(0);
            let results = map_many(300, threads, &|at| {
                done.fetch_add(1, Ordering::Relaxed);
                at * at
            });
            assert_eq!(results, (0..300).map(|at| at * at).collect::<Vec<_>>());
            assert_eq!(done.into_inner(), 300);
        }
        assert!(map_many(0, NonZeroUsize::MIN, &|at| at).is_empty());
    }

    #[test]
    fn no_more_threads_run_than_the_cap() {
        let ids = Mutex::new(std::collections::HashSet::new());
        map_many(2000, NonZeroUsize::new(5000).unwrap(), &|_| {
            ids.lock().unwrap().insert(std::thread::current().id());
        });
        assert!(ids.into_inner().unwrap().len() <= MAX_THREADS);
    }
}
