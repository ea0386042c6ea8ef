//! Passes over values by the widest registers that the processor has, for sums in doubles.

use std::ops::{Add, Mul, Sub};

use crate::wide;

/// Doubles that are carried side by side: the order of additions is part of a result, and is the same everywhere.
pub const LANES: usize = 8;

/// Eight doubles, each in a lane of its own. Nothing adds across lanes, and nothing is fused that would round otherwise: sums are
/// the same on every machine.
pub trait Doubles: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// Twice as many floats, in as many registers.
    type Floats: Floats;

    /// The values as doubles.
    fn of(values: &[f32; LANES]) -> Self;
    /// The first and the second half of the values.
    fn halves(values: &[f32; 2 * LANES]) -> [Self; 2];
    /// The same number in all lanes.
    fn all(value: f64) -> Self;
    /// The sum with the product of two numbers of which each is a float's value, so that their product is exact: whether it is
    /// rounded before it is added makes no difference.
    fn plus_product(self, a: Self, b: Self) -> Self;
    /// In every lane `other` where that is greater.
    fn most(self, other: Self) -> Self;
    /// The lanes, one by one.
    fn lanes(self) -> [f64; LANES];

    /// The sum of all lanes, by halves.
    #[inline(always)]
    fn sum(self) -> f64 {
        let [a, b, c, d, e, f, g, h] = self.lanes();
        ((a + e) + (c + g)) + ((b + f) + (d + h))
    }
}

/// Sixteen floats, as [`Doubles`] are.
pub trait Floats: Copy + Add<Output = Self> + Mul<Output = Self> {
    /// A count in each lane.
    type Counts: Copy;

    /// The values.
    fn of(values: &[f32; 2 * LANES]) -> Self;
    /// Counts of nothing.
    fn none() -> Self::Counts;
    /// One more where the lane is a zero, of either sign.
    fn count_zeros(self, counts: Self::Counts) -> Self::Counts;
    /// The counts of all lanes together; each is less than 2^32.
    fn counted(counts: Self::Counts) -> u64;
    /// A bit for each lane, the first one lowest: whether its magnitude is `floor` or more, which what is no number is not.
    fn reaching(self, floor: f32) -> u16;
    /// The lanes, one by one.
    fn lanes(self) -> [f32; 2 * LANES];
}

/// Work over many values.
///
/// Its `run`, and what that calls in its loops, are to be `#[inline(always)]`: what is not stays compiled for any processor.
pub trait Pass {
    /// What is found.
    type Output;

    /// Does the work. What stands in it as plain loops is compiled for these registers, too.
    fn run<D: Doubles>(self) -> Self::Output;
}

/// Does the work with the widest registers that this processor has.
pub fn widest<P: Pass>(pass: P) -> P::Output {
    wide::pass(wide::Registers::Avx512, pass)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wide::pass;
    use crate::wide::testing::all;

    struct All<'a>(&'a [f32; 8], &'a [f32; 8]);

    impl Pass for All<'_> {
        type Output = [[f64; 8]; 12];

        #[inline(always)]
        fn run<D: Doubles>(self) -> [[f64; 8]; 12] {
            let (a, b) = (D::of(self.0), D::of(self.1));
            let mut both = [0.0; 16];
            for (lane, value) in both.iter_mut().zip(self.0.iter().chain(self.1)) {
                *lane = *value;
            }
            let floats = D::Floats::of(&both);
            // Lane l times lane l, plus lane l: the first eight are of `a`.
            let mut squares = [0.0; 8];
            for (out, value) in squares.iter_mut().zip((floats * floats + floats).lanes()) {
                *out = f64::from(value);
            }
            let [one, two] = D::halves(&both);
            let mut zeros = D::Floats::none();
            for _ in 0..3 {
                zeros = floats.count_zeros(zeros);
            }
            let zeros = D::all(D::Floats::counted(zeros) as f64);
            let reaching = D::all(f64::from(floats.reaching(0.1)));
            let doubles = [
                a,
                a + b,
                a - b,
                a * b,
                a.plus_product(a, b),
                a.most(b),
                D::all(0.1),
                one,
                two,
                zeros,
                reaching,
            ]
            .map(D::lanes);
            let mut all = [squares; 12];
            for (out, lanes) in all.iter_mut().zip(doubles) {
                *out = lanes;
            }
            all
        }
    }

    #[test]
    fn doubles_are_the_same_by_all_registers() {
        let values = [0.1, -0.0, f32::MAX, 1e-45, f32::NAN, -3.5, f32::INFINITY, 7.0];
        for turn in 0..8 {
            let mut b = values;
            b.rotate_left(turn);
            // All but -0, the smallest and what is no number.
            let far = 0b1110_0101_u8;
            let reaching = f64::from(u16::from_le_bytes([far, far.rotate_right(turn as u32)]));
            for lane in 0..8 {
                let (a, other) = (f64::from(values[lane]), f64::from(b[lane]));
                let most = if other > a { other } else { a };
                let square = f64::from(values[lane] * values[lane] + values[lane]);
                let expected = [
                    a,
                    a + other,
                    a - other,
                    a * other,
                    a + a * other,
                    most,
                    0.1,
                    a,
                    other,
                    6.0,
                    reaching,
                    square,
                ];
                for registers in all() {
                    let found = pass(registers, All(&values, &b)).map(|lanes| lanes[lane]);
                    for (expected, found) in expected.iter().zip(found) {
                        let same =
                            expected.to_bits() == found.to_bits() || expected.is_nan() && found.is_nan();
                        assert!(same, "{registers:?}: {found} is not {expected}");
                    }
                }
            }
        }
    }
}
