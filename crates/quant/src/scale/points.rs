//! A scale for each group of magnitudes that are points of a codebook, `D` at a time; sixteen groups at once.
//!
//! What is searched is a scale `s` such that `s * (2 * digit + 1)` is close to every magnitude, weighed: books of the IQ2
//! and IQ3 types have digits that stand for about the odd numbers.

use crate::grid::lookup::{Found, Lookup, Neighbours};
use crate::wide::{Mask, Sixteen, WIDTH};

/// Which scales are tried, and what is done at the end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tries {
    /// How many scales are tried on either side of the one that puts the largest magnitude at the largest number.
    pub(crate) each_way: i8,
    /// How much farther or nearer each of them puts it.
    pub(crate) step: f32,
    /// Which points are chosen again for the scale that was best.
    pub(crate) again: Again,
}

/// Which points are chosen again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Again {
    /// All.
    All,
    /// All, unless each of the best ones was in the book as the magnitudes were rounded.
    AllIfAnyMissed,
    /// Those that were not in the book as the magnitudes were rounded.
    Missed,
}

/// A group to search a scale for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group<const G: usize> {
    pub(crate) x: [f32; G],
    pub(crate) weight: [f32; G],
    /// The number that the tries set out from, and the scale that is left if none of them is any good. `None` where there is
    /// nothing to search.
    pub(crate) start: Option<(f32, f32)>,
}

/// The scale of a group, and a point for each `D` of its magnitudes; of eight, as many as there are.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Fit {
    pub(crate) scale: f32,
    pub(crate) points: [u16; 8],
}

/// A set of lanes, a bit for each.
type LaneSet = u16;

/// Searches the scales.
///
/// Each try rounds the magnitudes to digits, takes the nearest point of the book where there is none with these digits, and
/// solves for the scale that suits the points best.
#[inline(always)]
pub(crate) fn fit<L: Sixteen, const G: usize, const D: usize, const LEVELS: usize>(
    book: &Lookup<D, LEVELS>,
    groups: &[Group<G>; WIDTH],
    tries: Tries,
) -> [Fit; WIDTH] {
    let search = Search::<L, G, D, LEVELS>::new(book, groups);
    let count = G / D;
    let active = set(|lane| groups[lane].start.is_some());
    let largest = lanes::<L>(|lane| groups[lane].start.map_or(1.0, |start| start.0));
    let mut scale = lanes::<L>(|lane| groups[lane].start.map_or(0.0, |start| start.1));

    let top = (2 * LEVELS - 1) as f32;
    let mut best = L::zero();
    let mut points = [L::zero(); 8];
    // With nothing tried, points count as missed only where all are chosen again for it.
    let mut missed = [L::all(if tries.again == Again::AllIfAnyMissed { 1.0 } else { 0.0 }); 8];
    for number in -tries.each_way..=tries.each_way {
        let inverse = L::all(top + f32::from(number) * tries.step) / largest;
        let chosen = search.choose(inverse, L::all(1.0) / inverse, &[active; 8]);
        let (xq, qq) = search.sums(&chosen.digits);
        let better = qq.gt(L::zero()).and((xq * xq).gt(best * qq));
        let this = xq / qq;
        scale = better.select(this, scale);
        best = better.select(this * xq, best);
        for i in 0..count {
            points[i] = better.select(L::from_array(&chosen.points[i]), points[i]);
            missed[i] = better.select(L::from_array(&chosen.missed[i]), missed[i]);
        }
    }

    let mut scales = scale.to_array();
    let mut points = points.map(L::to_array);
    let missed = missed.map(|missed| {
        let missed = missed.to_array();
        set(|lane| missed[lane] != 0.0)
    });
    let any_missed = missed[..count].iter().fold(0, |any, missed| any | missed);
    let needed = active
        & set(|lane| scales[lane] > 0.0)
        & if tries.again == Again::All { LaneSet::MAX } else { any_missed };
    if needed != 0 {
        let wanted = missed.map(|missed| if tries.again == Again::Missed { missed & needed } else { needed });
        let mut chosen = search.choose(L::all(1.0) / scale, scale, &wanted);
        for i in 0..count {
            for (lane, point) in points[i].iter_mut().enumerate() {
                if wanted[i] >> lane & 1 == 1 {
                    *point = chosen.points[i][lane];
                } else {
                    search.put(&mut chosen.digits, i, lane, *point as u16);
                }
            }
        }
        let (xq, qq) = search.sums(&chosen.digits);
        let this = (xq / qq).to_array();
        let good = qq.to_array();
        for lane in 0..WIDTH {
            if needed >> lane & 1 == 1 && good[lane] > 0.0 {
                scales[lane] = this[lane];
            }
        }
    }
    let mut fits = [Fit::default(); WIDTH];
    for (lane, fit) in fits.iter_mut().enumerate() {
        fit.scale = scales[lane];
        for (point, points) in fit.points.iter_mut().zip(&points) {
            *point = points[lane] as u16;
        }
    }
    fits
}

#[inline(always)]
fn lanes<L: Sixteen>(number: impl Fn(usize) -> f32) -> L {
    let mut out = [0.0; WIDTH];
    for (lane, out) in out.iter_mut().enumerate() {
        *out = number(lane);
    }
    L::from_array(&out)
}

#[inline(always)]
fn set(is_in: impl Fn(usize) -> bool) -> LaneSet {
    (0..WIDTH).fold(0, |set, lane| set | LaneSet::from(is_in(lane)) << lane)
}

