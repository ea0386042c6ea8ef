//! A stretch of a source as something that is read from beginning to end.

use std::io::{self, Read};

use ggufkit_format::{ReadAt, Span};

/// Reads the bytes of a span, in order. Where the source ends before the span does, so does this; an error of the source says
/// where in it.
#[derive(Debug)]
pub struct SpanRead<'s, S: ?Sized> {
    source: &'s S,
    left: Span,
}

impl<'s, S: ReadAt<Error = io::Error> + ?Sized> SpanRead<'s, S> {
    /// The bytes of `span` in `source`.
    #[must_use]
    pub fn new(source: &'s S, span: Span) -> Self {
        Self { source, left: span }
    }
}

impl<S: ReadAt<Error = io::Error> + ?Sized> Read for SpanRead<'_, S> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left.len).unwrap_or(usize::MAX).min(buf.len());
        let here = Span::new(self.left.start, most as u64);
        let read = self
            .source
            .read_at(buf.get_mut(..most).unwrap_or_default(), here.start)
            .map_err(|error| io::Error::new(error.kind(), format!("cannot read {here}: {error}")))?;
        self.left = Span::between(self.left.start.saturating_add(read as u64), self.left.end());
        Ok(read)
    }
}
