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
    neighbours: Vec<Neighbours<D>>,
}

#[derive(Debug, Clone, Copy)]
enum Place {
    Point(u16),
    Near { first: u32, count: u32 },
}

/// What a codebook has for some digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found<'a, const D: usize> {
    /// The point itself.
    Point(u16),
    /// The points nearest to it: the nearer ones first, those at one distance by their index.
    Near(&'a [Neighbours<D>]),
}

/// Sixteen points; where there are fewer, the last one again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Neighbours<const D: usize> {
    pub(crate) points: [u16; 16],
    /// For each digit, those of the points.
    pub(crate) digits: [[u8; 16]; D],
}

impl<const D: usize, const LEVELS: usize> Lookup<D, LEVELS> {
    /// Makes the table of a book whose digits stand for `levels`. A possible point that is not in the book is near all
    /// points at the `shells` smallest distances that there are.
    pub(crate) fn new(book: &[[i8; D]], levels: [i8; LEVELS], shells: usize) -> Self {
        let digit = |value: i8| levels.iter().position(|level| *level == value).unwrap_or(0) as u8;
        let points: Vec<[u8; D]> = book.iter().map(|point| point.map(digit)).collect();
        let numbers: Vec<usize> = points.iter().map(number::<D, LEVELS>).collect();
        let mut places = vec![Place::Near { first: 0, count: 0 }; LEVELS.pow(D as u32)];
        for (index, &number) in numbers.iter().enumerate() {
            places[number] = Place::Point(index as u16);
        }
        let mut search = Search::new::<D, LEVELS>(&numbers, shells);
        let mut neighbours = Vec::new();
        for (number, place) in places.iter_mut().enumerate() {
            if let Place::Near { first, count } = place {
                let found = search.near(number);
                *first = neighbours.len() as u32;
                neighbours.extend(found.chunks(16).map(|found| {
                    let point = |i: usize| found[i.min(found.len() - 1)].1;
                    let digits = |digit: usize| std::array::from_fn(|i| points[usize::from(point(i))][digit]);
                    Neighbours { points: std::array::from_fn(point), digits: std::array::from_fn(digits) }
                }));
                *count = neighbours.len() as u32 - *first;
            }
        }
        Self { points, places, neighbours }
    }

    /// The point with these digits, or those near it.
    #[inline(always)]
    pub(crate) fn find(&self, digits: &[u8; D]) -> Found<'_, D> {
        self.at(number::<D, LEVELS>(digits))
    }

    /// The same for the number that the digits make, the first one the lowest.
    #[inline(always)]
    pub(crate) fn at(&self, number: usize) -> Found<'_, D> {
        match self.places.get(number) {
            Some(&Place::Point(index)) => Found::Point(index),
            Some(&Place::Near { first, count }) => {
                Found::Near(self.neighbours.get(first as usize..(first + count) as usize).unwrap_or(&[]))
            }
            None => Found::Near(&[]),
        }
    }

    /// The digits of a point.
    #[inline(always)]
    pub(crate) fn digits(&self, point: u16) -> [u8; D] {
        self.points.get(usize::from(point)).copied().unwrap_or([0; D])
    }
}

/// The number that digits make, the first one the lowest.
#[inline(always)]
fn number<const D: usize, const LEVELS: usize>(digits: &[u8; D]) -> usize {
    digits.iter().rev().fold(0, |number, digit| number * LEVELS + usize::from(*digit))
}

/// Finds the points nearest to a place.
///
/// The square of a distance is the sum of those of two halves of the digits, which a table has; points with the same upper
/// half stand together, and are passed over when that half alone is too far away.
struct Search {
    shells: usize,
    /// How many numbers half of the digits make.
    half: usize,
    /// The squares of the distances between them.
    squares: Vec<u16>,
    /// For each upper half, the points that have it: their lower halves and indices.
    groups: Vec<Vec<(usize, u16)>>,
    found: Vec<(u16, u16)>,
}

impl Search {
    fn new<const D: usize, const LEVELS: usize>(numbers: &[usize], shells: usize) -> Self {
        let half = LEVELS.pow(D as u32 / 2);
        let square = |mut a: usize, mut b: usize| {
            let mut sum = 0;
            while a != b {
                sum += (a % LEVELS).abs_diff(b % LEVELS).pow(2) as u16;
                (a, b) = (a / LEVELS, b / LEVELS);
            }
            sum
        };
        let squares = (0..half * half).map(|pair| square(pair / half, pair % half)).collect();
        let mut groups = vec![Vec::new(); half];
        for (index, number) in numbers.iter().enumerate() {
            groups[number / half].push((number % half, index as u16));
        }
        Self { shells, half, squares, groups, found: Vec::new() }
    }

    /// Squares of distances and points, the nearer ones first, those at one distance by their index.
    fn near(&mut self, number: usize) -> &[(u16, u16)] {
        let row = |half: usize| &self.squares[half * self.half..][..self.half];
        let (low, high) = (row(number % self.half), row(number / self.half));
        // The smallest distances so far, ascending.
        let mut shells = Vec::with_capacity(self.shells + 1);
        let mut limit = u16::MAX;
        self.found.clear();
        for (group, &base) in self.groups.iter().zip(high) {
            if base > limit {
                continue;
            }
            for &(half, index) in group {
                let square = base + low[half];
                if square > limit {
                    continue;
                }
                self.found.push((square, index));
                if let Err(at) = shells.binary_search(&square) {
                    shells.insert(at, square);
                    shells.truncate(self.shells);
                    if shells.len() == self.shells {
                        limit = shells.last().copied().unwrap_or(u16::MAX);
                    }
                }
            }
        }
        self.found.retain(|(square, _)| *square <= limit);
        self.found.sort_unstable();
        &self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(found: Found<'_, 2>) -> Vec<u16> {
        match found {
            Found::Point(_) => Vec::new(),
            Found::Near(neighbours) => {
                let mut points = neighbours.iter().flat_map(|found| found.points).collect::<Vec<_>>();
                points.dedup();
                points
            }
        }
    }

    /// Of the nine points of two digits below three, those on the diagonal and one beside it.
    #[test]
    fn neighbours_come_shell_by_shell() {
        let book = [[0, 0], [5, 5], [9, 5], [9, 9]];
        let lookup = Lookup::<2, 3>::new(&book, [0, 5, 9], 1);
        assert_eq!(lookup.find(&[2, 1]), Found::Point(2));
        assert_eq!(lookup.digits(2), [2, 1]);
        assert_eq!(points(lookup.find(&[0, 1])), [0, 1]);
        assert_eq!(points(lookup.find(&[2, 0])), [2]);
        let lookup = Lookup::<2, 3>::new(&book, [0, 5, 9], 2);
        // At the square 1: 2; at 2: 1; what is at 4 is left out.
        assert_eq!(points(lookup.find(&[2, 0])), [2, 1]);
        assert_eq!(points(lookup.find(&[0, 1])), [0, 1, 2]);
        let Found::Near(found) = lookup.find(&[2, 0]) else { panic!("[2, 0] is in the book") };
        assert_eq!([&found[0].digits[0][..3], &found[0].digits[1][..3]], [[2, 1, 1], [1, 1, 1]]);
    }
}
