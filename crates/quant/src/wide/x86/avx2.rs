//! Sixteen floats in two registers of AVX2.
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

/// Two registers, so that there is something to do while a sum waits for its last member.
#[derive(Clone, Copy)]
pub(super) struct Avx2([__m256; 2]);

// SAFETY of all four: see the module.
by_lane!(Avx2, Add, add, |a, b| unsafe { [_mm256_add_ps(a[0], b[0]), _mm256_add_ps(a[1], b[1])] });
by_lane!(Avx2, Sub, sub, |a, b| unsafe { [_mm256_sub_ps(a[0], b[0]), _mm256_sub_ps(a[1], b[1])] });
by_lane!(Avx2, Mul, mul, |a, b| unsafe { [_mm256_mul_ps(a[0], b[0]), _mm256_mul_ps(a[1], b[1])] });
by_lane!(Avx2, Div, div, |a, b| unsafe { [_mm256_div_ps(a[0], b[0]), _mm256_div_ps(a[1], b[1])] });

#[derive(Clone, Copy)]
pub(super) struct Counts([__m256i; 2]);

impl Floats for Avx2 {
    type Counts = Counts;

    #[inline(always)]
    fn none() -> Counts {
        // SAFETY: see the module.
        Counts([unsafe { _mm256_setzero_si256() }; 2])
    }

    #[inline(always)]
    fn count_zeros(self, counts: Counts) -> Counts {
        // SAFETY: see the module.
        Counts(unsafe {
            // All bits of a zero's lane: less by -1 is more by 1.
            let zeros = |half| _mm256_castps_si256(_mm256_cmp_ps::<_CMP_EQ_OQ>(half, _mm256_setzero_ps()));
            [_mm256_sub_epi32(counts.0[0], zeros(self.0[0])), _mm256_sub_epi32(counts.0[1], zeros(self.0[1]))]
        })
    }

    #[inline(always)]
    fn counted(counts: Counts) -> u64 {
        let mut lanes = [[0_u32; WIDTH / 2]; 2];
        for (lanes, half) in lanes.iter_mut().zip(counts.0) {
            // SAFETY: see the module; the array has as many bytes as are written.
            unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), half) };
        }
        lanes.as_flattened().iter().map(|lane| u64::from(*lane)).sum()
    }

    #[inline(always)]
    fn reaching(self, floor: f32) -> u16 {
        // SAFETY: see the module.
        unsafe {
            let half = |half| {
                let magnitudes = _mm256_andnot_ps(_mm256_set1_ps(-0.0), half);
                _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GE_OQ>(magnitudes, _mm256_set1_ps(floor))) as u16
            };
            half(self.0[0]) | half(self.0[1]) << 8
        }
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

/// The numbers of a table of sixteen.
#[inline]
#[target_feature(enable = "avx2")]
fn look_up(table: &[f32; 16], number: __m256i) -> __m256 {
    // SAFETY: the array has as many bytes as are read.
    let (first, second) =
        unsafe { (_mm256_loadu_ps(table.as_ptr()), _mm256_loadu_ps(table.as_ptr().add(8))) };
    // The lower three bits of a number choose in a half, the fourth, moved to the top, the half.
    _mm256_blendv_ps(
        _mm256_permutevar8x32_ps(first, number),
        _mm256_permutevar8x32_ps(second, number),
        _mm256_castsi256_ps(_mm256_slli_epi32::<28>(number)),
    )
}

impl Avx2 {
    #[inline(always)]
    fn of_bytes(bytes: __m128i) -> Self {
        // SAFETY: see the module.
        Self(unsafe {
            let second = _mm_srli_si128::<8>(bytes);
            [
                _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes)),
                _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(second)),
            ]
        })
    }

    #[inline(always)]
    fn whole(self, low: i32, high: i32) -> [__m256i; 2] {
        // SAFETY: see the module.
        unsafe {
            let mut out = [_mm256_setzero_si256(); 2];
            for (out, half) in out.iter_mut().zip(self.0) {
                let bits = _mm256_castps_si256(_mm256_add_ps(half, _mm256_set1_ps(ROUND)));
                let whole = _mm256_and_si256(bits, _mm256_set1_epi32(MANTISSA.cast_signed()));
                let whole = _mm256_sub_epi32(whole, _mm256_set1_epi32(MIDDLE));
                let whole = _mm256_min_epi32(whole, _mm256_set1_epi32(high));
                *out = _mm256_max_epi32(whole, _mm256_set1_epi32(low));
            }
            out
        }
    }
}

