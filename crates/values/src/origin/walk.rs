//! Going over the values of a source in the order of the tensor that was made of them.

use std::io;
use std::ops::Range;

use ggufkit_format::ReadAt;

use super::Origin;
use super::rows::Rows;
use crate::compare::{Side, Walk};
use crate::weights::STRETCH;
use crate::{Memory, Stretch, Weights};

impl<S: ReadAt<Error = io::Error> + Sync + ?Sized> Side for Origin<'_, S> {
    fn elements(&self) -> u64 {
        self.parts.iter().fold(0, |sum, part| sum.saturating_add(part.elements()))
    }

    fn walk<'m>(&'m self, elements: Range<u64>, memory: &'m mut Memory) -> Box<dyn Walk + 'm> {
        match self.parts.as_slice() {
            // As it stands.
            [one] if self.rows == Rows::InOrder && !self.turned && self.plus == 0.0 => {
                one.walk(elements, memory)
            }
            _ => {
                memory.floats.resize(STRETCH, 0.0);
                memory.band.clear();
                let end = elements.end.min(Side::elements(self));
                Box::new(InOrder { origin: self, at: elements.start, begin: elements.start, end, memory })
            }
        }
    }
}

struct InOrder<'m, 's, S: ?Sized> {
    origin: &'m Origin<'s, S>,
    begin: u64,
    at: u64,
    end: u64,
    memory: &'m mut Memory,
}

impl<S: ReadAt<Error = io::Error> + ?Sized> Walk for InOrder<'_, '_, S> {
    fn next_stretch(&mut self) -> Option<io::Result<Stretch<'_>>> {
        let at = self.at;
        let count = usize::try_from(self.end.saturating_sub(at)).unwrap_or(usize::MAX).min(STRETCH);
        if count == 0 {
            return None;
        }
        let filled = if self.origin.turned { self.turn(at, count) } else { self.gather(at, count) };
        if let Err(error) = filled {
            self.at = self.end;
            return Some(Err(error));
        }
        self.at = at.saturating_add(count as u64);
        let values = self.memory.floats.get_mut(..count).unwrap_or_default();
        if self.origin.plus != 0.0 {
            values.iter_mut().for_each(|value| *value += self.origin.plus);
        }
        // As many bytes as there are values of this width.
        let width = self.origin.parts.first().map_or(1, |part| part.codec().block_bytes());
        let len = count.saturating_mul(width).min(self.memory.bytes.len());
        let blocks = self.memory.bytes.get(..len).unwrap_or_default();
        Some(Ok(Stretch { at, values, blocks, wide: None }))
    }
}

impl<S: ReadAt<Error = io::Error> + ?Sized> InOrder<'_, '_, S> {
    /// Fills in values run by run, each of which stands together in the source.
    fn gather(&mut self, at: u64, count: usize) -> io::Result<()> {
        let Origin { parts, part, row, rows, .. } = self.origin;
        let Memory { bytes, floats, .. } = &mut *self.memory;
        let mut out = floats.get_mut(..count).unwrap_or_default();
        let mut at = at;
        while !out.is_empty() {
            let (number, inside) = (at.checked_div(*part).unwrap_or(0), at.checked_rem(*part).unwrap_or(0));
            let Some(weights) = usize::try_from(number).ok().and_then(|number| parts.get(number)) else {
                return Err(io::ErrorKind::UnexpectedEof.into());
            };
            let (from, run) = if *rows == Rows::InOrder {
                (inside, part.saturating_sub(inside))
            } else {
                let (line, column) =
                    (inside.checked_div(*row).unwrap_or(0), inside.checked_rem(*row).unwrap_or(0));
                let source = rows.source(line, part.checked_div(*row).unwrap_or(0));
                (source.saturating_mul(*row).saturating_add(column), row.saturating_sub(column))
            };
            let run = usize::try_from(run).unwrap_or(usize::MAX).min(out.len());
            let Some((here, rest)) = std::mem::take(&mut out).split_at_mut_checked(run) else { break };
            weights.read(from, here, bytes)?;
            out = rest;
            at = at.saturating_add(run as u64);
        }
        Ok(())
    }

    /// Fills in values of a matrix that is turned over: all of the walk is read at first, of every row of the source the
    /// stretch that belongs to it.
    fn turn(&mut self, at: u64, count: usize) -> io::Result<()> {
        let row = self.origin.row.max(1);
        let first = self.begin.checked_div(row).unwrap_or(0);
        if self.memory.band.is_empty() {
            self.band(first, self.end.div_ceil(row))?;
        }
        let from = usize::try_from(at.saturating_sub(first.saturating_mul(row))).unwrap_or(usize::MAX);
        let band = self.memory.band.get(from..from.saturating_add(count)).unwrap_or_default();
        let out = self.memory.floats.get_mut(..count).unwrap_or_default();
        if band.len() < out.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        out.copy_from_slice(band);
        Ok(())
    }

    /// Rows `first` to `last` of the tensor: columns of the source.
    fn band(&mut self, first: u64, last: u64) -> io::Result<()> {
        let row = self.origin.row.max(1);
        let Some(weights) = self.origin.parts.first() else { return Ok(()) };
        let columns = Weights::elements(weights).checked_div(row).unwrap_or(0);
        let size = |n: u64| usize::try_from(n).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory));
        let (wide, long) = (size(last.saturating_sub(first))?, size(row)?);
        let Memory { bytes, band, .. } = &mut *self.memory;
        band.resize(wide.saturating_mul(long), 0.0);
        let mut line = vec![0.0; wide];
        for number in 0..long {
            let from = (number as u64).saturating_mul(columns).saturating_add(first);
            weights.read(from, &mut line, bytes)?;
            for (value, out) in line.iter().zip(band.iter_mut().skip(number).step_by(long)) {
                *out = *value;
            }
        }
        Ok(())
    }
}
