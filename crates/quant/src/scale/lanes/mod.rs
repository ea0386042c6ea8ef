//! Several groups of values at once: lane `l` of every number belongs to group `l`.
//!
//! The searches below add the members of a group one after the other, and a sum of floats is only the same when it is
//! made in the same order. So nothing here ever adds across lanes: a lane does what a scalar loop over its group would do,
//! operation for operation, and `Lanes<1>` is that scalar loop. The arrays are of fixed size, so that a compiler that may use
//! wide registers keeps each in one or two of them.

pub(crate) mod affine;
pub(crate) mod codebook;
pub(crate) mod descent;
pub(crate) mod positive;
pub(crate) mod symmetric;

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::number::nearest;

/// A number of each group.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub(crate) struct Lanes<const N: usize>(pub(crate) [f32; N]);

/// A truth of each group: all bits set or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Mask<const N: usize>([u32; N]);

macro_rules! by_lane {
    ($trait:ident, $method:ident, $op:tt) => {
        impl<const N: usize> $trait for Lanes<N> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let mut out = self.0;
                for l in 0..N {
                    out[l] = self.0[l] $op other.0[l];
                }
                Self(out)
            }
        }
    };
}
by_lane!(Add, add, +);
by_lane!(Sub, sub, -);
by_lane!(Mul, mul, *);
by_lane!(Div, div, /);

impl<const N: usize> Neg for Lanes<N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.map(|value| -value)
    }
}

impl<const N: usize> Lanes<N> {
    pub(crate) const ZERO: Self = Self([0.0; N]);

    #[inline(always)]
    pub(crate) fn all(value: f32) -> Self {
        Self([value; N])
    }

    #[inline(always)]
    pub(crate) fn map(self, op: impl Fn(f32) -> f32) -> Self {
        let mut out = self.0;
        for value in &mut out {
            *value = op(*value);
        }
        Self(out)
    }

    #[inline(always)]
    pub(crate) fn abs(self) -> Self {
        self.map(f32::abs)
    }

    #[inline(always)]
    pub(crate) fn sqrt(self) -> Self {
        self.map(f32::sqrt)
    }

    /// The nearest integers within `low..=high`, as floats.
    #[inline(always)]
    pub(crate) fn nearest_within(self, low: i32, high: i32) -> Self {
        self.map(|value| nearest(value).min(high).max(low) as f32)
    }

    #[inline(always)]
    pub(crate) fn gt(self, other: Self) -> Mask<N> {
        let mut out = [0; N];
        for l in 0..N {
            out[l] = if self.0[l] > other.0[l] { u32::MAX } else { 0 };
        }
        Mask(out)
    }

    #[inline(always)]
    pub(crate) fn lt(self, other: Self) -> Mask<N> {
        other.gt(self)
    }

    #[inline(always)]
    pub(crate) fn ne(self, other: Self) -> Mask<N> {
        let mut out = [0; N];
        for l in 0..N {
            out[l] = if self.0[l] != other.0[l] { u32::MAX } else { 0 };
        }
        Mask(out)
    }
}

impl<const N: usize> Mask<N> {
    /// `yes` where it is true, `no` elsewhere.
    #[inline(always)]
    pub(crate) fn select(self, yes: Lanes<N>, no: Lanes<N>) -> Lanes<N> {
        let mut out = no.0;
        for l in 0..N {
            out[l] = if self.0[l] != 0 { yes.0[l] } else { no.0[l] };
        }
        Lanes(out)
    }

    #[inline(always)]
    pub(crate) fn and(self, other: Self) -> Self {
        let mut out = self.0;
        for l in 0..N {
            out[l] &= other.0[l];
        }
        Self(out)
    }

    #[inline(always)]
    pub(crate) fn or(self, other: Self) -> Self {
        let mut out = self.0;
        for l in 0..N {
            out[l] |= other.0[l];
        }
        Self(out)
    }

    #[inline(always)]
    pub(crate) fn is_set(self, lane: usize) -> bool {
        self.0.get(lane).is_some_and(|&bits| bits != 0)
    }

    #[inline(always)]
    pub(crate) fn not(self) -> Self {
        let mut out = self.0;
        for value in &mut out {
            *value = !*value;
        }
        Self(out)
    }

    #[inline(always)]
    pub(crate) fn any(self) -> bool {
        let mut out = 0;
        for value in self.0 {
            out |= value;
        }
        out != 0
    }
}
