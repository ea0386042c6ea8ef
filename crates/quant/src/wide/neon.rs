//! Lanes in the registers of 64-bit ARM processors (NEON).
//!
//! All processors of the targets that this module is compiled for have them: the target's own features say so (see the
//! `cfg` in the parent). That, and that what is read or written is as long as the registers, is the contract of every
//! `unsafe` block below.
//!
//! Where these registers differ from the plain code: turning a float that does not fit into an integer gives the nearest
//! integer, and the lesser of a number and what is not one may be either. Neither operation is used on such floats here:
//! integers are taken from the bits of a sum, and what is not a number is replaced before the least is looked for. No
//! multiplication is fused with an addition, and no quotient is estimated.
#![allow(unsafe_code, reason = "the operations of registers that not every processor has; see above")]

use std::arch::aarch64::*;
use std::ops::{Add, Div, Mul, Sub};

use super::{Lanes, Mask, Points, Sixteen, WIDTH, Wide, by_lane};
use crate::number::{MANTISSA, MIDDLE, ROUND};

/// Does the work with these registers.
pub(super) fn run(work: impl Wide) {
    work.run::<Neon>();
}

/// Four registers.
#[derive(Clone, Copy)]
struct Neon([float32x4_t; 4]);
/// All bits set or none.
#[derive(Clone, Copy)]
struct Bits([uint32x4_t; 4]);

/// A table of sixteen numbers, as bytes.
#[derive(Clone, Copy)]
struct Table(uint8x16x4_t);

impl Table {
    #[inline(always)]
    fn new(table: &[f32; 16]) -> Self {
        // SAFETY: see the module; the array has as many bytes as are read.
        Self(unsafe { vld1q_u8_x4(table.as_ptr().cast()) })
    }

    /// The numbers at these places, all below 16.
    #[inline(always)]
    fn at(self, places: uint32x4_t) -> float32x4_t {
        // SAFETY: see the module.
        unsafe {
            // Number n has the bytes from 4n to 4n + 3; those of a lane are chosen by its own.
            let bytes = vmlaq_u32(vdupq_n_u32(0x0302_0100), places, vdupq_n_u32(0x0404_0404));
            vreinterpretq_f32_u8(vqtbl4q_u8(self.0, vreinterpretq_u8_u32(bytes)))
        }
    }
}

/// Sixteen bytes as four registers of integers.
#[inline(always)]
fn widen(bytes: uint8x16_t) -> [uint32x4_t; 4] {
    // SAFETY: see the module.
    unsafe {
        let (low, high) = (vmovl_u8(vget_low_u8(bytes)), vmovl_high_u8(bytes));
        [
            vmovl_u16(vget_low_u16(low)),
            vmovl_high_u16(low),
            vmovl_u16(vget_low_u16(high)),
            vmovl_high_u16(high),
        ]
    }
}

/// The lowest byte of each of sixteen integers.
#[inline(always)]
fn narrow(whole: [uint32x4_t; 4]) -> uint8x16_t {
    let [a, b, c, d] = whole;
    // SAFETY: see the module.
    unsafe {
        let low = vmovn_high_u32(vmovn_u32(a), b);
        let high = vmovn_high_u32(vmovn_u32(c), d);
        vmovn_high_u16(vmovn_u16(low), high)
    }
}

/// The same for each register.
#[inline(always)]
fn each<T, U>([a, b, c, d]: [T; 4], op: impl Fn(T) -> U) -> [U; 4] {
    [op(a), op(b), op(c), op(d)]
}

/// The same for each pair of registers.
#[inline(always)]
fn pairs<T, U>([a, b, c, d]: [T; 4], [e, f, g, h]: [T; 4], op: impl Fn(T, T) -> U) -> [U; 4] {
    [op(a, e), op(b, f), op(c, g), op(d, h)]
}

