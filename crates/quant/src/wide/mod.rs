//! Sixteen groups of values at once, with the widest registers that the processor has.
//!
//! The searches for scales add the members of a group one after the other, and a sum of floats is only the same when it is
//! made in the same order. So nothing here ever adds across lanes: lane `l` of every number belongs to group `l` and sees
//! what a scalar loop over its group would see, operation for operation. Nothing is fused and nothing is rearranged: the
//! bits are those of the scalar code, whatever the processor could do.
//!
//! What is written over [`Lanes`] is compiled several times: over plain arrays, for any processor (`portable`), and over
//! registers that some have (`x86` and `neon`, the only places with `unsafe` code). [`run`] chooses while the
//! program runs.

// Every processor of these targets has the registers. The other byte order would turn what tables are looked up by.
#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
mod neon;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::ops::{Add, Div, Mul, Sub};

use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::half::{f16_to_f32, f32_to_bf16, f32_to_f16};
use crate::number::truncate;
use crate::registers::Pass;

pub(crate) use portable::{Array, One};

/// An operation of two numbers, register by register.
macro_rules! by_lane {
    ($type:ident $(<const $n:ident: usize>)?, $trait:ident, $method:ident, |$a:ident, $b:ident| $made:expr) => {
        impl $(<const $n: usize>)? $trait for $type $(<$n>)? {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let ($a, $b) = (self.0, other.0);
                Self($made)
            }
        }
    };
}
use by_lane;

/// A number of each group.
pub(crate) trait Lanes:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// A truth of each group.
    type Mask: Mask<Self>;
    /// The numbers one by one.
    type Array: Copy + AsRef<[f32]> + AsMut<[f32]>;

    fn from_array(array: &Self::Array) -> Self;
    fn to_array(self) -> Self::Array;
    /// The same number for all.
    fn all(value: f32) -> Self;
    fn abs(self) -> Self;
    fn sqrt(self) -> Self;
    /// The nearest integers as [`nearest`](crate::number::nearest) has them, moved into `low..=high`, as floats.
    fn nearest_within(self, low: i32, high: i32) -> Self;
    /// `levels[n]`, where n is the number of points that the number is not below; a NaN is below none.
    fn choose(self, points: &Points, levels: &[f32; 16]) -> Self;
    fn gt(self, other: Self) -> Self::Mask;
    fn ne(self, other: Self) -> Self::Mask;

    #[inline(always)]
    fn lt(self, other: Self) -> Self::Mask {
        other.gt(self)
    }

    #[inline(always)]
    fn zero() -> Self {
        Self::all(0.0)
    }
}

/// Points in ascending order, and the tables that a search by halves among them looks up. Made as a constant, since what is made
/// beside a search costs more than the search.
pub(crate) struct Points {
    /// The points.
    pub(crate) all: [f32; 15],
    /// For steps of 8, 4, 2 and 1: at `n` the point that parts the `step` numbers from `n` on from those above.
    #[cfg_attr(
        not(any(
            target_arch = "x86_64",
            all(target_arch = "aarch64", target_feature = "neon", target_endian = "little")
        )),
        allow(dead_code, reason = "looked up by registers alone")
    )]
    pub(crate) halves: [[f32; 16]; 4],
}

impl Points {
    /// The steps of such a search.
    pub(crate) const STEPS: [u8; 4] = [8, 4, 2, 1];

    #[allow(clippy::indexing_slicing, reason = "below the lengths of both: n + step is at most 15")]
    pub(crate) const fn new(all: [f32; 15]) -> Self {
        let mut halves = [[0.0; 16]; 4];
        let mut at = 0;
        while at < halves.len() {
            let step = Self::STEPS[at] as usize;
            let mut n = 0;
            while n + step <= all.len() {
                halves[at][n] = all[n + step - 1];
                n += 1;
            }
            at += 1;
        }
        Self { all, halves }
    }
}

/// A truth of each group.
pub(crate) trait Mask<L>: Copy {
    /// `yes` where it is true, `no` elsewhere.
    fn select(self, yes: L, no: L) -> L;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn not(self) -> Self;
    /// Whether it is true for any group.
    fn any(self) -> bool;
}

