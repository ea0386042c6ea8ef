//! Importance matrices: how much each column of each matrix counts, as measured by `llama-imatrix`.
//!
//! Both forms are read: GGUF files with sums and counts per tensor (and per expert), and the older `.dat`. What is in memory are
//! names and places; the numbers are read when they are asked for, a matrix at a time, so that a model of many experts costs no
//! more than a small one. Everything is looked at once at the beginning: a number that is not finite or below zero, or a length that leads
//! out of the file, is found before any work is done with it.

mod dat;
mod error;
mod gguf;
mod weighted;

use std::collections::BTreeMap;

use ggufkit_format::{ReadAt as _, Span};
use ggufkit_io::{FileSource, read_full};

pub use error::ImportanceError;
pub use weighted::Weighted;

/// What importance is at least where there is any: a layer's mean square is never so small, and below it the squares that encoders
/// compute with are no numbers any more, so that what they make is worth little (from 1e-24 on) or nothing (1e-40).
const LEAST: f32 = 1e-20;

/// What importance is at most: a layer's mean square comes to 1e10 at the very most, and above this its products with squares of
/// weights are no numbers any more.
const MOST: f32 = 1e20;

/// Bytes that are read at once.
const AT_ONCE: usize = 64 << 10;

/// The numbers of one tensor.
#[derive(Clone, PartialEq, Debug)]
struct Entry {
    /// Where they lie: 32-bit floats, one per column, matrix after matrix.
    sums: Span,
    /// How many calls each matrix was measured in.
    counts: Counts,
}

#[derive(Clone, PartialEq, Debug)]
enum Counts {
    /// Of the older form: what the numbers are divided by, where it is above zero.
    Calls(i32),
    /// Floats at this place, one per matrix.
    Each(Span),
}

/// What is the matter with numbers by which nothing can be encoded.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Extreme {
    /// All of them are zero, or next to it: nothing would count.
    Faint,
    /// One is so large that what is computed with it overflows.
    Huge {
        /// Its column.
        column: u64,
        /// The number.
        number: f32,
    },
}

/// An importance matrix, in a file.
#[derive(Debug)]
pub struct ImportanceMatrix {
    source: FileSource,
    entries: BTreeMap<Vec<u8>, Entry>,
    datasets: Vec<Vec<u8>>,
    chunks: Option<u32>,
    /// The file's numbers are in this order.
    big_endian: bool,
}

impl ImportanceMatrix {
    /// Reads names and places of a file, and looks at all of its numbers. The file stays open: numbers are read when they are
    /// asked for.
    ///
    /// # Errors
    /// See [`ImportanceError`].
    pub fn read(source: FileSource) -> Result<Self, ImportanceError> {
        let mut magic = [0; 4];
        let read = read_full(&source, &mut magic, 0)?;
        let is_gguf = magic.get(..read) == Some(b"GGUF");
        let made = if is_gguf { gguf::read(source)? } else { dat::read(source)? };
        made.look()?;
        Ok(made)
    }

    /// The file.
    #[must_use]
    pub fn source(&self) -> &FileSource {
        &self.source
    }

