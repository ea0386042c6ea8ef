//! Eight doubles in the registers of x86 processors.
//!
//! As in `x86`: the types are private to this module, `run` is the only one to name them, and has tested for the features that
//! their operations need. That is the contract of every `unsafe` block below.
#![allow(unsafe_code, reason = "the operations of registers that not every processor has; see above")]

use std::arch::x86_64::*;
use std::ops::{Add, Mul, Sub};

use super::Registers;
use super::portable::Eight;
use crate::registers::{Doubles, Pass};

/// Does the work with the widest registers that this processor has, up to these.
pub(super) fn run<P: Pass>(up_to: Registers, pass: P) -> P::Output {
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
    fn avx512<P: Pass>(pass: P) -> P::Output {
        pass.run::<Avx512>()
    }
    #[target_feature(enable = "avx2")]
    fn avx2<P: Pass>(pass: P) -> P::Output {
        pass.run::<Avx2>()
    }
    if up_to >= Registers::Avx512
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512cd")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
    {
        // SAFETY: all features that `avx512` is compiled for were found.
        unsafe { avx512(pass) }
    } else if up_to >= Registers::Avx2 && is_x86_feature_detected!("avx2") {
        // SAFETY: the feature that `avx2` is compiled for was found.
        unsafe { avx2(pass) }
    } else {
        pass.run::<Eight>()
    }
}

#[derive(Clone, Copy)]
struct Avx512(__m512d);
#[derive(Clone, Copy)]
struct Avx2([__m256d; 2]);

macro_rules! by_lane {
    ($trait:ident, $method:ident, $wide:ident, $half:ident) => {
        impl $trait for Avx512 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: see the module.
                Self(unsafe { $wide(self.0, other.0) })
            }
        }
        impl $trait for Avx2 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: see the module.
                Self(unsafe { [$half(self.0[0], other.0[0]), $half(self.0[1], other.0[1])] })
            }
        }
    };
}
by_lane!(Add, add, _mm512_add_pd, _mm256_add_pd);
by_lane!(Sub, sub, _mm512_sub_pd, _mm256_sub_pd);
by_lane!(Mul, mul, _mm512_mul_pd, _mm256_mul_pd);

impl Doubles for Avx512 {
    #[inline(always)]
    fn of(values: &[f32; 8]) -> Self {
        // SAFETY: see the module; the array has as many bytes as are read.
        Self(unsafe { _mm512_cvtps_pd(_mm256_loadu_ps(values.as_ptr())) })
    }

    #[inline(always)]
    fn all(value: f64) -> Self {
        // SAFETY: see the module.
        Self(unsafe { _mm512_set1_pd(value) })
    }

    #[inline(always)]
    fn reach(self, other: Self) -> Self {
        // SAFETY: see the module. The second operand where either is not a number.
        Self(unsafe { _mm512_max_pd(_mm512_abs_pd(other.0), self.0) })
    }

    #[inline(always)]
    fn lanes(self) -> [f64; 8] {
        let mut lanes = [0.0; 8];
        // SAFETY: see the module; the array has as many bytes as are written.
        unsafe { _mm512_storeu_pd(lanes.as_mut_ptr(), self.0) };
        lanes
    }
}

impl Doubles for Avx2 {
    #[inline(always)]
    fn of(values: &[f32; 8]) -> Self {
        // SAFETY: see the module; the array has as many bytes as are read.
        Self(unsafe {
            [
                _mm256_cvtps_pd(_mm_loadu_ps(values.as_ptr())),
                _mm256_cvtps_pd(_mm_loadu_ps(values.as_ptr().add(4))),
            ]
        })
    }

    #[inline(always)]
    fn all(value: f64) -> Self {
        // SAFETY: see the module.
        Self(unsafe { [_mm256_set1_pd(value); 2] })
    }

    #[inline(always)]
    fn reach(self, other: Self) -> Self {
        // SAFETY: see the module. The second operand where either is not a number.
        Self(unsafe {
            let sign = _mm256_set1_pd(-0.0);
            [
                _mm256_max_pd(_mm256_andnot_pd(sign, other.0[0]), self.0[0]),
                _mm256_max_pd(_mm256_andnot_pd(sign, other.0[1]), self.0[1]),
            ]
        })
    }

    #[inline(always)]
    fn lanes(self) -> [f64; 8] {
        let mut lanes = [0.0; 8];
        // SAFETY: see the module; the array has as many bytes as are written.
        unsafe {
            _mm256_storeu_pd(lanes.as_mut_ptr(), self.0[0]);
            _mm256_storeu_pd(lanes.as_mut_ptr().add(4), self.0[1]);
        }
        lanes
    }
}
