//! Finding the point of a codebook for numbers that are close to it.

/// Where every possible point is, seen from a codebook: in it, or near which of its points (`kmap` and `kneighbours` of
/// `iq2xs_init_impl` and `iq3xs_init_impl` in C).
#[derive(Debug)]
pub(crate) struct Lookup<const D: usize, const LEVELS: usize> {
    /// The digits of the points of the book.
    points: Vec<[u8; D]>,
    /// By the number that the digits of a possible point make, the first digit the lowest.
    places: Vec<Place>,
    /// Points, a run of them for each place that is not in the book.
    neighbours: Vec<u16>,
}

#[derive(Debug, Clone, Copy)]
enum Place {
    Point(u16),
    Near { first: u32, count: u32 },
}

/// What a codebook has for some digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found<'a> {
    /// The point itself.
    Point(u16),
    /// The points nearest to it: the nearer ones first, those at one distance by their index.
    Near(&'a [u16]),
}

impl<const D: usize, const LEVELS: usize> Lookup<D, LEVELS> {
    /// Makes the table of a book whose digits stand for `levels`. A possible point that is not in the book is near all
    /// points at the `shells` smallest distances that there are.
    pub(crate) fn new(book: &[[i8; D]], levels: [i8; LEVELS], shells: usize) -> Self {
        let digit = |value: i8| levels.iter().position(|level| *level == value).unwrap_or(0) as u8;
        let points: Vec<[u8; D]> = book.iter().map(|point| point.map(digit)).collect();
        let mut indices = vec![None; LEVELS.pow(D as u32)];
        for (index, point) in points.iter().enumerate() {
            indices[number::<D, LEVELS>(point)] = Some(index as u16);
        }
        let mut neighbours = Vec::new();
        let mut distances = Vec::with_capacity(points.len());
        let mut digits = [0; D];
        let places = indices.iter().map(|index| {
            let here = digits;
            increment::<D, LEVELS>(&mut digits);
            if let Some(index) = index {
                return Place::Point(*index);
            }
            let first = neighbours.len();
            distances.clear();
            distances.extend(points.iter().map(|point| distance(point, &here)));
            let mut shell = None;
            for _ in 0..shells {
                shell = distances.iter().copied().filter(|&d| shell.is_none_or(|shell| d > shell)).min();
                let Some(shell) = shell else { break };
                let at = distances.iter().enumerate().filter(|(_, d)| **d == shell);
                neighbours.extend(at.map(|(index, _)| index as u16));
            }
            Place::Near { first: first as u32, count: (neighbours.len() - first) as u32 }
        });
        let places = places.collect();
        Self { points, places, neighbours }
    }

    /// The point with these digits, or those near it.
    #[inline]
    pub(crate) fn find(&self, digits: &[u8; D]) -> Found<'_> {
        match self.places.get(number::<D, LEVELS>(digits)) {
            Some(&Place::Point(index)) => Found::Point(index),
            Some(&Place::Near { first, count }) => {
                Found::Near(self.neighbours.get(first as usize..(first + count) as usize).unwrap_or(&[]))
            }
            None => Found::Near(&[]),
        }
    }

    /// The digits of a point.
    #[inline]
    pub(crate) fn digits(&self, point: u16) -> [u8; D] {
        self.points.get(usize::from(point)).copied().unwrap_or([0; D])
    }
}

/// The number that digits make, the first one the lowest.
#[inline]
fn number<const D: usize, const LEVELS: usize>(digits: &[u8; D]) -> usize {
    digits.iter().rev().fold(0, |number, digit| number * LEVELS + usize::from(*digit))
}

fn increment<const D: usize, const LEVELS: usize>(digits: &mut [u8; D]) {
    for digit in digits {
        *digit = (*digit + 1) % LEVELS as u8;
        if *digit != 0 {
            break;
        }
    }
}

/// The square of the distance between two points, in steps of a digit.
fn distance<const D: usize>(a: &[u8; D], b: &[u8; D]) -> u16 {
    a.iter().zip(b).map(|(a, b)| u16::from(a.abs_diff(*b)).pow(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the nine points of two digits below three, those on the diagonal and one beside it.
    #[test]
    fn neighbours_come_shell_by_shell() {
        let book = [[0, 0], [5, 5], [9, 5], [9, 9]];
        let lookup = Lookup::<2, 3>::new(&book, [0, 5, 9], 1);
        assert_eq!(lookup.find(&[2, 1]), Found::Point(2));
        assert_eq!(lookup.digits(2), [2, 1]);
        assert_eq!(lookup.find(&[0, 1]), Found::Near(&[0, 1]));
        assert_eq!(lookup.find(&[2, 0]), Found::Near(&[2]));
        let lookup = Lookup::<2, 3>::new(&book, [0, 5, 9], 2);
        // At distances 1: 2; at 2: 1; what is at 4 is left out.
        assert_eq!(lookup.find(&[2, 0]), Found::Near(&[2, 1]));
        assert_eq!(lookup.find(&[0, 1]), Found::Near(&[0, 1, 2]));
    }
}
