//! Mean and spread of values, from sums of powers.

use ggufkit_quant::registers::{Doubles, Floats, LANES, Pass, widest};

/// Count, mean and central moments of finite values, in `f64`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Moments {
    /// Values.
    pub count: u64,
    /// Their mean; 0 without values.
    pub mean: f64,
    /// Sum of the second, third and fourth powers of the distances from the mean.
    sums: [f64; 3],
}

/// Sums of the powers of finite values that are not far from zero, as weights are.
///
/// What a float's square is has its place in a double, so that the sums which mean and deviation come from are exact but for the
/// additions. The third and the fourth powers are summed as floats, a part at a time, and these sums as doubles: of the shape,
/// six digits are enough. Where as many are enough of all of them, values and squares are summed so, too, in shorter parts: the
/// conversion to doubles takes half of all operations.
pub(super) struct Powers<D> {
    first: [D; 4],
    second: [D; 4],
    third: D,
    fourth: D,
    zeros: u64,
}

/// How values and squares are summed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sums {
    /// Each as a double.
    Doubles,
    /// Some hundred together as floats, and these sums as doubles: to six digits at least.
    Floats,
}

/// Chunks that are summed as floats: each lane is rounded half as often as there are chunks, so that sums of what has one sign are
/// off by a millionth at most, and by far less where roundings differ.
const TOGETHER: usize = 32;

/// Adds the four powers.
#[inline(always)]
fn powers<F: Floats>([first, second, third, fourth]: [F; 4], values: F) -> [F; 4] {
    let squares = values * values;
    [first + values, second + squares, third + squares * values, fourth + squares * squares]
}

/// Adds third and fourth powers.
#[inline(always)]
fn shape<F: Floats>([third, fourth]: [F; 2], values: F) -> [F; 2] {
    let squares = values * values;
    [third + squares * values, fourth + squares * squares]
}

/// Magnitudes whose fourth powers floats hold; what is smaller than the least by far does not matter beside that.
const HELD: std::ops::Range<f32> = 1e-6..1e9;

impl<D: Doubles> Powers<D> {
    #[inline(always)]
    pub(super) fn none() -> Self {
        let none = D::all(0.0);
        Self { first: [none; 4], second: [none; 4], third: none, fourth: none, zeros: 0 }
    }

    /// Adds a part of the values: a few hundred, or a thousand.
    #[inline(always)]
    pub(super) fn add(&mut self, values: &[f32], sums: Sums) {
        let (chunks, rest) = values.as_chunks();
        match sums {
            Sums::Doubles => self.add_chunks(chunks),
            Sums::Floats => self.add_roughly(chunks),
        }
        if !rest.is_empty() {
            let mut chunk = [0.0; 2 * LANES];
            for (out, value) in chunk.iter_mut().zip(rest) {
                *out = *value;
            }
            self.add_chunks(&[chunk]);
            // What is filled up with is no zero of the values.
            self.zeros = self.zeros.wrapping_sub(chunk.len().saturating_sub(rest.len()) as u64);
        }
    }

    /// Adds all four powers as floats, [`TOGETHER`] chunks at a time.
    #[inline(always)]
    fn add_roughly(&mut self, chunks: &[[f32; 2 * LANES]]) {
        let nothing = D::Floats::of(&[0.0; 2 * LANES]);
        let mut zeros = D::Floats::none();
        let ([mut a, mut b, c, d], [mut e, mut f, g, h]) = (self.first, self.second);
        for chunks in chunks.chunks(TOGETHER) {
            // Two chunks at a time, each to sums of its own, so that an addition does not wait for the one before.
            let (mut one, mut two) = ([nothing; 4], [nothing; 4]);
            let (pairs, last) = chunks.as_chunks::<2>();
            for [a, b] in pairs {
                let (a, b) = (D::Floats::of(a), D::Floats::of(b));
                one = powers(one, a);
                two = powers(two, b);
                zeros = b.count_zeros(a.count_zeros(zeros));
            }
            for chunk in last {
                let values = D::Floats::of(chunk);
                one = powers(one, values);
                zeros = values.count_zeros(zeros);
            }
            let halves = |one: D::Floats, two: D::Floats| D::halves(&(one + two).lanes());
            let ([s1, s2, s3, s4], [t1, t2, t3, t4]) = (one, two);
            let ([i, j], [k, l]) = (halves(s1, t1), halves(s2, t2));
            (a, b, e, f) = (a + i, b + j, e + k, f + l);
            let ([i, j], [k, l]) = (halves(s3, t3), halves(s4, t4));
            (self.third, self.fourth) = (self.third + (i + j), self.fourth + (k + l));
        }
        (self.first, self.second) = ([a, b, c, d], [e, f, g, h]);
        self.zeros = self.zeros.wrapping_add(D::Floats::counted(zeros));
    }

