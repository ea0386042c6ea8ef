//! Passes over values by the widest registers that the processor has, for sums in doubles.

use std::ops::{Add, Mul, Sub};

use crate::wide;

/// Eight doubles, each in a lane of its own. Nothing adds across lanes, nothing is fused: sums are the same on every machine.
pub trait Doubles: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// The values as doubles.
    fn of(values: &[f32; 8]) -> Self;
    /// The same number in all lanes.
    fn all(value: f64) -> Self;
    /// In every lane the magnitude of `other` where that is greater.
    fn reach(self, other: Self) -> Self;
    /// The lanes, one by one.
    fn lanes(self) -> [f64; 8];
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
    use crate::wide::{Registers, pass};

    struct All<'a>(&'a [f32; 8], &'a [f32; 8]);

    impl Pass for All<'_> {
        type Output = [[f64; 8]; 6];

        #[inline(always)]
        fn run<D: Doubles>(self) -> [[f64; 8]; 6] {
            let (a, b) = (D::of(self.0), D::of(self.1));
            [a, a + b, a - b, a * b, a.reach(b), D::all(0.1)].map(D::lanes)
        }
    }

    #[test]
    fn doubles_are_the_same_by_all_registers() {
        let values = [0.1, -0.0, f32::MAX, 1e-45, f32::NAN, -3.5, f32::INFINITY, 7.0];
        for turn in 0..8 {
            let mut b = values;
            b.rotate_left(turn);
            for lane in 0..8 {
                let (a, other) = (f64::from(values[lane]), f64::from(b[lane]));
                let reach = if other.abs() > a { other.abs() } else { a };
                let expected = [a, a + other, a - other, a * other, reach, 0.1];
                for registers in [Registers::Any, Registers::Avx2, Registers::Avx512] {
                    let found = pass(registers, All(&values, &b)).map(|lanes| lanes[lane]);
                    for (expected, found) in expected.iter().zip(found) {
                        assert!(expected.to_bits() == found.to_bits() || expected.is_nan() && found.is_nan());
                    }
                }
            }
        }
    }
}