// SAFETY of all four: see the module.
by_lane!(Neon, Add, add, |a, b| pairs(a, b, |a, b| unsafe { vaddq_f32(a, b) }));
by_lane!(Neon, Sub, sub, |a, b| pairs(a, b, |a, b| unsafe { vsubq_f32(a, b) }));
by_lane!(Neon, Mul, mul, |a, b| pairs(a, b, |a, b| unsafe { vmulq_f32(a, b) }));
by_lane!(Neon, Div, div, |a, b| pairs(a, b, |a, b| unsafe { vdivq_f32(a, b) }));

impl Neon {
    #[inline(always)]
    fn whole(self, low: i32, high: i32) -> [int32x4_t; 4] {
        // SAFETY: see the module.
        each(self.0, |quarter| unsafe {
            let bits = vreinterpretq_u32_f32(vaddq_f32(quarter, vdupq_n_f32(ROUND)));
            let whole = vreinterpretq_s32_u32(vandq_u32(bits, vdupq_n_u32(MANTISSA)));
            let whole = vsubq_s32(whole, vdupq_n_s32(MIDDLE));
            vmaxq_s32(vminq_s32(whole, vdupq_n_s32(high)), vdupq_n_s32(low))
        })
    }
}

impl Lanes for Neon {
    type Mask = Bits;
    type Array = [f32; WIDTH];

    #[inline(always)]
    fn from_array(array: &[f32; WIDTH]) -> Self {
        // SAFETY: see the module; the array has as many bytes as are read.
        let float32x4x4_t(a, b, c, d) = unsafe { vld1q_f32_x4(array.as_ptr()) };
        Self([a, b, c, d])
    }

    #[inline(always)]
    fn to_array(self) -> [f32; WIDTH] {
        let mut array = [0.0; WIDTH];
        let [a, b, c, d] = self.0;
        // SAFETY: see the module; the array has as many bytes as are written.
        unsafe { vst1q_f32_x4(array.as_mut_ptr(), float32x4x4_t(a, b, c, d)) };
        array
    }

    #[inline(always)]
    fn all(value: f32) -> Self {
        // SAFETY: see the module.
        Self([unsafe { vdupq_n_f32(value) }; 4])
    }

    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: see the module.
        Self(each(self.0, |quarter| unsafe { vabsq_f32(quarter) }))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: see the module.
        Self(each(self.0, |quarter| unsafe { vsqrtq_f32(quarter) }))
    }

    #[inline(always)]
    fn nearest_within(self, low: i32, high: i32) -> Self {
        // SAFETY: see the module.
        Self(each(self.whole(low, high), |quarter| unsafe { vcvtq_f32_s32(quarter) }))
    }

    #[inline(always)]
    fn choose(self, points: &Points, levels: &[f32; 16]) -> Self {
        // SAFETY: see the module.
        let mut places = [unsafe { vdupq_n_u32(0) }; 4];
        for (halves, step) in points.halves.iter().zip(Points::STEPS) {
            let halves = Table::new(halves);
            for (places, quarter) in places.iter_mut().zip(self.0) {
                // SAFETY: see the module.
                *places = unsafe {
                    // Not below, so that a NaN goes the upper way.
                    let below = vcltq_f32(quarter, halves.at(*places));
                    vorrq_u32(*places, vbicq_u32(vdupq_n_u32(u32::from(step)), below))
                };
            }
        }
        let levels = Table::new(levels);
        Self(each(places, |places| levels.at(places)))
    }

    #[inline(always)]
    fn gt(self, other: Self) -> Bits {
        // SAFETY: see the module.
        Bits(pairs(self.0, other.0, |a, b| unsafe { vcgtq_f32(a, b) }))
    }

    #[inline(always)]
    fn ne(self, other: Self) -> Bits {
        // SAFETY: see the module.
        Bits(pairs(self.0, other.0, |a, b| unsafe { vmvnq_u32(vceqq_f32(a, b)) }))
    }
}

