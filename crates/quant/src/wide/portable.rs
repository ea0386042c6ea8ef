//! Lanes for any processor: an array, and a single number.

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Sub};

use super::{Lanes, Mask, Points, Sixteen, WIDTH, by_lane};
use crate::number::nearest;
use crate::registers::{Doubles, Floats, LANES};

/// A number of one group only: what is written over lanes, as a scalar loop.
pub(crate) type One = Plain<1>;
/// Sixteen numbers; the compiler keeps them in what registers there are.
pub(crate) type Array = Plain<WIDTH>;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Plain<const N: usize>([f32; N]);

/// All bits set or none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainMask<const N: usize>([u32; N]);

impl<const N: usize> Plain<N> {
    #[inline(always)]
    fn map(self, op: impl Fn(f32) -> f32) -> Self {
        let mut out = self.0;
        for value in &mut out {
            *value = op(*value);
        }
        Self(out)
    }

    #[inline(always)]
    fn test(self, other: Self, op: impl Fn(f32, f32) -> bool) -> PlainMask<N> {
        let mut out = [0; N];
        for ((bits, a), b) in out.iter_mut().zip(self.0).zip(other.0) {
            *bits = if op(a, b) { u32::MAX } else { 0 };
        }
        PlainMask(out)
    }
}

/// The same for each pair.
#[inline(always)]
fn pairs<T: Copy, const N: usize>(mut a: [T; N], b: [T; N], op: impl Fn(T, T) -> T) -> [T; N] {
    for (a, b) in a.iter_mut().zip(b) {
        *a = op(*a, b);
    }
    a
}

by_lane!(Plain<const N: usize>, Add, add, |a, b| pairs(a, b, f32::add));
by_lane!(Plain<const N: usize>, Sub, sub, |a, b| pairs(a, b, f32::sub));
by_lane!(Plain<const N: usize>, Mul, mul, |a, b| pairs(a, b, f32::mul));
by_lane!(Plain<const N: usize>, Div, div, |a, b| pairs(a, b, f32::div));

impl<const N: usize> Lanes for Plain<N> {
    type Mask = PlainMask<N>;
    type Array = [f32; N];

    #[inline(always)]
    fn from_array(array: &[f32; N]) -> Self {
        Self(*array)
    }

    #[inline(always)]
    fn to_array(self) -> [f32; N] {
        self.0
    }

    #[inline(always)]
    fn all(value: f32) -> Self {
        Self([value; N])
    }

    #[inline(always)]
    fn abs(self) -> Self {
        self.map(f32::abs)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.map(f32::sqrt)
    }

    #[inline(always)]
    fn nearest_within(self, low: i32, high: i32) -> Self {
        self.map(|value| nearest(value).min(high).max(low) as f32)
    }

    #[inline(always)]
    fn choose(self, points: &Points, levels: &[f32; 16]) -> Self {
        let mut out = Self::all(levels[15]);
        for (&point, &level) in points.all.iter().zip(levels).rev() {
            out = self.lt(Self::all(point)).select(Self::all(level), out);
        }
        out
    }

    #[inline(always)]
    fn gt(self, other: Self) -> PlainMask<N> {
        self.test(other, |a, b| a > b)
    }

    #[inline(always)]
    fn ne(self, other: Self) -> PlainMask<N> {
        self.test(other, |a, b| a != b)
    }
}

impl Sixteen for Array {
    #[inline(always)]
    fn codes(self, low: i32, high: i32) -> [u8; WIDTH] {
        let mut codes = [0; WIDTH];
        for (code, value) in codes.iter_mut().zip(self.0) {
            *code = nearest(value).min(high).max(low).wrapping_sub(low) as u8;
        }
        codes
    }

    #[inline(always)]
    fn from_bytes(bytes: &[u8; WIDTH]) -> Self {
        let mut out = [0.0; WIDTH];
        for (out, byte) in out.iter_mut().zip(bytes) {
            *out = f32::from(*byte);
        }
        Self(out)
    }