/// Groups that are searched at once.
pub(crate) const WIDTH: usize = 16;

/// That many numbers.
pub(crate) trait Sixteen: Lanes<Array = [f32; WIDTH]> {
    fn from_bytes(bytes: &[u8; WIDTH]) -> Self;
    /// The numbers of a table, by the lower four bits of each byte.
    fn look_up(table: &[f32; 16], bytes: &[u8; WIDTH]) -> Self;
    /// Signed bytes as numbers.
    #[inline(always)]
    fn from_signed(bytes: &[i8; WIDTH]) -> Self {
        let mut out = [0.0; WIDTH];
        for (out, byte) in out.iter_mut().zip(bytes) {
            *out = f32::from(*byte);
        }
        Self::from_array(&out)
    }
    /// Codes that begin at bit `shift` of each byte and are as wide as the mask.
    #[inline(always)]
    fn from_codes(bytes: &[u8; WIDTH], shift: u32, mask: u8) -> Self {
        let mut codes = *bytes;
        for code in &mut codes {
            *code = *code >> shift & mask;
        }
        Self::from_bytes(&codes)
    }
    /// The same, and above them codes of other bytes: both shifts and masks, then by how much the others are moved up.
    #[inline(always)]
    fn from_two_codes(low: (&[u8; WIDTH], u32, u8), high: (&[u8; WIDTH], u32, u8), up: u32) -> Self {
        let mut codes = [0; WIDTH];
        for ((code, first), second) in codes.iter_mut().zip(low.0).zip(high.0) {
            *code = first >> low.1 & low.2 | (second >> high.1 & high.2) << up;
        }
        Self::from_bytes(&codes)
    }
    /// The value of a binary16, as [`f16_to_f32`] has it, for all.
    #[inline(always)]
    fn all_half(bytes: [u8; 2]) -> Self {
        Self::all(f16_to_f32(u16::from_le_bytes(bytes)))
    }
    /// The values of binary16 numbers, as [`f16_to_f32`] has them.
    #[inline(always)]
    fn from_halves(halves: &[[u8; 2]; WIDTH]) -> Self {
        let mut out = [0.0; WIDTH];
        for (out, half) in out.iter_mut().zip(halves) {
            *out = f16_to_f32(u16::from_le_bytes(*half));
        }
        Self::from_array(&out)
    }
    /// The nearest binary16 numbers, as [`f32_to_f16`] has them.
    #[inline(always)]
    fn to_halves(self) -> [[u8; 2]; WIDTH] {
        let mut out = [[0; 2]; WIDTH];
        for (out, value) in out.iter_mut().zip(self.to_array().as_ref()) {
            *out = f32_to_f16(*value).to_le_bytes();
        }
        out
    }
    /// The nearest bfloat16 numbers, as [`f32_to_bf16`] has them.
    #[inline(always)]
    fn to_brains(self) -> [[u8; 2]; WIDTH] {
        let mut out = [[0; 2]; WIDTH];
        for (out, value) in out.iter_mut().zip(self.to_array().as_ref()) {
            *out = f32_to_bf16(*value).to_le_bytes();
        }
        out
    }
    /// The nearest integers, ties away from zero, as floats (`roundf` in C).
    #[inline(always)]
    fn round_away(self) -> Self {
        let mut out = self.to_array();
        for value in out.as_mut() {
            *value = value.round();
        }
        Self::from_array(&out)
    }
    /// The lowest bytes of integers as [`truncate`] has them.
    #[inline(always)]
    fn truncated(self) -> [i8; WIDTH] {
        let mut out = [0; WIDTH];
        for (out, value) in out.iter_mut().zip(self.to_array().as_ref()) {
            *out = truncate(*value) as i8;
        }
        out
    }
    /// The numbers with their signs turned where the bit of their lane is set; those of not-a-numbers, too.
    #[inline(always)]
    fn turn(self, signs: u16) -> Self {
        let mut out = self.to_array();
        for (lane, value) in out.as_mut().iter_mut().enumerate() {
            *value = f32::from_bits(value.to_bits() ^ u32::from(signs >> lane & 1) << 31);
        }
        Self::from_array(&out)
    }
    /// The numbers of `set` in lanes whose bit is set, those of `unset` elsewhere.
    #[inline(always)]
    fn by_bits(bits: u16, set: Self, unset: Self) -> Self {
        let (set, mut out) = (set.to_array(), unset.to_array());
        for (lane, (value, set)) in out.as_mut().iter_mut().zip(set).enumerate() {
            *value = if bits >> lane & 1 == 1 { set } else { *value };
        }
        Self::from_array(&out)
    }
    /// The least of the numbers below `f32::MAX`, and its lane, the first one of several; `f32::MAX` if there is none.
    fn least(self) -> (f32, usize);
    /// The nearest integers as [`nearest_within`](Lanes::nearest_within) has them, less `low`: codes, from 0.
    fn codes(self, low: i32, high: i32) -> [u8; WIDTH];
}