impl Sixteen for Neon {
    #[inline(always)]
    fn from_bytes(bytes: &[u8; WIDTH]) -> Self {
        // SAFETY: see the module; the array has as many bytes as are read.
        let bytes = unsafe { vld1q_u8(bytes.as_ptr()) };
        // SAFETY: see the module.
        Self(each(widen(bytes), |quarter| unsafe { vcvtq_f32_u32(quarter) }))
    }

    #[inline(always)]
    fn look_up(table: &[f32; 16], bytes: &[u8; WIDTH]) -> Self {
        // SAFETY: see the module; the array has as many bytes as are read.
        let places = unsafe { vandq_u8(vld1q_u8(bytes.as_ptr()), vdupq_n_u8(15)) };
        let table = Table::new(table);
        Self(each(widen(places), |places| table.at(places)))
    }

    #[inline(always)]
    fn least(self) -> (f32, usize) {
        const LANES: [u32; WIDTH] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
        // SAFETY: see the module; the array has as many bytes as are read.
        unsafe {
            let most = vdupq_n_f32(f32::MAX);
            let [a, b, c, d] = each(self.0, |quarter| {
                // By its bits: a comparison of floats with a number would be made a minimum of the two, which is not a
                // number where the other one is signalling that it is none.
                let bits = vandq_u32(vreinterpretq_u32_f32(quarter), vdupq_n_u32(0x7fff_ffff));
                let no_number = vcgtq_u32(bits, vdupq_n_u32(0x7f80_0000));
                vminq_f32(vbslq_f32(no_number, most, quarter), most)
            });
            let least = vminvq_f32(vminq_f32(vminq_f32(a, b), vminq_f32(c, d)));
            let uint32x4x4_t(e, f, g, h) = vld1q_u32_x4(LANES.as_ptr());
            let lane = |quarter, lanes| {
                let equal = vceqq_f32(quarter, vdupq_n_f32(least));
                vbslq_u32(equal, lanes, vdupq_n_u32(u32::MAX))
            };
            let lanes = vminq_u32(vminq_u32(lane(a, e), lane(b, f)), vminq_u32(lane(c, g), lane(d, h)));
            (least, vminvq_u32(lanes) as usize)
        }
    }

    #[inline(always)]
    fn codes(self, low: i32, high: i32) -> [u8; WIDTH] {
        let mut codes = [0; WIDTH];
        // SAFETY: see the module.
        let whole = each(self.whole(low, high), |quarter| unsafe {
            vreinterpretq_u32_s32(vsubq_s32(quarter, vdupq_n_s32(low)))
        });
        // SAFETY: see the module; the array has as many bytes as are written.
        unsafe { vst1q_u8(codes.as_mut_ptr(), narrow(whole)) };
        codes
    }
}

impl Mask<Neon> for Bits {
    #[inline(always)]
    fn select(self, yes: Neon, no: Neon) -> Neon {
        let ([a, b, c, d], [e, f, g, h], [i, j, k, l]) = (self.0, yes.0, no.0);
        // SAFETY: see the module.
        Neon(unsafe { [vbslq_f32(a, e, i), vbslq_f32(b, f, j), vbslq_f32(c, g, k), vbslq_f32(d, h, l)] })
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: see the module.
        Self(pairs(self.0, other.0, |a, b| unsafe { vandq_u32(a, b) }))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: see the module.
        Self(pairs(self.0, other.0, |a, b| unsafe { vorrq_u32(a, b) }))
    }

    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: see the module.
        Self(each(self.0, |bits| unsafe { vmvnq_u32(bits) }))
    }

    #[inline(always)]
    fn any(self) -> bool {
        let [a, b, c, d] = self.0;
        // SAFETY: see the module.
        unsafe { vmaxvq_u32(vorrq_u32(vorrq_u32(a, b), vorrq_u32(c, d))) != 0 }
    }
}
