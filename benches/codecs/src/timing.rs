//! How long something takes: medians and bests, taken in rounds.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// One thing to measure.
pub struct Case<'a> {
    pub name: String,
    pub run: Box<dyn FnMut() + 'a>,
}

impl<'a> Case<'a> {
    pub fn new(name: impl Into<String>, run: impl FnMut() + 'a) -> Self {
        Self { name: name.into(), run: Box::new(run) }
    }
}

/// What is counted.
#[derive(Clone, Copy)]
pub enum Clock {
    /// The time of this thread on a core: what waits for one is left out. For work of one thread.
    Cpu,
    /// Time as it passes.
    Wall,
}

impl Clock {
    fn now(self) -> Duration {
        let id = match self {
            Self::Cpu => ClockId::ThreadCPUTime,
            Self::Wall => ClockId::Monotonic,
        };
        let now = clock_gettime(id);
        Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
    }
}

/// What a case took.
#[derive(Clone, Debug)]
pub struct Taken {
    pub name: String,
    pub median: Duration,
    pub best: Duration,
}

/// Measures all cases in rounds, every case in turn, so that whoever else uses the machine disturbs all of them alike.
///
/// A case that is short is run several times in its turn; what comes first in a turn finds the caches as the case before
/// has left them, and does not count.
pub fn measure(cases: Vec<Case<'_>>, rounds: usize, clock: Clock) -> Vec<Taken> {
    const TURN: Duration = Duration::from_millis(20);
    let mut rows: Vec<_> = cases.into_iter().map(|case| (case, Vec::new())).collect();
    for _ in 0..rounds {
        for (case, samples) in &mut rows {
            let mut sample = || {
                let start = clock.now();
                (case.run)();
                clock.now().saturating_sub(start)
            };
            let first = sample();
            // Of a long run, the state of the caches at its beginning is no part worth speaking of.
            if first > TURN * 4 {
                samples.push(first);
                continue;
            }
            let begin = Instant::now();
            while begin.elapsed() < TURN {
                samples.push(sample());
            }
        }
    }
    rows.into_iter()
        .map(|(case, mut samples)| {
            samples.sort_unstable();
            let at = |at: usize| samples.get(at).copied().unwrap_or_default();
            Taken { name: case.name, median: at(samples.len() / 2), best: at(0) }
        })
        .collect()
}
