//! How far long work over bytes is, for who waits at a terminal.

use std::io::IsTerminal as _;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar on standard error; nothing where that is no terminal.
pub(super) struct Bar(Option<(ProgressBar, u64)>);

impl Bar {
    /// Begins work over so many bytes.
    pub(super) fn begin(label: &str, total: u64) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
        // The numbers take up to 54 columns; the name gets what is left, on one line.
        let wide = crate::platform::columns(&std::io::stderr()).is_none_or(|columns| columns >= 112);
        let template = match wide {
            true => {
                "{wide_msg} {bar:24} {binary_bytes} of {binary_total_bytes}, {binary_bytes_per_sec}, {eta} left"
            }
            false => "{wide_msg} {binary_bytes} of {binary_total_bytes}, {eta} left",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        // Of a path its end tells the file.
        let name = label.rsplit(['/', '\\']).next().filter(|name| !name.is_empty()).unwrap_or(label);
        bar.set_message(name.to_owned());
        bar.enable_steady_tick(Duration::from_millis(250));
        Self(Some((bar, total)))
    }

    /// So many bytes more are done.
    pub(super) fn more(&self, bytes: u64) {
        self.0.iter().for_each(|(bar, _)| bar.inc(bytes));
    }

    /// So many bytes are done.
    pub(super) fn at(&self, bytes: u64) {
        let Some((bar, total)) = &self.0 else { return };
        bar.set_position(bytes);
        if bytes >= *total && bytes > 0 {
            // What comes then may take as long again.
            bar.set_message("syncing");
        }
    }

    /// Takes the bar from the screen.
    pub(super) fn end(self) {
        self.0.iter().for_each(|(bar, _)| bar.finish_and_clear());
    }
}

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
