//! Answers that are worked on: so many at once, so many that wait, so many bytes under way.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hyper::StatusCode;
use tokio::sync::Semaphore;

use super::Shared;
use super::reply::Reply;
use crate::answer::{Kind, Question, Refusal};

/// Questions that wait for one that is worked on to be done.
const MAX_WAITING: usize = 128;
/// Bytes of answers that are not sent to their end yet, in units.
const ROOM: usize = 2048;
/// Bytes of a unit.
const UNIT: usize = 64 << 10;
/// How long an answer waits for room.
const PATIENCE: Duration = Duration::from_secs(30);

/// Where answers are worked on.
#[derive(Debug)]
pub(super) struct Desk {
    at_work: usize,
    places: Arc<Semaphore>,
    room: Arc<Semaphore>,
    waiting: AtomicUsize,
}

impl Desk {
    pub(super) fn new() -> Self {
        let at_work = std::thread::available_parallelism().map_or(4, |n| n.get().saturating_mul(2));
        Self {
            at_work,
            places: Arc::new(Semaphore::new(at_work)),
            room: Arc::new(Semaphore::new(ROOM)),
            waiting: AtomicUsize::new(0),
        }
    }

    pub(super) const fn at_work(&self) -> usize {
        self.at_work
    }
}

/// One that waits, counted as long as it does: a connection that ends takes its question with it.
struct Waiting<'d>(&'d AtomicUsize);

impl<'d> Waiting<'d> {
    fn begin(count: &'d AtomicUsize) -> Option<Self> {
        // Made before it is judged, so that it is taken back in either case.
        let one = Self(count);
        let before = count.fetch_add(1, Ordering::Relaxed);
        (before < MAX_WAITING).then_some(one)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Works an answer out on a thread that may wait for a disk.
pub(super) async fn answer(shared: Arc<Shared>, question: Question) -> Reply {
    let busy = || {
        Reply::refusal(
            StatusCode::SERVICE_UNAVAILABLE,
            ("too many questions at once; ask again", "同时提出的问题太多；请稍后再试"),
        )
    };
    let desk = &shared.desk;
    let Some(waiting) = Waiting::begin(&desk.waiting) else { return busy() };
    let Ok(place) = Arc::clone(&desk.places).acquire_owned().await else { return busy() };
    drop(waiting);
    let worker = Arc::clone(&shared);
    // The place goes with the work: it is free again when the work is done, whether or not anybody waits for it still.
    let done = tokio::task::spawn_blocking(move || (worker.session.ask(&question), place)).await;
    let (answer, place) = match done {
        Ok((Ok(answer), place)) => (answer, place),
        Ok((Err(refusal), _)) => return Reply::of(&refusal),
        Err(_) => {
            return Reply::of(&Refusal::new(
                Kind::Io,
                ("the answer could not be worked out; this is our error", "无法得出答案；这是我们的错误"),
            ));
        }
    };
    let units = answer.len().div_ceil(UNIT).clamp(1, ROOM) as u32;
    let room = tokio::time::timeout(PATIENCE, Arc::clone(&desk.room).acquire_many_owned(units)).await;
    drop(place);
    match room {
        Ok(Ok(room)) => Reply::answer(answer, Some(room)),
        _ => busy(),
    }
}
