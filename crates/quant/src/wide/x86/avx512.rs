//! Sixteen floats in one register of AVX-512.
//!
//! The contract of every `unsafe` block is the parent's.
#![allow(unsafe_code, reason = "the operations of registers that not every processor has; see the parent")]

use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Sub};

use super::BELOW_HALF;
use super::codes;
use crate::number::{MANTISSA, MIDDLE, ROUND};
use crate::registers::Floats;
use crate::wide::{Lanes, Mask, Points, Sixteen, WIDTH, by_lane};

#[derive(Clone, Copy)]
pub(super) struct Avx512(__m512);
#[derive(Clone, Copy)]
pub(super) struct Bits(__mmask16);

// SAFETY of all four: see the module.
by_lane!(Avx512, Add, add, |a, b| unsafe { _mm512_add_ps(a, b) });
by_lane!(Avx512, Sub, sub, |a, b| unsafe { _mm512_sub_ps(a, b) });
by_lane!(Avx512, Mul, mul, |a, b| unsafe { _mm512_mul_ps(a, b) });
by_lane!(Avx512, Div, div, |a, b| unsafe { _mm512_div_ps(a, b) });

impl Floats for Avx512 {
    type Counts = u64;

    #[inline(always)]
    fn none() -> u64 {
        0
    }

    #[inline(always)]
    fn count_zeros(self, counts: u64) -> u64 {
        // SAFETY: see the module.
        let zeros = unsafe { _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(self.0, _mm512_setzero_ps()) };
        counts.wrapping_add(u64::from(zeros.count_ones()))
    }

    #[inline(always)]
    fn counted(counts: u64) -> u64 {
        counts
    }

    #[inline(always)]
    fn reaching(self, floor: f32) -> u16 {
        // SAFETY: see the module.
        unsafe { _mm512_cmp_ps_mask::<_CMP_GE_OQ>(_mm512_abs_ps(self.0), _mm512_set1_ps(floor)) }
    }

    #[inline(always)]
    fn of(values: &[f32; WIDTH]) -> Self {
        Self::from_array(values)
    }

    #[inline(always)]
    fn lanes(self) -> [f32; WIDTH] {
        self.to_array()
    }
}

impl Avx512 {
    #[inline(always)]
    fn of_bytes(bytes: __m128i) -> Self {
        // SAFETY: see the module.
        Self(unsafe { _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(bytes)) })
    }

    #[inline(always)]
    fn whole(self, low: i32, high: i32) -> __m512i {
        // SAFETY: see the module.
        unsafe {
            let bits = _mm512_castps_si512(_mm512_add_ps(self.0, _mm512_set1_ps(ROUND)));
            let whole = _mm512_and_si512(bits, _mm512_set1_epi32(MANTISSA.cast_signed()));
            let whole = _mm512_sub_epi32(whole, _mm512_set1_epi32(MIDDLE));
            _mm512_max_epi32(_mm512_min_epi32(whole, _mm512_set1_epi32(high)), _mm512_set1_epi32(low))
        }
    }
}

impl Lanes for Avx512 {
    type Mask = Bits;
    type Array = [f32; WIDTH];

    #[inline(always)]
    fn from_array(array: &[f32; WIDTH]) -> Self {
        // SAFETY: see the module; the array has as many bytes as are read.
        Self(unsafe { _mm512_loadu_ps(array.as_ptr()) })
    }

    #[inline(always)]
    fn to_array(self) -> [f32; WIDTH] {
        let mut array = [0.0; WIDTH];
        // SAFETY: see the module; the array has as many bytes as are written.
        unsafe { _mm512_storeu_ps(array.as_mut_ptr(), self.0) };
        array
    }

