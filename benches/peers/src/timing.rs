//! How long something takes: thread CPU time and wall time, medians, taken in rounds.
//!
//! Owns clocks and sampling. Knows nothing about GGUF.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// One thing to measure. It returns a small answer that proves the work was done; whatever else it built is freed
/// inside the call, because an owned tree of a million strings has to be freed by somebody.
pub struct Case<'a, T> {
    pub name: &'static str,
    pub run: Box<dyn FnMut() -> Result<T, String> + 'a>,
}

impl<'a, T> Case<'a, T> {
    pub fn new(name: &'static str, run: impl FnMut() -> Result<T, String> + 'a) -> Self {
        Self { name, run: Box::new(run) }
    }
}

/// What a case cost, or why it could not be run.
pub struct Outcome<T> {
    pub name: &'static str,
    pub result: Result<Measured<T>, String>,
}

pub struct Measured<T> {
    pub answer: T,
    pub cpu: Duration,
    pub wall: Duration,
    pub samples: usize,
}

/// How much to measure: whole rounds over all cases, and the time that one case may take in each.
#[derive(Clone, Copy)]
pub struct Effort {
    pub rounds: usize,
    pub slice: Duration,
}

/// Measures all cases in rounds: every case in turn, again and again.
///
/// A machine that is busy for some seconds then slows a round of everybody and not all samples of one case. Each turn
/// starts with a call that is not measured, because the case before has filled the caches with its own data.
pub fn measure<T>(cases: Vec<Case<'_, T>>, effort: Effort) -> Vec<Outcome<T>> {
    let mut rows: Vec<_> = cases
        .into_iter()
        .map(|mut case| {
            let answer = (case.run)();
            (case, answer, Samples::default())
        })
        .collect();
    for _ in 0..effort.rounds {
        for (case, answer, samples) in &mut rows {
            if answer.is_ok() {
                turn(case, samples, effort.slice);
            }
        }
    }
    rows.into_iter()
        .map(|(case, answer, samples)| Outcome {
            name: case.name,
            result: answer.map(|answer| Measured {
                answer,
                samples: samples.cpu.len(),
                cpu: median(samples.cpu),
                wall: median(samples.wall),
            }),
        })
        .collect()
}

#[derive(Default)]
struct Samples {
    cpu: Vec<Duration>,
    wall: Vec<Duration>,
}

fn turn<T>(case: &mut Case<'_, T>, samples: &mut Samples, slice: Duration) {
    let _ = std::hint::black_box((case.run)());
    let begin = Instant::now();
    loop {
        let (wall, cpu) = (Instant::now(), thread_cpu());
        let _ = std::hint::black_box((case.run)());
        samples.cpu.push(thread_cpu().saturating_sub(cpu));
        samples.wall.push(wall.elapsed());
        if begin.elapsed() >= slice {
            return;
        }
    }
}

fn thread_cpu() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

fn median(mut values: Vec<Duration>) -> Duration {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or_default()
}