/// What all tries of a search look at.
struct Search<'a, L, const G: usize, const D: usize, const LEVELS: usize> {
    book: &'a Lookup<D, LEVELS>,
    groups: &'a [Group<G>; WIDTH],
    /// The roots of the weights, group by group.
    roots: [[f32; G]; WIDTH],
    /// Magnitudes, weights, and their products, side by side.
    x: [L; G],
    weight: [L; G],
    wx: [L; G],
}

/// Points for all groups; all numbers are floats, so that they can be chosen by lane.
struct Chosen<const G: usize> {
    points: [[f32; WIDTH]; 8],
    /// 1 where the magnitudes were rounded to what is not in the book.
    missed: [[f32; WIDTH]; 8],
    digits: [[f32; WIDTH]; G],
}

impl<'a, L: Sixteen, const G: usize, const D: usize, const LEVELS: usize> Search<'a, L, G, D, LEVELS> {
    #[inline(always)]
    fn new(book: &'a Lookup<D, LEVELS>, groups: &'a [Group<G>; WIDTH]) -> Self {
        let (mut x, mut weight, mut wx) = ([L::zero(); G], [L::zero(); G], [L::zero(); G]);
        let mut roots = [[0.0; G]; WIDTH];
        for i in 0..G {
            x[i] = lanes(|lane| groups[lane].x[i]);
            weight[i] = lanes(|lane| groups[lane].weight[i]);
            wx[i] = weight[i] * x[i];
            for (roots, root) in roots.iter_mut().zip(weight[i].sqrt().to_array()) {
                roots[i] = root;
            }
        }
        Self { book, groups, roots, x, weight, wx }
    }

    /// Rounds the magnitudes for a scale and its inverse, and finds points for the lanes that are wanted of each.
    #[inline(always)]
    fn choose(&self, inverse: L, scale: L, wanted: &[LaneSet; 8]) -> Chosen<G> {
        let mut chosen =
            Chosen { points: [[0.0; WIDTH]; 8], missed: [[0.0; WIDTH]; 8], digits: [[0.0; WIDTH]; G] };
        let scales = scale.to_array();
        for (i, wanted) in wanted.iter().enumerate().take(G / D) {
            let mut number = L::zero();
            for j in (i * D..i * D + D).rev() {
                let digit =
                    (L::all(0.5) * (inverse * self.x[j] - L::all(1.0))).nearest_within(0, LEVELS as i32 - 1);
                chosen.digits[j] = digit.to_array();
                number = number * L::all(LEVELS as f32) + digit;
            }
            let numbers = number.to_array();
            let mut wanted = *wanted;
            while wanted != 0 {
                let lane = wanted.trailing_zeros() as usize & (WIDTH - 1);
                wanted &= wanted - 1;
                chosen.points[i][lane] = match self.book.at(numbers[lane] as usize) {
                    Found::Point(point) => f32::from(point),
                    Found::Near(near) => {
                        let (x, roots) = (self.groups[lane].x.as_chunks().0, self.roots[lane].as_chunks().0);
                        let point = closest(near, &x[i], &roots[i], scales[lane], |digit: L| {
                            digit + digit + L::all(1.0)
                        });
                        chosen.missed[i][lane] = 1.0;
                        self.put(&mut chosen.digits, i, lane, point);
                        f32::from(point)
                    }
                };
            }
        }
        chosen
    }

    /// Puts the digits of a point where those of its magnitudes are.
    #[inline(always)]
    fn put(&self, digits: &mut [[f32; WIDTH]; G], i: usize, lane: usize, point: u16) {
        for (digits, digit) in digits[i * D..].iter_mut().zip(self.book.digits(point)) {
            digits[lane] = f32::from(digit);
        }
    }

    /// The sums that tell the best scale for these digits.
    #[inline(always)]
    fn sums(&self, digits: &[[f32; WIDTH]; G]) -> (L, L) {
        let (mut xq, mut qq) = (L::zero(), L::zero());
        for (i, digits) in digits.iter().enumerate() {
            let digit = L::from_array(digits);
            let q = digit + digit + L::all(1.0);
            xq = xq + self.wx[i] * q;
            qq = qq + self.weight[i] * q * q;
        }
        (xq, qq)
    }
}

/// The first of the points whose weighted distance is least (`iq2_find_best_neighbour`, `iq3_find_best_neighbour`,
/// `iq1_find_best_neighbour2` in C). `number` tells what digits stand for.
///
/// Where no distance is a finite number the reference stops; here it is the first point of the book.
#[inline(always)]
pub(super) fn closest<L: Sixteen, const D: usize>(
    near: &[Neighbours<D>],
    x: &[f32; D],
    weight: &[f32; D],
    scale: f32,
    number: impl Fn(L) -> L,
) -> u16 {
    let (mut least, mut closest) = (f32::MAX, 0);
    for near in near {
        // Sixteen at once, each added up in its own order.
        let mut distance = L::zero();
        for ((digits, x), w) in near.digits.iter().zip(x).zip(weight) {
            let off = L::all(scale) * number(L::from_bytes(digits)) - L::all(*x);
            distance = distance + L::all(*w) * off * off;
        }
        let (smallest, lane) = distance.least();
        if smallest < least {
            (least, closest) = (smallest, near.points[lane & (WIDTH - 1)]);
        }
    }
    closest
}