    #[inline(always)]
    fn all(value: f32) -> Self {
        // SAFETY: see the module.
        Self(unsafe { _mm512_set1_ps(value) })
    }

    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: see the module.
        Self(unsafe { _mm512_abs_ps(self.0) })
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: see the module.
        Self(unsafe { _mm512_sqrt_ps(self.0) })
    }

    #[inline(always)]
    fn nearest_within(self, low: i32, high: i32) -> Self {
        // SAFETY: see the module.
        Self(unsafe { _mm512_cvtepi32_ps(self.whole(low, high)) })
    }

    #[inline(always)]
    fn choose(self, points: &Points, levels: &[f32; 16]) -> Self {
        // SAFETY: see the module; the arrays have as many bytes as are read.
        Self(unsafe {
            let mut number = _mm512_setzero_si512();
            for (halves, step) in points.halves.iter().zip(Points::STEPS) {
                let point = _mm512_permutexvar_ps(number, _mm512_loadu_ps(halves.as_ptr()));
                // Not below, so that a NaN goes the upper way.
                let up = _mm512_cmp_ps_mask::<_CMP_NLT_UQ>(self.0, point);
                number = _mm512_mask_add_epi32(number, up, number, _mm512_set1_epi32(i32::from(step)));
            }
            _mm512_permutexvar_ps(number, _mm512_loadu_ps(levels.as_ptr()))
        })
    }

    #[inline(always)]
    fn gt(self, other: Self) -> Bits {
        // SAFETY: see the module.
        Bits(unsafe { _mm512_cmp_ps_mask::<_CMP_GT_OQ>(self.0, other.0) })
    }

    #[inline(always)]
    fn ne(self, other: Self) -> Bits {
        // SAFETY: see the module.
        Bits(unsafe { _mm512_cmp_ps_mask::<_CMP_NEQ_UQ>(self.0, other.0) })
    }
}

