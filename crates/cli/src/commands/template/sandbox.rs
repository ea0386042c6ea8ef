//! A process for every rendering. A template is a program of a stranger: what it makes of a little can be more than memory
//! or stack hold, and a program that runs out of either is ended by the system, which no library can turn into an error.
//! So it is another process that ends: this program, started again, with limits on itself, no environment and no terminal.
//!
//! The request goes to its standard input as JSON. The answer comes from its standard output: a byte that tells which of
//! the two it is, and the text, as it is, since a prompt of some megabytes would be twice there as JSON.

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::Builder;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::date::Date;
use super::{Variables, engine, limits};

/// The first argument of a process that renders. It is of no use to a person, and so in no help.
pub(crate) const WORD: &str = "__render";

/// What is to be rendered.
#[derive(Serialize, Deserialize)]
pub(super) struct Request {
    /// The key that holds the template, for messages.
    pub(super) key: String,
    pub(super) source: String,
    pub(super) variables: Variables,
    pub(super) date: Option<Date>,
    pub(super) fuel: u64,
}

/// How long a template may take.
const TIME: Duration = Duration::from_secs(1);
/// How long the process may take for all else: it tells of [`TIME`] itself.
const GRACE: Duration = Duration::from_secs(1);
/// Stack of the thread that renders. The engine writes, compares and drops nested values by recursion.
const STACK: usize = 16 << 20;
/// What a process may write to, its stack included. With the program itself it is below 64 MiB.
const MEMORY: u64 = 52 << 20;
/// What it may write to for each byte of JSON that the user gives: a list of small values takes many times its text.
const PER_BYTE: u64 = 64;
/// Bytes that are certainly read in a second, on a slow and busy machine too.
const PER_SECOND: u64 = 1 << 20;

/// The prompt, or what the template or the engine says of it; or why neither can be told.
type Answer = Result<Result<String, String>, Why>;

/// Why a template was not rendered.
enum Why {
    /// It takes too much.
    Template(String),
    /// The system gives too little, or refuses.
    System(String),
}

impl Why {
    /// A refusal of the system, in words.
    fn system(error: impl std::fmt::Display) -> Self {
        Self::System(error.to_string())
    }
}

// The first bytes of an answer.
const PROMPT: u8 = b'P';
const REFUSED: u8 = b'R';
const NOT_RENDERED: u8 = b'N';
const SYSTEM: u8 = b'S';

// What a process says first, once there is nothing that could fail but the template: whether it has the memory that it is
// meant to have, or the system leaves it less.
const BEGUN: u8 = b'B';
const TIGHT: u8 = b'T';

/// The prompt, or why there is none, in words. `given` is the size of what the user gives to it.
///
/// # Errors
/// Where the system is what stands in the way.
pub(super) fn render(request: &Request, given: usize) -> io::Result<Result<String, String>> {
    let said = |why: String| format!("{} is not rendered: {why}", request.key);
    match ask(request, given as u64) {
        Ok(answer) => Ok(answer),
        Err(Why::Template(why)) => Ok(Err(said(why))),
        Err(Why::System(why)) => Err(io::Error::other(said(why))),
    }
}

