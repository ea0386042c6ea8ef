//! Cutting tensors into units of work, for a few threads, with results in order.

use std::cell::RefCell;
use std::io;
use std::num::NonZeroUsize;
use std::ops::Range;

use ggufkit_io::map_many;

use crate::Memory;

/// Elements of a unit: enough to be worth handing out, few enough to keep threads evenly busy. A multiple of every block.
pub(crate) const UNIT: u64 = 1 << 18;

/// Units between which results are put together: a model of any size has only so many waiting.
const BATCH: usize = 512;

/// Tensors that a batch begins at most: each has something of its own that grows.
const OPEN: usize = 16;

thread_local! {
    static MEMORY: RefCell<[Memory; 2]> = RefCell::default();
}

/// A unit: which piece of work it belongs to (a tensor, a pair of them), and its elements.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) of: usize,
    pub(crate) elements: Range<u64>,
    /// Whether it is the last of its piece of work.
    pub(crate) last: bool,
}

/// The units of pieces of work of so many elements, in order. A piece without elements has one unit without any.
fn units(elements: &[u64]) -> impl Iterator<Item = Unit> {
    elements.iter().enumerate().flat_map(|(of, total)| {
        (0..total.div_ceil(UNIT).max(1)).map(move |number| {
            let start = number.saturating_mul(UNIT);
            let end = start.saturating_add(UNIT).min(*total);
            Unit { of, elements: start..end, last: end == *total }
        })
    })
}

/// Does `work` on every unit of pieces of work that have so many elements, by at most `threads` threads, and hands the
/// results to `take` in order.
pub(crate) fn each<T: Send>(
    elements: &[u64],
    threads: NonZeroUsize,
    work: &(dyn Fn(&Unit, &mut [Memory; 2]) -> io::Result<T> + Sync),
    take: &mut dyn FnMut(&Unit, io::Result<T>),
) {
    let mut units = units(elements).peekable();
    while units.peek().is_some() {
        let mut batch: Vec<Unit> = Vec::new();
        let mut open = 0_usize;
        while batch.len() < BATCH && open < OPEN {
            let Some(unit) = units.next() else { break };
            open = open.saturating_add(usize::from(unit.last));
            batch.push(unit);
        }
        let results = map_many(batch.len(), threads, &|at| match batch.get(at) {
            Some(unit) => MEMORY.with_borrow_mut(|memory| work(unit, memory)),
            None => Err(io::ErrorKind::InvalidInput.into()),
        });
        for (unit, result) in batch.iter().zip(results) {
            take(unit, result);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_in_one_unit_and_the_results_are_in_order() {
        let sizes = [0, 1, UNIT, UNIT + 1, 3 * UNIT, 0];
        let mut seen = Vec::new();
        let two = NonZeroUsize::new(2).unwrap();
        each(&sizes, two, &|unit, _| Ok(unit.elements.clone()), &mut |unit, result| {
            assert_eq!(result.unwrap(), unit.elements);
            seen.push((unit.of, unit.elements.clone(), unit.last));
        });
        let expected = [
            (0, 0..0, true),
            (1, 0..1, true),
            (2, 0..UNIT, true),
            (3, 0..UNIT, false),
            (3, UNIT..UNIT + 1, true),
            (4, 0..UNIT, false),
            (4, UNIT..2 * UNIT, false),
            (4, 2 * UNIT..3 * UNIT, true),
            (5, 0..0, true),
        ];
        assert_eq!(seen, expected);
    }
}
