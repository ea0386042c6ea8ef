//! That something is going on, for who waits at a terminal and cannot be told how far it is.

use std::io::IsTerminal as _;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A line that says what is going on, once it takes longer than a blink; nothing where standard error is no terminal.
pub(super) struct Waiting(Option<(mpsc::Sender<()>, JoinHandle<()>)>);

impl Waiting {
    /// How long nothing is said.
    const BLINK: Duration = Duration::from_millis(300);

    /// Begins something that may take a while.
    pub(super) fn begin(text: &'static str) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let (end, ended) = mpsc::channel();
        let tell = move || {
            if ended.recv_timeout(Self::BLINK) == Err(mpsc::RecvTimeoutError::Timeout) {
                let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
                bar.set_style(ProgressStyle::default_spinner());
                bar.set_message(text);
                bar.enable_steady_tick(Duration::from_millis(250));
                let _ = ended.recv();
                bar.finish_and_clear();
            }
        };
        // Where no thread can be had, nothing is said.
        Self(std::thread::Builder::new().spawn(tell).ok().map(|thread| (end, thread)))
    }

    /// Takes the line from the screen, before anything else is said.
    pub(super) fn end(&mut self) {
        if let Some((end, thread)) = self.0.take() {
            drop(end);
            let _ = thread.join();
        }
    }
}