impl Lanes for Avx2 {
    /// All bits set or none.
    type Mask = Self;
    type Array = [f32; WIDTH];

    #[inline(always)]
    fn from_array(array: &[f32; WIDTH]) -> Self {
        // SAFETY: see the module; the array has as many bytes as are read.
        Self(unsafe { [_mm256_loadu_ps(array.as_ptr()), _mm256_loadu_ps(array.as_ptr().add(8))] })
    }

    #[inline(always)]
    fn to_array(self) -> [f32; WIDTH] {
        let mut array = [0.0; WIDTH];
        // SAFETY: see the module; the array has as many bytes as are written.
        unsafe {
            _mm256_storeu_ps(array.as_mut_ptr(), self.0[0]);
            _mm256_storeu_ps(array.as_mut_ptr().add(8), self.0[1]);
        }
        array
    }

    #[inline(always)]
    fn all(value: f32) -> Self {
        // SAFETY: see the module.
        Self(unsafe { [_mm256_set1_ps(value); 2] })
    }

    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: see the module.
        unsafe {
            let sign = _mm256_set1_ps(-0.0);
            Self([_mm256_andnot_ps(sign, self.0[0]), _mm256_andnot_ps(sign, self.0[1])])
        }
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: see the module.
        Self(unsafe { [_mm256_sqrt_ps(self.0[0]), _mm256_sqrt_ps(self.0[1])] })
    }

    #[inline(always)]
    fn nearest_within(self, low: i32, high: i32) -> Self {
        let [first, second] = self.whole(low, high);
        // SAFETY: see the module.
        Self(unsafe { [_mm256_cvtepi32_ps(first), _mm256_cvtepi32_ps(second)] })
    }

    #[inline(always)]
    fn choose(self, points: &Points, levels: &[f32; 16]) -> Self {
        let mut out = self.0;
        for half in &mut out {
            // SAFETY: see the module; the arrays have as many bytes as are read.
            *half = unsafe {
                let mut number = _mm256_setzero_si256();
                for (halves, step) in points.halves.iter().zip(Points::STEPS) {
                    let point = look_up(halves, number);
                    // Not below, so that a NaN goes the upper way.
                    let up = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_NLT_UQ>(*half, point));
                    number =
                        _mm256_or_si256(number, _mm256_and_si256(up, _mm256_set1_epi32(i32::from(step))));
                }
                look_up(levels, number)
            };
        }
        Self(out)
    }

    #[inline(always)]
    fn gt(self, other: Self) -> Self {
        // SAFETY: see the module.
        Self(unsafe {
            [
                _mm256_cmp_ps::<_CMP_GT_OQ>(self.0[0], other.0[0]),
                _mm256_cmp_ps::<_CMP_GT_OQ>(self.0[1], other.0[1]),
            ]
        })
    }

    #[inline(always)]
    fn ne(self, other: Self) -> Self {
        // SAFETY: see the module.
        Self(unsafe {
            [
                _mm256_cmp_ps::<_CMP_NEQ_UQ>(self.0[0], other.0[0]),
                _mm256_cmp_ps::<_CMP_NEQ_UQ>(self.0[1], other.0[1]),
            ]
        })
    }
}