/// Work whose whole body is inlined into the function that is compiled for some processor. Its `run`, and what that calls in
/// its loops, must be `#[inline(always)]`: what is not stays compiled for any processor.
pub(crate) trait Wide {
    fn run<L: Sixteen>(self);
}

/// Registers that the code is compiled for, from those of any processor to the widest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Registers {
    #[cfg_attr(not(test), allow(dead_code, reason = "asked for by tests, which hold all against each other"))]
    Any,
    #[cfg_attr(not(test), allow(dead_code, reason = "asked for by tests, which hold all against each other"))]
    Neon,
    #[cfg_attr(not(test), allow(dead_code, reason = "asked for by tests, which hold all against each other"))]
    Avx2,
    Avx512,
}

/// The widest registers that this processor has, up to these.
#[cfg(test)]
fn found(up_to: Registers) -> Registers {
    #[cfg(target_arch = "x86_64")]
    let found = x86::found(up_to);
    #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
    let found = up_to.min(Registers::Neon);
    #[cfg(not(any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_feature = "neon", target_endian = "little")
    )))]
    let found = up_to.min(Registers::Any);
    found
}

/// Does the work with the widest registers that this processor has, up to these.
pub(crate) fn run(up_to: Registers, work: impl Wide) {
    #[cfg(test)]
    let up_to = testing::limited(up_to);
    #[cfg(target_arch = "x86_64")]
    x86::run(up_to, work);
    #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
    if up_to >= Registers::Neon {
        neon::run(work);
    } else {
        work.run::<portable::Array>();
    }
    #[cfg(not(any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_feature = "neon", target_endian = "little")
    )))]
    {
        let _ = up_to;
        work.run::<portable::Array>();
    }
}

/// The same for a pass in doubles; of other processors the compiler knows what to do.
pub(crate) fn pass<P: Pass>(up_to: Registers, pass: P) -> P::Output {
    #[cfg(target_arch = "x86_64")]
    let found = x86::pass(up_to, pass);
    #[cfg(not(target_arch = "x86_64"))]
    let found = {
        let _ = up_to;
        pass.run::<portable::Eight>()
    };
    found
}

/// Elements of memory for stretches that are not of the stretch itself: what waits there is of less than a line of a cache.
pub(crate) const WAITING: usize = 64;

/// Fills `out` a stretch at a time, the last one as long as what is left. Each is made in `memory`, behind the first [`WAITING`]
/// elements, and written past the caches where the processor can.
pub(crate) fn fill_past_caches<T: Copy + Immutable + IntoBytes + FromBytes>(
    out: &mut [T],
    memory: &mut [T],
    make: impl FnMut(&mut [T]),
) {
    #[cfg(target_arch = "x86_64")]
    x86::fill_past_caches(out, memory, make);
    #[cfg(not(target_arch = "x86_64"))]
    out.chunks_mut(memory.len().saturating_sub(WAITING).max(1)).for_each(make);
}

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
