//! Mean and spread of values, from sums of powers.

use ggufkit_quant::registers::{Doubles, Pass, widest};

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

/// Sums that are carried side by side: the order of additions is part of the result, and is the same everywhere.
const LANES: usize = 8;

struct OfFinite<'a>(&'a [f32]);

impl Pass for OfFinite<'_> {
    type Output = Moments;

    #[inline(always)]
    fn run<D: Doubles>(self) -> Moments {
        Moments::here::<D>(self.0)
    }
}

impl Moments {
    /// The moments of finite values.
    #[must_use]
    pub fn of(values: &[f32]) -> Self {
        widest(OfFinite(values))
    }

    /// The same with the registers that the caller is compiled for.
    #[inline(always)]
    pub(super) fn here<D: Doubles>(values: &[f32]) -> Self {
        let Some(first) = values.first() else { return Self::default() };
        // About a value that is among them, powers stay as small as the spread is.
        let pivot = f64::from(*first);
        let (mut s1, mut s2, mut s3, mut s4) = (D::all(0.0), D::all(0.0), D::all(0.0), D::all(0.0));
        let (chunks, rest) = values.as_chunks::<LANES>();
        for chunk in chunks {
            let d = D::of(chunk) - D::all(pivot);
            let d2 = d * d;
            s1 = s1 + d;
            s2 = s2 + d2;
            s3 = s3 + d2 * d;
            s4 = s4 + d2 * d2;
        }
        let mut sums = [s1.lanes(), s2.lanes(), s3.lanes(), s4.lanes()];
        for value in rest {
            let d = f64::from(*value) - pivot;
            let [s1, s2, s3, s4] = sums.each_mut().map(|lanes| &mut lanes[0]);
            *s1 += d;
            *s2 += d * d;
            *s3 += d * d * d;
            *s4 += d * d * d * d;
        }
        let [s1, s2, s3, s4] = sums.map(|lanes| lanes.iter().sum::<f64>());
        let n = values.len() as f64;
        let m = s1 / n;
        let second = (s2 - s1 * m).max(0.0);
        let third = s3 - 3.0 * m * s2 + 2.0 * n * m * m * m;
        let fourth = (s4 - 4.0 * m * s3 + 6.0 * m * m * s2 - 3.0 * n * m * m * m * m).max(0.0);
        Self { count: values.len() as u64, mean: pivot + m, sums: [second, third, fourth] }
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

    /// The standard deviation of the values themselves (divided by their number); `None` without values.
    #[must_use]
    pub fn std(&self) -> Option<f64> {
        (self.count > 0).then(|| (self.sums[0] / self.count as f64).sqrt())
    }

    /// The root of the mean square; `None` without values.
    #[must_use]
    pub fn rms(&self) -> Option<f64> {
        (self.count > 0).then(|| (self.mean * self.mean + self.sums[0] / self.count as f64).sqrt())
    }

    /// The kurtosis, 3 for a normal distribution; `None` where all values are the same.
    #[must_use]
    pub fn kurtosis(&self) -> Option<f64> {
        let [second, _, fourth] = self.sums;
        (second > 0.0).then(|| self.count as f64 * fourth / (second * second))
    }

    /// The skewness, 0 for a symmetric distribution; `None` where all values are the same.
    #[must_use]
    pub fn skewness(&self) -> Option<f64> {
        let [second, third, _] = self.sums;
        (second > 0.0).then(|| (self.count as f64).sqrt() * third / second.powf(1.5))
    }
}