impl Sixteen for Avx2 {
    #[inline(always)]
    fn from_signed(bytes: &[i8; WIDTH]) -> Self {
        // SAFETY: see the module; the array has as many bytes as are read.
        Self(unsafe {
            let bytes = _mm_loadu_si128(bytes.as_ptr().cast());
            [
                _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes)),
                _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_srli_si128::<8>(bytes))),
            ]
        })
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
        Self(unsafe { [_mm256_cvtph_ps(_mm_set1_epi16(i16::from_le_bytes(bytes))); 2] })
    }

    #[inline(always)]
    fn from_halves(halves: &[[u8; 2]; WIDTH]) -> Self {
        let (first, second) = halves.split_at(WIDTH / 2);
        // SAFETY: see the module; the halves of the array have as many bytes as are read.
        Self(unsafe {
            [
                _mm256_cvtph_ps(_mm_loadu_si128(first.as_ptr().cast())),
                _mm256_cvtph_ps(_mm_loadu_si128(second.as_ptr().cast())),
            ]
        })
    }

    #[inline(always)]
    fn to_halves(self) -> [[u8; 2]; WIDTH] {
        let mut halves = [[0; 2]; WIDTH];
        for (out, half) in halves.chunks_exact_mut(WIDTH / 2).zip(self.0) {
            // SAFETY: see the module; the half of the array has as many bytes as are written.
            unsafe {
                let rounded = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(half);
                // What is not a number loses its payload.
                let odd = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_UNORD_Q>(half, half));
                let odd = _mm_packs_epi32(_mm256_castsi256_si128(odd), _mm256_extracti128_si256::<1>(odd));
                let signs = _mm_and_si128(rounded, _mm_set1_epi16(i16::MIN));
                let odd_ones = _mm_or_si128(signs, _mm_set1_epi16(0x7e00));
                _mm_storeu_si128(out.as_mut_ptr().cast(), _mm_blendv_epi8(rounded, odd_ones, odd));
            }
        }
        halves
    }

    #[inline(always)]
    fn to_brains(self) -> [[u8; 2]; WIDTH] {
        let mut halves = [[0; 2]; WIDTH];
        // SAFETY: see the module; the array has as many bytes as are written.
        unsafe {
            let [first, second] = self.0.map(|half| {
                let bits = _mm256_castps_si256(half);
                let upper = _mm256_srli_epi32::<16>(bits);
                let odd = _mm256_and_si256(upper, _mm256_set1_epi32(1));
                let rounded = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
                let rounded = _mm256_srli_epi32::<16>(rounded);
                // What is not a number becomes quiet.
                let quiet = _mm256_or_si256(upper, _mm256_set1_epi32(0x40));
                let nan = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_UNORD_Q>(half, half));
                _mm256_blendv_epi8(rounded, quiet, nan)
            });
            // Halves of registers are packed by themselves: numbers 0, 2, 1, 3 of the four pieces.
            let packed = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(first, second));
            _mm256_storeu_si256(halves.as_mut_ptr().cast(), packed);
        }
        halves
    }

    #[inline(always)]
    fn round_away(self) -> Self {
        // SAFETY: see the module.
        Self(self.0.map(|numbers| unsafe {
            let sign = _mm256_and_ps(numbers, _mm256_set1_ps(-0.0));
            let half = _mm256_or_ps(sign, _mm256_set1_ps(BELOW_HALF));
            _mm256_round_ps::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(_mm256_add_ps(numbers, half))
        }))
    }

    #[inline(always)]
    fn truncated(self) -> [i8; WIDTH] {
        let mut out = [0; WIDTH];
        // SAFETY: see the module; the array has as many bytes as are written.
        unsafe {
            let byte = _mm256_set1_epi32(0xff);
            let [first, second] = self.0.map(|numbers| _mm256_and_si256(_mm256_cvttps_epi32(numbers), byte));
            // Halves of registers are packed by themselves: numbers 0, 2, 1, 3 of the four pieces.
            let words = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi32(first, second));
            let bytes = _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words));
            _mm_storeu_si128(out.as_mut_ptr().cast(), bytes);
        }
        out
    }

    #[inline(always)]
    fn turn(self, signs: u16) -> Self {
        let [first, second] = spread(signs);
        // SAFETY: see the module.
        unsafe {
            let sign = _mm256_set1_ps(-0.0);
            Self([
                _mm256_xor_ps(self.0[0], _mm256_and_ps(first, sign)),
                _mm256_xor_ps(self.0[1], _mm256_and_ps(second, sign)),
            ])
        }
    }

    #[inline(always)]
    fn by_bits(bits: u16, set: Self, unset: Self) -> Self {
        let [first, second] = spread(bits);
        // SAFETY: see the module.
        Self(unsafe {
            [_mm256_blendv_ps(unset.0[0], set.0[0], first), _mm256_blendv_ps(unset.0[1], set.0[1], second)]
        })
    }

    #[inline(always)]
    fn from_bytes(bytes: &[u8; WIDTH]) -> Self {
        // SAFETY: see the module; the array has as many bytes as are read.
        Self::of_bytes(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
    }

    #[inline(always)]
    fn look_up(table: &[f32; 16], bytes: &[u8; WIDTH]) -> Self {
        let (first, second) = halves_of(bytes);
        // SAFETY: see the module.
        Self(unsafe { [look_up(table, first), look_up(table, second)] })
    }

    #[inline(always)]
    fn least(self) -> (f32, usize) {
        // SAFETY: see the module.
        unsafe {
            let most = _mm256_set1_ps(f32::MAX);
            // The second operand where the first is not a number.
            let values = [_mm256_min_ps(self.0[0], most), _mm256_min_ps(self.0[1], most)];
            let both = _mm256_min_ps(values[0], values[1]);
            let four = _mm_min_ps(_mm256_castps256_ps128(both), _mm256_extractf128_ps::<1>(both));
            let two = _mm_min_ps(four, _mm_movehl_ps(four, four));
            let least = _mm_cvtss_f32(_mm_min_ss(two, _mm_movehdup_ps(two)));
            let equal = |half| _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_EQ_OQ>(half, _mm256_set1_ps(least)));
            let at = equal(values[0]) | equal(values[1]) << 8;
            (least, at.trailing_zeros() as usize)
        }
    }

    #[inline(always)]
    fn codes(self, low: i32, high: i32) -> [u8; WIDTH] {
        let mut codes = [0; WIDTH];
        let [first, second] = self.whole(low, high);
        // SAFETY: see the module; the array has as many bytes as are written.
        unsafe {
            let low = _mm256_set1_epi32(low);
            let (first, second) = (_mm256_sub_epi32(first, low), _mm256_sub_epi32(second, low));
            // Halves of registers are packed by themselves: numbers 0, 2, 1, 3 of the four pieces.
            let words = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi32(first, second));
            let bytes = _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words));
            _mm_storeu_si128(codes.as_mut_ptr().cast(), bytes);
        }
        codes
    }
}

