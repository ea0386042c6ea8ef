//! A source some of whose bytes are read in the other byte order.

use std::io;

use ggufkit_format::exchange::Exchange;
use ggufkit_format::{ReadAt, Span};

use crate::file::{FileSource, read_full};
use crate::joined::Files;

/// A source in which the data of tensors has the other byte order: for plans that copy it so.
///
/// Nothing is held in memory but one block of a tensor at a time.
#[derive(Debug)]
pub struct Turned<'a, S: ?Sized> {
    source: &'a S,
    /// Where the data is and how it is turned, in order; no two overlap.
    regions: Vec<(Span, Exchange)>,
}

impl<'a, S: Files + ?Sized> Turned<'a, S> {
    /// The source with these stretches turned: each is a whole number of blocks of its type, and no two overlap.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] where they do, or are not.
    pub fn new(source: &'a S, mut regions: Vec<(Span, Exchange)>) -> io::Result<Self> {
        regions.retain(|(span, _)| !span.is_empty());
        regions.sort_by_key(|(span, _)| span.start);
        let mut end = 0;
        for (span, exchange) in &regions {
            let whole = span.len.checked_rem(exchange.block() as u64) == Some(0);
            if span.start < end || !whole || span.start.checked_add(span.len).is_none() {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidInput,
                    "what is to be turned is no row of blocks",
                ));
            }
            end = span.end();
        }
        Ok(Self { source, regions })
    }
}

impl<S: Files + ?Sized> ReadAt for Turned<'_, S> {
    type Error = io::Error;

    fn size(&self) -> Option<u64> {
        self.source.size()
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let next = self.regions.partition_point(|(span, _)| span.end() <= offset);
        let Some((span, exchange)) = self.regions.get(next) else { return self.source.read_at(buf, offset) };
        let most =
            |end: u64| usize::try_from(end.saturating_sub(offset)).unwrap_or(usize::MAX).min(buf.len());
        if offset < span.start {
            let most = most(span.start);
            return self.source.read_at(buf.get_mut(..most).unwrap_or_default(), offset);
        }
        let block = exchange.block();
        let inside = offset.saturating_sub(span.start);
        let past = inside.checked_rem(block as u64).unwrap_or(0) as usize;
        let most = most(span.end());
        let whole = most.saturating_sub(most.checked_rem(block).unwrap_or(0));
        if past == 0 && whole > 0 {
            let into = buf.get_mut(..whole).unwrap_or_default();
            let read = read_full(self.source, into, offset)?;
            exchange.apply(into.get_mut(..read).unwrap_or_default());
            // Of a source that ended within a block its last bytes are no block, and have no order.
            return Ok(read);
        }
        let mut one = vec![0; block];
        let read = read_full(self.source, &mut one, offset.saturating_sub(past as u64))?;
        if read == block {
            exchange.apply(&mut one);
        }
        let bytes = one.get(past..read).unwrap_or_default();
        let most = most.min(bytes.len());
        if let (Some(into), Some(bytes)) = (buf.get_mut(..most), bytes.get(..most)) {
            into.copy_from_slice(bytes);
        }
        Ok(most)
    }
}

impl<S: Files + ?Sized> Files for Turned<'_, S> {
    fn file_count(&self) -> usize {
        self.source.file_count()
    }

    fn file_at(&self, number: usize) -> Option<&FileSource> {
        self.source.file_at(number)
    }

    fn locate(&self, span: Span) -> Option<(usize, Span)> {
        // Only what is the same in the files can be copied from them.
        let turned = self.regions.partition_point(|(region, _)| region.end() <= span.start);
        let plain = match self.regions.get(turned) {
            Some((region, _)) if region.start <= span.start => return None,
            Some((region, _)) => Span::between(span.start, span.end().min(region.start)),
            None => span,
        };
        self.source.locate(plain)
    }
}
