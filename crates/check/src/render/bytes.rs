//! The bytes around a label, for hex windows.

use ggufkit_format::Span;
use ggufkit_io::read_full;

use crate::subject::Subject;

/// The bytes of the line of `most` that begins at `start`; fewer at the end of the file or where they cannot be read.
pub(super) fn line(subject: &Subject<'_>, file: usize, start: u64, most: u64) -> Vec<u8> {
    let Some(file) = subject.files.get(file) else { return Vec::new() };
    let len = file.size.map_or(most, |size| size.saturating_sub(start).min(most));
    if let Some(bytes) = file.view.and_then(|view| view.bytes(Span::new(start, len))) {
        return bytes.to_vec();
    }
    let Some(source) = file.source else { return Vec::new() };
    let mut bytes = vec![0; usize::try_from(len).unwrap_or(0)];
    let got = read_full(source, &mut bytes, start).unwrap_or(0);
    bytes.truncate(got);
    bytes
}