/// The answer of another process.
fn ask(request: &Request, given: u64) -> Answer {
    let memory = MEMORY.saturating_add(given.saturating_mul(PER_BYTE));
    let request = serde_json::to_vec(request).map_err(Why::system)?;
    let time = TIME + GRACE + Duration::from_secs(request.len() as u64 / PER_SECOND);
    let mut child = start(memory)
        .map_err(|error| Why::System(format!("the process that renders cannot be started: {error}")))?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let (send, receive) = mpsc::channel();
    // Both ends could wait for each other for ever, so a thread talks; it ends with the process at the latest.
    let talk = Builder::new().spawn(move || {
        let mut answer = Vec::new();
        if let (Some(mut stdin), Some(stdout)) = (stdin, stdout) {
            // A process that ends early does not read; its answer, or its end, says why.
            let _ = stdin.write_all(&request);
            drop((stdin, request));
            // No answer is longer than the memory it is made in; where that has no bound, it has one here.
            let _ = stdout.take(memory).read_to_end(&mut answer);
        }
        let _ = send.send(answer);
    });
    let answer = talk
        .map_err(Why::system)
        .and_then(|_| receive.recv_timeout(time).map_err(|_| Why::Template(late(time))));
    if answer.is_err() {
        // It is over already where this fails.
        let _ = child.kill();
    }
    let status = child.wait().map_err(Why::system)?;
    let mut answer = answer?;
    if limits::is_out_of_time(status) {
        return Err(Why::Template(late(TIME)));
    }
    let begun = answer.first().copied().filter(|first| matches!(*first, BEGUN | TIGHT));
    if !status.success() {
        return Err(match begun {
            Some(BEGUN) => Why::Template("the template engine ran out of memory or stack on it".to_owned()),
            Some(_) => Why::System("the system leaves the process that renders too little memory".to_owned()),
            None => Why::System(format!("the process that renders did not begin ({status})")),
        });
    }
    answer.drain(..usize::from(begun.is_some()));
    let kind = answer.first().copied();
    answer.drain(..answer.len().min(1));
    match (kind, String::from_utf8(answer)) {
        (Some(PROMPT), Ok(prompt)) => Ok(Ok(prompt)),
        (Some(REFUSED), Ok(why)) => Ok(Err(why)),
        (Some(NOT_RENDERED), Ok(why)) => Err(Why::Template(why)),
        (Some(SYSTEM), Ok(why)) => Err(Why::System(why)),
        _ => Err(Why::System("the process that renders gave no answer".to_owned())),
    }
}

fn late(time: Duration) -> String {
    format!("it was not done after {} seconds", time.as_secs())
}

/// Starts this program to render in.
fn start(memory: u64) -> io::Result<Child> {
    let mut command = Command::new(limits::this_program()?);
    command.arg(WORD).arg(memory.to_string());
    if cfg!(unix) {
        // One arena for all threads: each reserves 64 MiB of address space otherwise.
        command.env_clear().env("MALLOC_ARENA_MAX", "1");
    }
    // What the runtime says of its end (an overflow of the stack) is about our program, not about the template.
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()
}

/// The other side: sets the limits, reads a request, writes the answer. The value is the exit status.
pub(crate) fn serve(memory: Option<OsString>) -> u8 {
    let memory = memory.and_then(|memory| memory.to_str()?.parse().ok()).unwrap_or(MEMORY);
    let (kind, text) = match answer(memory) {
        Ok(Ok(prompt)) => (PROMPT, prompt),
        Ok(Err(why)) => (REFUSED, why),
        Err(Why::Template(why)) => (NOT_RENDERED, why),
        Err(Why::System(why)) => (SYSTEM, why),
    };
    let mut out = io::stdout().lock();
    let written =
        out.write_all(&[kind]).and_then(|()| out.write_all(text.as_bytes())).and_then(|()| out.flush());
    // A thread that still renders ends with the process.
    u8::from(written.is_err())
}

fn answer(memory: u64) -> Answer {
    let seconds = TIME + GRACE + Duration::from_secs(memory.saturating_sub(MEMORY) / PER_BYTE / PER_SECOND);
    let whole = limits::set(memory, seconds.as_secs())
        .map_err(|error| Why::System(format!("the process that renders cannot be limited: {error}")))?;
    let mut request = Vec::new();
    io::stdin().lock().read_to_end(&mut request).map_err(Why::system)?;
    let read = serde_json::from_slice::<Request>(&request).map_err(Why::system)?;
    drop(request);
    // The time of the template begins after what the user gives is read.
    let Request { key, source, variables, date, fuel } = read;
    let values = engine::values(variables).map_err(Why::Template)?;
    let first = if whole { BEGUN } else { TIGHT };
    let (send, receive) = mpsc::channel();
    let (go, gone) = mpsc::channel();
    let worker = Builder::new().stack_size(STACK).spawn(move || {
        let _: Result<(), _> = gone.recv();
        let _ = send.send(engine::work(&key, &source, values, date, fuel));
    });
    worker.map_err(Why::system)?;
    let mut out = io::stdout().lock();
    out.write_all(&[first]).and_then(|()| out.flush()).map_err(Why::system)?;
    drop(out);
    let _ = go.send(());
    receive.recv_timeout(TIME).map_err(|why| match why {
        RecvTimeoutError::Timeout => Why::Template(late(TIME)),
        // A template that makes the engine fail is refused like any other.
        RecvTimeoutError::Disconnected => Why::Template("the template engine fails on it".to_owned()),
    })
}