/// All bits of a lane where its bit is set, of each of two registers.
#[inline(always)]
fn spread(bits: u16) -> [__m256; 2] {
    // SAFETY: see the module.
    unsafe {
        let all = _mm256_set1_epi32(i32::from(bits));
        let first = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        let second = _mm256_slli_epi32::<8>(first);
        [
            _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(all, first), first)),
            _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(all, second), second)),
        ]
    }
}

/// Sixteen bytes as two registers of integers.
#[inline(always)]
fn halves_of(bytes: &[u8; WIDTH]) -> (__m256i, __m256i) {
    // SAFETY: see the module; the array has as many bytes as are read.
    unsafe {
        let bytes = _mm_loadu_si128(bytes.as_ptr().cast());
        (_mm256_cvtepu8_epi32(bytes), _mm256_cvtepu8_epi32(_mm_srli_si128::<8>(bytes)))
    }
}

impl Mask<Self> for Avx2 {
    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        // SAFETY: see the module.
        Self(unsafe {
            [_mm256_blendv_ps(no.0[0], yes.0[0], self.0[0]), _mm256_blendv_ps(no.0[1], yes.0[1], self.0[1])]
        })
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: see the module.
        Self(unsafe { [_mm256_and_ps(self.0[0], other.0[0]), _mm256_and_ps(self.0[1], other.0[1])] })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: see the module.
        Self(unsafe { [_mm256_or_ps(self.0[0], other.0[0]), _mm256_or_ps(self.0[1], other.0[1])] })
    }

    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: see the module.
        unsafe {
            let ones = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
            Self([_mm256_xor_ps(self.0[0], ones), _mm256_xor_ps(self.0[1], ones)])
        }
    }

    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: see the module.
        unsafe { _mm256_movemask_ps(_mm256_or_ps(self.0[0], self.0[1])) != 0 }
    }
}
