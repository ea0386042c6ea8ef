//! How far long work over bytes is, for who waits at a terminal.

use std::io::IsTerminal as _;
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