    /// Number of tensors that have importance.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none, or none is left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The names of tensors that have importance.
    pub fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.entries.keys().map(Vec::as_slice)
    }

    /// What it was measured with, as far as the file says so.
    #[must_use]
    pub fn datasets(&self) -> &[Vec<u8>] {
        &self.datasets
    }

    /// How many chunks of text it was measured on, as far as the file says so.
    #[must_use]
    pub fn chunks(&self) -> Option<u32> {
        self.chunks
    }

    /// Numbers that there are for a tensor: columns times matrices. `None` where it has no importance.
    #[must_use]
    pub fn numbers_of(&self, name: &[u8]) -> Option<u64> {
        self.entries.get(name).map(|entry| entry.sums.len / 4)
    }

    /// Matrices that the numbers of a tensor were counted for; `None` where it has no importance, and in the older form, which
    /// does not say so.
    #[must_use]
    pub fn matrices_of(&self, name: &[u8]) -> Option<u64> {
        match self.entries.get(name)?.counts {
            Counts::Calls(_) => None,
            Counts::Each(span) => Some(span.len / 4),
        }
    }

    /// The first of so many matrices of a tensor by whose numbers nothing can be encoded, and what is the matter with them.
    ///
    /// # Errors
    /// The system's, and [`ImportanceError::Length`] where there are not so many.
    pub fn extreme(
        &self,
        name: &[u8],
        columns: usize,
        matrices: u64,
    ) -> Result<Option<(u64, Extreme)>, ImportanceError> {
        let mut numbers = Vec::new();
        for matrix in 0..matrices {
            self.columns(name, columns, matrix, &mut numbers)?;
            if let Some((column, number)) = (0..).zip(&numbers).find(|(_, number)| **number > MOST) {
                return Ok(Some((matrix, Extreme::Huge { column, number: *number })));
            }
            if numbers.iter().all(|number| *number < LEAST) {
                return Ok(Some((matrix, Extreme::Faint)));
            }
        }
        Ok(None)
    }

    /// Keeps the tensors whose names `keep` accepts.
    pub fn retain(&mut self, keep: impl Fn(&[u8]) -> bool) {
        self.entries.retain(|name, _| keep(name));
    }

    /// The importance of the columns of one matrix, into `out`: the mean of what was measured, 1 for a matrix that was never
    /// called. `columns` and `matrix` are as the tensor has them.
    ///
    /// # Errors
    /// The system's, and [`ImportanceError::Length`] where there is no such matrix.
    pub fn columns(
        &self,
        name: &[u8],
        columns: usize,
        matrix: u64,
        out: &mut Vec<f32>,
    ) -> Result<(), ImportanceError> {
        out.clear();
        let wrong = || ImportanceError::Length {
            name: name.to_vec(),
            found: self.numbers_of(name).unwrap_or(0),
            needed: columns as u64,
        };
        let entry = self.entries.get(name).ok_or_else(wrong)?;
        let len = (columns as u64).saturating_mul(4);
        let from = matrix.saturating_mul(len);
        if from.saturating_add(len) > entry.sums.len {
            return Err(wrong());
        }
        self.floats(Span::new(entry.sums.start.saturating_add(from), len), &mut |number| out.push(number))?;
        let divisor = match &entry.counts {
            Counts::Calls(calls) if *calls > 0 => Some(*calls as f32),
            Counts::Calls(_) => return Ok(()),
            Counts::Each(span) => {
                // One count for all, or one for each.
                let own = if span.len == 4 { 0 } else { matrix.saturating_mul(4) };
                let mut count = 0.0;
                let at = Span::new(span.start.saturating_add(own), 4);
                self.floats(at, &mut |number| count = number.round())?;
                (count > 0.0).then_some(count)
            }
        };
        match divisor {
            Some(divisor) => out.iter_mut().for_each(|number| *number /= divisor),
            None => out.fill(1.0),
        }
        Ok(())
    }

    /// Looks at all numbers.
    fn look(&self) -> Result<(), ImportanceError> {
        for (name, entry) in &self.entries {
            let mut at = 0_u64;
            let mut odd = None;
            let mut see = |number: f32| {
                if odd.is_none() && !(number.is_finite() && number >= 0.0) {
                    odd = Some((at, number));
                }
                at = at.saturating_add(1);
            };
            self.floats(entry.sums, &mut see)?;
            if let Counts::Each(span) = &entry.counts {
                self.floats(*span, &mut |number| {
                    if odd.is_none() && !(number.is_finite() && number >= 0.0) {
                        odd = Some((at, number));
                    }
                })?;
            }
            if let Some((at, number)) = odd {
                return Err(ImportanceError::Number { name: name.clone(), at, number });
            }
        }
        Ok(())
    }

    fn floats(&self, span: Span, take: &mut dyn FnMut(f32)) -> Result<(), ImportanceError> {
        let mut buffer = vec![0; AT_ONCE.min(usize::try_from(span.len).unwrap_or(AT_ONCE))];
        let mut at = span.start;
        while at < span.end() {
            let want = usize::try_from(span.end().saturating_sub(at)).unwrap_or(AT_ONCE).min(buffer.len());
            let part = buffer.get_mut(..want).unwrap_or_default();
            if read_full(&self.source, part, at)? < want {
                return Err(ImportanceError::Ended { offset: at, needed: want as u64 });
            }
            for bytes in part.as_chunks::<4>().0 {
                take(if self.big_endian { f32::from_be_bytes(*bytes) } else { f32::from_le_bytes(*bytes) });
            }
            at = at.saturating_add(want as u64);
        }
        Ok(())
    }
}

/// Length of a file that can be read at any place.
fn length(source: &FileSource) -> Result<u64, ImportanceError> {
    source.size().ok_or_else(|| std::io::Error::from(std::io::ErrorKind::NotSeekable).into())
}

#[cfg(test)]
mod tests;
