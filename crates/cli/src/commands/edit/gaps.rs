//! Bytes that are no tensor's and that a new file has not: said, where they are not zeros.

use std::io;
use std::num::NonZeroUsize;

use ggufkit::edit::Document;
use ggufkit::format::{Plan, Span};
use ggufkit::inspect::units;
use ggufkit::io::{FileSource, all_zero};

/// The stretches behind the head that are left out though they are not padding: somebody may have put something there.
///
/// # Errors
/// The system's.
pub(in crate::commands) fn lost(
    document: &Document<'_>,
    plan: &Plan,
    source: &FileSource,
) -> io::Result<Vec<Span>> {
    let spans = document.left_out(plan);
    let jobs: Vec<_> = spans.iter().map(|span| (source, *span)).collect();
    let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let mut out = Vec::new();
    for (span, zero) in spans.iter().zip(all_zero(&jobs, threads)) {
        if !zero? {
            out.push(*span);
        }
    }
    Ok(out)
}

/// The same in words; `None` where there are none.
pub(in crate::commands) fn told(lost: &[Span]) -> Option<String> {
    let first = lost.first()?;
    let bytes = lost.iter().fold(0_u64, |sum, span| sum.saturating_add(span.len));
    let more = match lost.len() {
        1 => String::new(),
        places => format!(" and {} more places", places.saturating_sub(1)),
    };
    Some(format!(
        "{} at {:#x}..{:#x}{more} are no tensor's and are not zeros: they are left out",
        units::bytes(bytes),
        first.start,
        first.end()
    ))
}
