//! Lanes in the registers of x86 processors that have AVX2 or AVX-512.
//!
//! The types here are private to this module, and only [`run`] and [`pass`] name them, after [`found`] has tested for the features
//! that their operations need. That is the contract of every `unsafe` block in it but those of [`past_caches`], whose stores every
//! such processor has.
#![allow(unsafe_code, reason = "the operations of registers that not every processor has; see above")]

mod avx2;
mod avx512;
mod doubles;
mod past_caches;

use std::arch::x86_64::*;

pub(super) use past_caches::fill_past_caches;

use super::portable::{Array, Eight};
use super::{Registers, WIDTH, Wide};
use crate::registers::Pass;

/// The widest registers that this processor has, up to these.
pub(super) fn found(up_to: Registers) -> Registers {
    if up_to >= Registers::Avx512
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512cd")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("f16c")
        && is_x86_feature_detected!("popcnt")
    {
        Registers::Avx512
    } else if up_to >= Registers::Avx2
        && is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("f16c")
        && is_x86_feature_detected!("fma")
    {
        Registers::Avx2
    } else {
        Registers::Any
    }
}

/// Does the work with the widest registers that this processor has, up to these.
pub(super) fn run(up_to: Registers, work: impl Wide) {
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,f16c,popcnt")]
    fn wider(work: impl Wide) {
        work.run::<avx512::Avx512>();
    }
    #[target_feature(enable = "avx2,f16c,fma")]
    fn wide(work: impl Wide) {
        work.run::<avx2::Avx2>();
    }
    match found(up_to) {
        // SAFETY: all features that `wider` is compiled for were found.
        Registers::Avx512 => unsafe { wider(work) },
        // SAFETY: all features that `wide` is compiled for were found.
        Registers::Avx2 => unsafe { wide(work) },
        _ => work.run::<Array>(),
    }
}

/// The same for a pass in doubles.
pub(super) fn pass<P: Pass>(up_to: Registers, pass: P) -> P::Output {
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,f16c,popcnt")]
    fn wider<P: Pass>(pass: P) -> P::Output {
        pass.run::<doubles::Avx512>()
    }
    #[target_feature(enable = "avx2,f16c,fma")]
    fn wide<P: Pass>(pass: P) -> P::Output {
        pass.run::<doubles::Avx2>()
    }
    match found(up_to) {
        // SAFETY: all features that `wider` is compiled for were found.
        Registers::Avx512 => unsafe { wider(pass) },
        // SAFETY: all features that `wide` is compiled for were found.
        Registers::Avx2 => unsafe { wide(pass) },
        _ => pass.run::<Eight>(),
    }
}

/// The largest float below a half: added to a number that is not a tie, or away from zero to one that is, it carries it over
/// the next integer exactly where that is the nearest.
const BELOW_HALF: f32 = 0.499_999_97;

/// The codes of bytes: how far they are moved down, and under which mask. There are no shifts of bytes, but what comes into
/// a byte from the one above it is beyond the mask.
#[inline(always)]
fn codes((bytes, shift, mask): (&[u8; WIDTH], u32, u8)) -> __m128i {
    // SAFETY: see the module; the array has as many bytes as are read.
    unsafe {
        let bytes = _mm_loadu_si128(bytes.as_ptr().cast());
        let moved = _mm_srl_epi16(bytes, _mm_cvtsi32_si128(shift.cast_signed()));
        _mm_and_si128(moved, _mm_set1_epi8(mask.cast_signed()))
    }
}