impl Sixteen for Avx512 {
    #[inline(always)]
    fn from_signed(bytes: &[i8; WIDTH]) -> Self {
        // SAFETY: see the module; the array has as many bytes as are read.
        Self(unsafe { _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(bytes.as_ptr().cast()))) })
    }

    #[inline(always)]
    fn from_codes(bytes: &[u8; WIDTH], shift: u32, mask: u8) -> Self {
        Self::of_bytes(codes((bytes, shift, mask)))
    }

    #[inline(always)]
    fn from_two_codes(low: (&[u8; WIDTH], u32, u8), high: (&[u8; WIDTH], u32, u8), up: u32) -> Self {
        // SAFETY: see the module. Nothing of a byte leaves it: masks that are moved out of theirs do not occur.
        Self::of_bytes(unsafe {
            _mm_or_si128(codes(low), _mm_sll_epi16(codes(high), _mm_cvtsi32_si128(up.cast_signed())))
        })
    }

    #[inline(always)]
    fn all_half(bytes: [u8; 2]) -> Self {
        // SAFETY: see the module.
        Self(unsafe { _mm512_cvtph_ps(_mm256_set1_epi16(i16::from_le_bytes(bytes))) })
    }

    #[inline(always)]
    fn from_halves(halves: &[[u8; 2]; WIDTH]) -> Self {
        // SAFETY: see the module; the array has as many bytes as are read.
        Self(unsafe { _mm512_cvtph_ps(_mm256_loadu_si256(halves.as_ptr().cast())) })
    }

    #[inline(always)]
    fn to_halves(self) -> [[u8; 2]; WIDTH] {
        let mut halves = [[0; 2]; WIDTH];
        // SAFETY: see the module; the array has as many bytes as are written.
        unsafe {
            let mut rounded = _mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(self.0);
            let odd = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(self.0, self.0);
            if odd != 0 {
                // What is not a number loses its payload.
                let signs = _mm256_and_si256(rounded, _mm256_set1_epi16(i16::MIN));
                let odd_ones = _mm256_or_si256(signs, _mm256_set1_epi16(0x7e00));
                rounded = _mm256_mask_mov_epi16(rounded, odd, odd_ones);
            }
            _mm256_storeu_si256(halves.as_mut_ptr().cast(), rounded);
        }
        halves
    }

    #[inline(always)]
    fn to_brains(self) -> [[u8; 2]; WIDTH] {
        let mut halves = [[0; 2]; WIDTH];
        // SAFETY: see the module; the array has as many bytes as are written.
        unsafe {
            let bits = _mm512_castps_si512(self.0);
            let upper = _mm512_srli_epi32::<16>(bits);
            let odd = _mm512_and_si512(upper, _mm512_set1_epi32(1));
            let rounded = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
            let rounded = _mm512_srli_epi32::<16>(rounded);
            // What is not a number becomes quiet.
            let quiet = _mm512_or_si512(upper, _mm512_set1_epi32(0x40));
            let nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(self.0, self.0);
            let rounded = _mm512_mask_mov_epi32(rounded, nan, quiet);
            _mm256_storeu_si256(halves.as_mut_ptr().cast(), _mm512_cvtepi32_epi16(rounded));
        }
        halves
    }

    #[inline(always)]
    fn round_away(self) -> Self {
        // SAFETY: see the module.
        Self(unsafe {
            let half = _mm512_mask_xor_ps(
                _mm512_set1_ps(BELOW_HALF),
                _mm512_movepi32_mask(_mm512_castps_si512(self.0)),
                _mm512_set1_ps(BELOW_HALF),
                _mm512_set1_ps(-0.0),
            );
            _mm512_roundscale_ps::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(_mm512_add_ps(self.0, half))
        })
    }

    #[inline(always)]
    fn truncated(self) -> [i8; WIDTH] {
        let mut out = [0; WIDTH];
        // SAFETY: see the module; the array has as many bytes as are written.
        unsafe {
            let whole = _mm512_cvttps_epi32(self.0);
            _mm_storeu_si128(out.as_mut_ptr().cast(), _mm512_cvtepi32_epi8(whole));
        }
        out
    }

    #[inline(always)]
    fn turn(self, signs: u16) -> Self {
        // SAFETY: see the module.
        Self(unsafe { _mm512_mask_xor_ps(self.0, signs, self.0, _mm512_set1_ps(-0.0)) })
    }

    #[inline(always)]
    fn by_bits(bits: u16, set: Self, unset: Self) -> Self {
        // SAFETY: see the module.
        Self(unsafe { _mm512_mask_blend_ps(bits, unset.0, set.0) })
    }

    #[inline(always)]
    fn from_bytes(bytes: &[u8; WIDTH]) -> Self {
        // SAFETY: see the module; the array has as many bytes as are read.
        Self::of_bytes(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
    }

    #[inline(always)]
    fn look_up(table: &[f32; 16], bytes: &[u8; WIDTH]) -> Self {
        // SAFETY: see the module; the arrays have as many bytes as are read.
        Self(unsafe {
            let numbers = _mm512_cvtepu8_epi32(_mm_loadu_si128(bytes.as_ptr().cast()));
            _mm512_permutexvar_ps(numbers, _mm512_loadu_ps(table.as_ptr()))
        })
    }

    #[inline(always)]
    fn least(self) -> (f32, usize) {
        // SAFETY: see the module.
        unsafe {
            // The second operand where the first is not a number.
            let values = _mm512_min_ps(self.0, _mm512_set1_ps(f32::MAX));
            let least = _mm512_reduce_min_ps(values);
            let at = _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(values, _mm512_set1_ps(least));
            (least, at.trailing_zeros() as usize)
        }
    }

    #[inline(always)]
    fn codes(self, low: i32, high: i32) -> [u8; WIDTH] {
        let mut codes = [0; WIDTH];
        // SAFETY: see the module; the array has as many bytes as are written.
        unsafe {
            let whole = _mm512_sub_epi32(self.whole(low, high), _mm512_set1_epi32(low));
            _mm_storeu_si128(codes.as_mut_ptr().cast(), _mm512_cvtepi32_epi8(whole));
        }
        codes
    }
}

impl Mask<Avx512> for Bits {
    #[inline(always)]
    fn select(self, yes: Avx512, no: Avx512) -> Avx512 {
        // SAFETY: see the module.
        Avx512(unsafe { _mm512_mask_blend_ps(self.0, no.0, yes.0) })
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0)
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.0 != 0
    }
}
