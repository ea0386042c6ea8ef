//! The pass over the weights, with a bar for who waits.

use std::io::IsTerminal as _;
use std::num::NonZeroUsize;
use std::time::Duration;

use ggufkit::check::{DataScan, Subject, data_size, scan_data};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::out::Out;

/// Reads the data of all tensors. On a terminal a bar shows how far it is, on standard error.
pub(super) fn scan(_: &Out, label: &str, subject: &Subject<'_>, threads: Option<NonZeroUsize>) -> DataScan {
    let threads = threads.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    if !std::io::stderr().is_terminal() {
        return scan_data(subject, threads, &|_| ());
    }
    let bar = ProgressBar::with_draw_target(Some(data_size(subject)), ProgressDrawTarget::stderr());
    let template =
        "{msg} {bar:24} {binary_bytes} of {binary_total_bytes}, {binary_bytes_per_sec}, {eta} left";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_message(label.to_owned());
    bar.enable_steady_tick(Duration::from_millis(250));
    let scan = scan_data(subject, threads, &|bytes| bar.inc(bytes));
    bar.finish_and_clear();
    scan
}
