//! How long something takes: wall time, medians and bests, taken in rounds.

use std::time::{Duration, Instant};

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
pub fn measure(cases: Vec<Case<'_>>, rounds: usize) -> Vec<Taken> {
    const TURN: Duration = Duration::from_millis(20);
    let mut rows: Vec<_> = cases.into_iter().map(|case| (case, Vec::new())).collect();
    for _ in 0..rounds {
        for (case, samples) in &mut rows {
            let begin = Instant::now();
            (case.run)();
            // Nothing of a long run is still there from the case before when it ends.
            if begin.elapsed() > TURN * 4 {
                samples.push(begin.elapsed());
                continue;
            }
            let begin = Instant::now();
            while begin.elapsed() < TURN {
                let start = Instant::now();
                (case.run)();
                samples.push(start.elapsed());
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