    #[inline(always)]
    fn add_chunks(&mut self, chunks: &[[f32; 2 * LANES]]) {
        // Two chunks at a time, each to sums of its own, so that an addition does not wait for the one before.
        let (pairs, last) = chunks.as_chunks::<2>();
        let nothing = D::Floats::of(&[0.0; 2 * LANES]);
        let (mut one, mut two) = ([nothing; 2], [nothing; 2]);
        let mut zeros = D::Floats::none();
        for [a, b] in pairs {
            let (a, b) = (D::Floats::of(a), D::Floats::of(b));
            one = shape(one, a);
            two = shape(two, b);
            zeros = b.count_zeros(a.count_zeros(zeros));
        }
        for chunk in last {
            let values = D::Floats::of(chunk);
            one = shape(one, values);
            zeros = values.count_zeros(zeros);
        }
        let ([third, fourth], [third_two, fourth_two]) = (one, two);
        for (sum, floats) in [(&mut self.third, third + third_two), (&mut self.fourth, fourth + fourth_two)] {
            let [one, two] = D::halves(&floats.lanes());
            *sum = *sum + (one + two);
        }
        self.zeros = self.zeros.wrapping_add(D::Floats::counted(zeros));
        // By itself: compilers take halves of registers from each other, which costs more than to read the values again.
        let ([mut a, mut b, mut c, mut d], [mut e, mut f, mut g, mut h]) = (self.first, self.second);
        for [one, two] in pairs {
            let ([i, j], [k, l]) = (D::halves(one), D::halves(two));
            (a, b, c, d) = (a + i, b + j, c + k, d + l);
            (e, f) = (e.plus_product(i, i), f.plus_product(j, j));
            (g, h) = (g.plus_product(k, k), h.plus_product(l, l));
        }
        for chunk in last {
            let [i, j] = D::halves(chunk);
            (a, b) = (a + i, b + j);
            (e, f) = (e.plus_product(i, i), f.plus_product(j, j));
        }
        (self.first, self.second) = ([a, b, c, d], [e, f, g, h]);
    }

    /// Zeros of either sign.
    pub(super) fn zeros(&self) -> u64 {
        self.zeros
    }

    /// The moments of `count` values of which `reach` is the largest magnitude. `None` where the sums do not tell them: where the
    /// mean is far from zero beside the spread, or where there were numbers that floats do not hold the powers of.
    #[inline(always)]
    pub(super) fn moments(self, count: u64, reach: f32) -> Option<Moments> {
        let [first, second] = [self.first, self.second].map(|[a, b, c, d]| ((a + c) + (b + d)).sum());
        let n = count as f64;
        let held = HELD.contains(&reach) || reach == 0.0;
        (held && first * first <= 0.25 * n * second)
            .then(|| Moments::about(0.0, count, [first, second, self.third.sum(), self.fourth.sum()]))
    }
}

struct OfFinite<'a>(&'a [f32]);

impl Pass for OfFinite<'_> {
    type Output = Moments;

    #[inline(always)]
    fn run<D: Doubles>(self) -> Moments {
        let Self(values) = self;
        let Some(first) = values.first() else { return Moments::default() };
        // About a value that is among them, powers stay as small as the spread is.
        let pivot = f64::from(*first);
        let (mut s1, mut s2, mut s3, mut s4) = (D::all(0.0), D::all(0.0), D::all(0.0), D::all(0.0));
        let (chunks, rest) = values.as_chunks();
        for chunk in chunks {
            let d = D::of(chunk) - D::all(pivot);
            let d2 = d * d;
            s1 = s1 + d;
            s2 = s2 + d2;
            s3 = s3 + d2 * d;
            s4 = s4 + d2 * d2;
        }
        let mut sums = [s1.sum(), s2.sum(), s3.sum(), s4.sum()];
        for value in rest {
            add_powers(&mut sums, f64::from(*value) - pivot);
        }
        Moments::about(pivot, values.len() as u64, sums)
    }
}

/// Adds four powers of a distance.
#[inline(always)]
fn add_powers([s1, s2, s3, s4]: &mut [f64; 4], d: f64) {
    *s1 += d;
    *s2 += d * d;
    *s3 += d * d * d;
    *s4 += d * d * d * d;
}

impl Moments {
    /// The moments of finite values.
    #[must_use]
    pub fn of(values: &[f32]) -> Self {
        widest(OfFinite(values))
    }

