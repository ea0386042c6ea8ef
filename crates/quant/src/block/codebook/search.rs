//! What the encoders of the IQ2 and IQ3 types have in common, from the values of sixteen groups to their points and signs.

use super::N;
use super::magnitudes::{Magnitudes, sum_of_squares, weigh};
use crate::block::batch::Batch;
use crate::grid::lookup::Lookup;
use crate::scale::points::{Group, Tries, fit};
use crate::scale::positive::positive;
use crate::wide::{Sixteen, WIDTH};

/// How a type looks at its groups.
pub(super) struct Way {
    /// Whether the number of signs of eight values is made even, as one of them is not stored.
    pub(super) even_signs: bool,
    /// The variance is so many times the mean square of the block.
    pub(super) variance: f32,
    /// How much a value matters where nothing is known of its column, from the variance and the value.
    pub(super) plain_weight: fn(f32, f32) -> f32,
    /// A group with a largest magnitude below this is taken for zeros.
    pub(super) almost_zero: f32,
    /// Where the tries set out from.
    pub(super) start: Start,
    pub(super) tries: Tries,
}

/// Where the tries set out from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// The largest magnitude.
    Largest,
    /// The largest number that the scale reaches which is best without a book, for numbers up to 4.
    Reached,
}

/// What was found for a group.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Found {
    /// Not below zero.
    pub(super) scale: f32,
    /// Of eight, as many as the group has.
    pub(super) points: [u16; 8],
    /// A byte for each eight values: bit i tells that the `i`th is negative. Of four, as many as there are.
    pub(super) signs: [u8; 4],
    /// Whether it is taken for zeros; all else is zero then.
    pub(super) is_zero: bool,
}

/// Looks at the groups of `G` values of the blocks of a batch.
#[inline(always)]
pub(super) fn search<L: Sixteen, const P: usize, const G: usize, const D: usize, const LEVELS: usize>(
    batch: &Batch<'_, P, N>,
    way: &Way,
    book: &Lookup<D, LEVELS>,
) -> [Found; WIDTH] {
    let mut groups = [Group { x: [0.0; G], weight: [0.0; G], start: None }; WIDTH];
    let mut found = [Found::default(); WIDTH];
    let top = (2 * LEVELS - 1) as f32;
    let mut slots = groups.iter_mut().zip(&mut found);
    for (i, block) in batch.values.iter().enumerate() {
        let variance = way.variance * sum_of_squares(block) / N as f32;
        for (j, values) in block.as_chunks::<G>().0.iter().enumerate() {
            let Some((group, found)) = slots.next() else { break };
            group.weight = match &batch.importance {
                Some(columns) => weigh(values, &columns[i][G * j..], variance),
                None => values.map(|x| (way.plain_weight)(variance, x)),
            };
            let magnitudes = match way.even_signs {
                true => Magnitudes::even(values, &group.weight),
                false => Magnitudes::new(values),
            };
            group.x = magnitudes.x;
            let largest = magnitudes.largest();
            // What is not a number is below nothing and goes on.
            let is_zero = largest < way.almost_zero;
            let start = match way.start {
                _ if is_zero => None,
                Start::Largest => Some((largest, largest / top)),
                Start::Reached => {
                    let (scale, _) = positive(&group.x, &group.weight, LEVELS as i32 + 1);
                    Some((scale * LEVELS as f32, scale))
                }
            };
            group.start = start.filter(|(reached, _)| *reached > 0.0 || reached.is_nan());
            found.is_zero = group.start.is_none();
            found.signs = magnitudes.signs;
        }
    }
    let fits = fit::<L, G, D, LEVELS>(book, &groups, way.tries);
    let mask = if way.even_signs { 127 } else { 255 };
    for (found, fit) in found.iter_mut().zip(fits) {
        if found.is_zero {
            *found = Found { is_zero: true, ..Found::default() };
            continue;
        }
        (found.scale, found.points) = (fit.scale, fit.points);
        if found.scale < 0.0 {
            found.scale = -found.scale;
            found.signs = found.signs.map(|signs| !signs & mask);
        }
    }
    found
}
