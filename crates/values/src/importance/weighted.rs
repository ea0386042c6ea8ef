//! Values as they count: each times the root of its column's importance, so that the error of such values is the error that
//! encoders by importance make small.

use std::io;
use std::ops::Range;

use ggufkit_format::ReadAt;

use super::ImportanceMatrix;
use crate::compare::{Side, Walk};
use crate::{Memory, Stretch, Stretches, Weights};

/// The values of a tensor, weighted.
#[derive(Debug)]
pub struct Weighted<'a, 's, S: ?Sized> {
    weights: &'a Weights<'s, S>,
    importance: &'a ImportanceMatrix,
    /// Rows of a matrix, and matrices.
    rows: u64,
    matrices: u64,
}

impl<'a, 's, S: ?Sized> Weighted<'a, 's, S> {
    /// The values of a tensor with so many rows in a matrix, and so many matrices, for which there is importance.
    pub fn new(
        weights: &'a Weights<'s, S>,
        importance: &'a ImportanceMatrix,
        rows: u64,
        matrices: u64,
    ) -> Self {
        Self { weights, importance, rows: rows.max(1), matrices: matrices.max(1) }
    }
}

impl<S: ReadAt<Error = io::Error> + Sync + ?Sized> Side for Weighted<'_, '_, S> {
    fn elements(&self) -> u64 {
        self.weights.elements()
    }

    fn walk<'m>(&'m self, elements: Range<u64>, memory: &'m mut Memory) -> Box<dyn Walk + 'm> {
        let stretches = self.weights.stretches(elements, memory);
        Box::new(Walking { of: self, stretches, matrix: None, roots: Vec::new(), values: Vec::new() })
    }
}

struct Walking<'m, 'a, 's, S: ?Sized> {
    of: &'m Weighted<'a, 's, S>,
    stretches: Stretches<'m, 's, 'm, S>,
    /// The matrix whose roots are held.
    matrix: Option<u64>,
    roots: Vec<f32>,
    values: Vec<f32>,
}

impl<S: ReadAt<Error = io::Error> + ?Sized> Walk for Walking<'_, '_, '_, S> {
    fn next_stretch(&mut self) -> Option<io::Result<Stretch<'_>>> {
        let stretch = match self.stretches.next_stretch()? {
            Ok(stretch) => stretch,
            Err(error) => return Some(Err(error)),
        };
        let at = stretch.at;
        let row = self.of.weights.row_elements().max(1);
        let columns = usize::try_from(row).unwrap_or(usize::MAX);
        self.values.clear();
        let (mut element, mut left) = (at, stretch.values);
        while !left.is_empty() {
            let matrix = (element / row / self.of.rows) % self.of.matrices;
            if self.matrix != Some(matrix) {
                let name = self.of.weights.name();
                if let Err(error) = self.of.importance.columns(name, columns, matrix, &mut self.roots) {
                    return Some(Err(io::Error::other(error)));
                }
                self.roots.iter_mut().for_each(|number| *number = number.sqrt());
                self.matrix = Some(matrix);
            }
            let column = usize::try_from(element % row).unwrap_or(usize::MAX);
            let roots = self.roots.get(column..).unwrap_or_default();
            let (these, rest) = left.split_at_checked(roots.len().max(1)).unwrap_or((left, &[]));
            self.values.extend(these.iter().zip(roots).map(|(value, root)| value * root));
            element = element.saturating_add(these.len() as u64);
            left = rest;
        }
        Some(Ok(Stretch { at, values: &self.values, blocks: &[], wide: None }))
    }
}
