//! Eight doubles in the registers of x86 processors.
//!
//! The contract of every `unsafe` block is the parent's.
#![allow(unsafe_code, reason = "the operations of registers that not every processor has; see the parent")]

use std::arch::x86_64::*;
use std::ops::{Add, Mul, Sub};

use crate::registers::{Doubles, LANES};
use crate::wide::by_lane;

#[derive(Clone, Copy)]
pub(super) struct Avx512(__m512d);
#[derive(Clone, Copy)]
pub(super) struct Avx2([__m256d; 2]);

// SAFETY of all of them: see the module.
by_lane!(Avx512, Add, add, |a, b| unsafe { _mm512_add_pd(a, b) });
by_lane!(Avx512, Sub, sub, |a, b| unsafe { _mm512_sub_pd(a, b) });
by_lane!(Avx512, Mul, mul, |a, b| unsafe { _mm512_mul_pd(a, b) });
by_lane!(Avx2, Add, add, |a, b| unsafe { [_mm256_add_pd(a[0], b[0]), _mm256_add_pd(a[1], b[1])] });
by_lane!(Avx2, Sub, sub, |a, b| unsafe { [_mm256_sub_pd(a[0], b[0]), _mm256_sub_pd(a[1], b[1])] });
by_lane!(Avx2, Mul, mul, |a, b| unsafe { [_mm256_mul_pd(a[0], b[0]), _mm256_mul_pd(a[1], b[1])] });

impl Doubles for Avx512 {
    type Floats = super::avx512::Avx512;

    #[inline(always)]
    fn of(values: &[f32; LANES]) -> Self {
        // SAFETY: see the module; the array has as many bytes as are read.
        Self(unsafe { _mm512_cvtps_pd(_mm256_loadu_ps(values.as_ptr())) })
    }

    #[inline(always)]
    fn halves(values: &[f32; 2 * LANES]) -> [Self; 2] {
        // SAFETY: see the module; the array has as many bytes as are read.
        unsafe {
            let half = |at| Self(_mm512_cvtps_pd(_mm256_loadu_ps(values.as_ptr().add(at))));
            [half(0), half(LANES)]
        }
    }

    #[inline(always)]
    fn all(value: f64) -> Self {
        // SAFETY: see the module.
        Self(unsafe { _mm512_set1_pd(value) })
    }

    #[inline(always)]
    fn plus_product(self, a: Self, b: Self) -> Self {
        // SAFETY: see the module.
        Self(unsafe { _mm512_fmadd_pd(a.0, b.0, self.0) })
    }

    #[inline(always)]
    fn most(self, other: Self) -> Self {
        // SAFETY: see the module. The second operand where either is not a number.
        Self(unsafe { _mm512_max_pd(other.0, self.0) })
    }

    #[inline(always)]
    fn lanes(self) -> [f64; LANES] {
        let mut lanes = [0.0; LANES];
        // SAFETY: see the module; the array has as many bytes as are written.
        unsafe { _mm512_storeu_pd(lanes.as_mut_ptr(), self.0) };
        lanes
    }
}

impl Doubles for Avx2 {
    type Floats = super::avx2::Avx2;

    #[inline(always)]
    fn of(values: &[f32; LANES]) -> Self {
        // SAFETY: see the module; the array has as many bytes as are read.
        Self(unsafe {
            [
                _mm256_cvtps_pd(_mm_loadu_ps(values.as_ptr())),
                _mm256_cvtps_pd(_mm_loadu_ps(values.as_ptr().add(4))),
            ]
        })
    }

    #[inline(always)]
    fn halves(values: &[f32; 2 * LANES]) -> [Self; 2] {
        // SAFETY: see the module; the array has as many bytes as are read.
        unsafe {
            let quarter = |at| _mm256_cvtps_pd(_mm_loadu_ps(values.as_ptr().add(at)));
            [Self([quarter(0), quarter(4)]), Self([quarter(8), quarter(12)])]
        }
    }

    #[inline(always)]
    fn all(value: f64) -> Self {
        // SAFETY: see the module.
        Self(unsafe { [_mm256_set1_pd(value); 2] })
    }

    #[inline(always)]
    fn plus_product(self, a: Self, b: Self) -> Self {
        // SAFETY: see the module.
        Self(unsafe {
            [_mm256_fmadd_pd(a.0[0], b.0[0], self.0[0]), _mm256_fmadd_pd(a.0[1], b.0[1], self.0[1])]
        })
    }

    #[inline(always)]
    fn most(self, other: Self) -> Self {
        // SAFETY: see the module. The second operand where either is not a number.
        Self(unsafe { [_mm256_max_pd(other.0[0], self.0[0]), _mm256_max_pd(other.0[1], self.0[1])] })
    }

    #[inline(always)]
    fn lanes(self) -> [f64; LANES] {
        let mut lanes = [0.0; LANES];
        // SAFETY: see the module; the array has as many bytes as are written.
        unsafe {
            _mm256_storeu_pd(lanes.as_mut_ptr(), self.0[0]);
            _mm256_storeu_pd(lanes.as_mut_ptr().add(4), self.0[1]);
        }
        lanes
    }
}
