//! Types of 256 weights, in groups with quantized scales of their own.

mod minimum;
mod q2_k;
mod q3_k;
mod q4_k;
mod q5_k;
mod q6_k;
mod q8_k;

use super::{batched, decoder};
use crate::codec::Codec;
use crate::half::F16;
use crate::wide::{Sixteen, WIDTH};

/// The codecs of this family.
pub(super) static CODECS: &[Codec] = &[
    batched::<q2_k::Q2K, 1, N>(),
    batched::<q3_k::Q3K, 2, N>(),
    batched::<q4_k::Q4K, 2, N>(),
    batched::<q5_k::Q5K, 2, N>(),
    batched::<q6_k::Q6K, 1, N>(),
    decoder::<q8_k::Q8K, N>(),
];

/// Weights of a block (`QK_K` in C).
const N: usize = 256;

/// Numbers of `LOW` bits of the first bytes, beginning at one bit, and above them `HIGH` bits of the second, beginning at
/// another.
#[inline(always)]
fn join<const LOW: u32, const HIGH: u32>(
    out: &mut [u8],
    (low, low_at): (&[u8], u32),
    (high, high_at): (&[u8], u32),
) {
    /// A one in each byte.
    const ONES: u64 = 0x0101_0101_0101_0101;
    let words = low.as_chunks().0.iter().zip(high.as_chunks().0);
    for (out, (low, high)) in out.as_chunks_mut().0.iter_mut().zip(words) {
        // Eight bytes in a word: what is moved into a byte from the next one is above its mask.
        let low = u64::from_le_bytes(*low) >> low_at & (ONES * ((1 << LOW) - 1));
        let high = u64::from_le_bytes(*high) >> high_at & (ONES * ((1 << HIGH) - 1));
        *out = (low | high << LOW).to_le_bytes();
    }
}

/// The 6-bit scales and minimums of the eight groups of Q4_K and Q5_K (`get_scale_min_k4` in C).
///
/// | bytes | low six bits | above them |
/// |---|---|---|
/// | 0..4 | scales of groups 0 to 3 | the upper two bits of scales 4 to 7 |
/// | 4..8 | minimums of groups 0 to 3 | the upper two bits of minimums 4 to 7 |
///
/// and bytes 8..12 have the lower four bits of scales 4 to 7 in their low nibbles, of minimums 4 to 7 in the high ones.
#[inline(always)]
fn scales_and_minimums(packed: &[u8; 12]) -> ([u8; 8], [u8; 8]) {
    /// A one in each byte.
    const ONES: u32 = 0x0101_0101;
    // Four bytes in a word.
    let [scale, minimum, low] =
        [0, 4, 8].map(|at| u32::from_le_bytes([packed[at], packed[at + 1], packed[at + 2], packed[at + 3]]));
    let eight = |first: u32, low: u32, high: u32| {
        let second = low & (ONES * 15) | (high >> 6 & (ONES * 3)) << 4;
        (u64::from(first & (ONES * 63)) | u64::from(second) << 32).to_le_bytes()
    };
    (eight(scale, low, scale), eight(minimum, low >> 4, minimum))
}

/// [`scales_and_minimums`] as floats: the scales of the groups, each times `d`, then the minimums, each times `dmin`.
#[inline(always)]
fn scaled<L: Sixteen>(packed: &[u8; 12], d: F16, dmin: F16) -> [f32; WIDTH] {
    let (scales, minimums) = scales_and_minimums(packed);
    let both = u128::from(u64::from_le_bytes(scales)) | u128::from(u64::from_le_bytes(minimums)) << 64;
    (L::from_bytes(&both.to_le_bytes()) * L::by_bits(0x00ff, d.all(), dmin.all())).to_array()
}