    /// The moments of finite doubles.
    pub(super) fn of_doubles(values: &[f64]) -> Self {
        if values.is_empty() {
            return Self::default();
        }
        let count = values.len() as f64;
        let (chunks, rest) = values.as_chunks::<LANES>();
        let mut lanes = [0.0; LANES];
        for chunk in chunks {
            for (sum, value) in lanes.iter_mut().zip(chunk) {
                *sum += value;
            }
        }
        let mean = lanes.iter().chain(rest).sum::<f64>() / count;
        // A sum of doubles may have no place in one: then each by itself.
        let mean = if mean.is_finite() { mean } else { values.iter().map(|value| value / count).sum() };
        // Some lanes side by side, so that an addition does not wait for the one before.
        let mut lanes = [[0.0; 4]; LANES];
        for chunk in chunks {
            for (sums, value) in lanes.iter_mut().zip(chunk) {
                add_powers(sums, value - mean);
            }
        }
        let mut sums = [0.0; 4];
        for value in rest {
            add_powers(&mut sums, value - mean);
        }
        for lane in lanes {
            for (sum, lane) in sums.iter_mut().zip(lane) {
                *sum += lane;
            }
        }
        if sums[0].is_finite() {
            Self::about(mean, values.len() as u64, sums)
        } else {
            Self { count: values.len() as u64, mean, sums: [f64::INFINITY; 3] }
        }
    }

    /// The moments of values by the sums of the powers of their distances from a number.
    fn about(pivot: f64, count: u64, [s1, s2, s3, s4]: [f64; 4]) -> Self {
        let n = count as f64;
        let m = s1 / n;
        // Where doubles do not hold a sum, it stays not a number, and no largest number is made of it.
        let positive = |sum: f64| if sum < 0.0 { 0.0 } else { sum };
        let second = positive(s2 - s1 * m);
        let third = s3 - 3.0 * m * s2 + 2.0 * n * m * m * m;
        let fourth = positive(s4 - 4.0 * m * s3 + 6.0 * m * m * s2 - 3.0 * n * m * m * m * m);
        Self { count, mean: pivot + m, sums: [second, third, fourth] }
    }

    /// The moments of both sets of values together (Chan et al. 1979, Pébay 2008).
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        if self.count == 0 || other.count == 0 {
            return if self.count == 0 { *other } else { *self };
        }
        let (a, b) = (self.count as f64, other.count as f64);
        let n = a + b;
        let ([a2, a3, a4], [b2, b3, b4]) = (self.sums, other.sums);
        let d = other.mean - self.mean;
        let (d2, ab) = (d * d, a * b);
        let second = a2 + b2 + d2 * ab / n;
        let third = a3 + b3 + d2 * d * ab * (a - b) / (n * n) + 3.0 * d * (a * b2 - b * a2) / n;
        let fourth = a4
            + b4
            + d2 * d2 * ab * (a * a - ab + b * b) / (n * n * n)
            + 6.0 * d2 * (a * a * b2 + b * b * a2) / (n * n)
            + 4.0 * d * (a * b3 - b * a3) / n;
        Self {
            count: self.count.saturating_add(other.count),
            mean: self.mean + d * b / n,
            sums: [second, third, fourth],
        }
    }

    /// The mean; `None` without values, and where a double does not hold the sum.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then_some(self.mean).filter(|mean| mean.is_finite())
    }

    /// The standard deviation of the values themselves (divided by their number); `None` without values, and where a double does
    /// not hold the sum of squares.
    #[must_use]
    pub fn std(&self) -> Option<f64> {
        (self.count > 0).then(|| (self.sums[0] / self.count as f64).sqrt()).filter(|std| std.is_finite())
    }

    /// The root of the mean square; `None` where there is no deviation.
    #[must_use]
    pub fn rms(&self) -> Option<f64> {
        let square = self.mean * self.mean + self.sums[0] / self.count as f64;
        (self.count > 0).then(|| square.sqrt()).filter(|rms| rms.is_finite())
    }

    /// The kurtosis, 3 for a normal distribution; `None` where all values are the same, and where a double does not hold the sums.
    #[must_use]
    pub fn kurtosis(&self) -> Option<f64> {
        let [second, _, fourth] = self.sums;
        let kurtosis = self.count as f64 * fourth / (second * second);
        (second > 0.0).then_some(kurtosis).filter(|kurtosis| kurtosis.is_finite())
    }

    /// The skewness, 0 for a symmetric distribution; `None` where there is no kurtosis.
    #[must_use]
    pub fn skewness(&self) -> Option<f64> {
        let [second, third, _] = self.sums;
        let skewness = (self.count as f64).sqrt() * third / second.powf(1.5);
        (second > 0.0).then_some(skewness).filter(|skewness| skewness.is_finite())
    }
}