    #[inline(always)]
    fn look_up(table: &[f32; 16], bytes: &[u8; WIDTH]) -> Self {
        let mut out = [0.0; WIDTH];
        for (out, byte) in out.iter_mut().zip(bytes) {
            *out = table.get(usize::from(byte & 15)).copied().unwrap_or(0.0);
        }
        Self(out)
    }

    #[inline(always)]
    fn least(self) -> (f32, usize) {
        let (mut least, mut at) = (f32::MAX, 0);
        for (lane, value) in self.0.into_iter().enumerate() {
            if value < least {
                (least, at) = (value, lane);
            }
        }
        (least, at)
    }
}

impl<const N: usize> Mask<Plain<N>> for PlainMask<N> {
    #[inline(always)]
    fn select(self, yes: Plain<N>, no: Plain<N>) -> Plain<N> {
        let mut out = no.0;
        for ((out, yes), bits) in out.iter_mut().zip(yes.0).zip(self.0) {
            *out = if bits != 0 { yes } else { *out };
        }
        Plain(out)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(pairs(self.0, other.0, u32::bitand))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(pairs(self.0, other.0, u32::bitor))
    }

    #[inline(always)]
    fn not(self) -> Self {
        Self(self.0.map(|bits| !bits))
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.0.iter().fold(0, |all, bits| all | bits) != 0
    }
}

impl Floats for Array {
    type Counts = [u32; WIDTH];

    #[inline(always)]
    fn none() -> [u32; WIDTH] {
        [0; WIDTH]
    }

    #[inline(always)]
    fn count_zeros(self, mut counts: [u32; WIDTH]) -> [u32; WIDTH] {
        for (count, value) in counts.iter_mut().zip(self.0) {
            *count = count.wrapping_add(u32::from(value == 0.0));
        }
        counts
    }

    #[inline(always)]
    fn counted(counts: [u32; WIDTH]) -> u64 {
        counts.iter().map(|count| u64::from(*count)).sum()
    }

    #[inline(always)]
    fn reaching(self, floor: f32) -> u16 {
        let mut lanes = 0;
        for (lane, value) in self.0.iter().enumerate() {
            lanes |= u16::from(value.abs() >= floor) << lane;
        }
        lanes
    }

    #[inline(always)]
    fn of(values: &[f32; WIDTH]) -> Self {
        Self(*values)
    }

    #[inline(always)]
    fn lanes(self) -> [f32; WIDTH] {
        self.0
    }
}

/// Eight doubles.
#[derive(Clone, Copy)]
pub(crate) struct Eight([f64; LANES]);

by_lane!(Eight, Add, add, |a, b| pairs(a, b, f64::add));
by_lane!(Eight, Sub, sub, |a, b| pairs(a, b, f64::sub));
by_lane!(Eight, Mul, mul, |a, b| pairs(a, b, f64::mul));

impl Doubles for Eight {
    type Floats = Array;

    #[inline(always)]
    fn of(values: &[f32; LANES]) -> Self {
        let mut out = [0.0; LANES];
        for (out, value) in out.iter_mut().zip(values) {
            *out = f64::from(*value);
        }
        Self(out)
    }

    #[inline(always)]
    fn halves(values: &[f32; 2 * LANES]) -> [Self; 2] {
        let mut out = [Self([0.0; LANES]); 2];
        for (out, half) in out.iter_mut().zip(values.as_chunks().0) {
            *out = Self::of(half);
        }
        out
    }

    #[inline(always)]
    fn all(value: f64) -> Self {
        Self([value; LANES])
    }

    #[inline(always)]
    fn plus_product(self, a: Self, b: Self) -> Self {
        self + a * b
    }

    #[inline(always)]
    fn most(self, other: Self) -> Self {
        Self(pairs(self.0, other.0, |one, other| if other > one { other } else { one }))
    }

    #[inline(always)]
    fn lanes(self) -> [f64; LANES] {
        self.0
    }
}
