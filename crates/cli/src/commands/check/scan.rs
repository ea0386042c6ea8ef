//! The pass over the weights, with a bar for who waits.

use std::num::NonZeroUsize;

use ggufkit::check::{DataScan, Subject, data_size, scan_data};

use crate::commands::progress::Bar;
use crate::out::Out;

/// Reads the data of all tensors. On a terminal a bar shows how far it is, on standard error.
pub(super) fn scan(_: &Out, label: &str, subject: &Subject<'_>, threads: Option<NonZeroUsize>) -> DataScan {
    let threads = threads.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let bar = Bar::begin(label, data_size(subject));
    let scan = scan_data(subject, threads, &|bytes| bar.more(bytes));
    bar.end();
    scan
}
