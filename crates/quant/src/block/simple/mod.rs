//! Types with one scale, and perhaps one offset, for a whole block.

mod q1_0;
mod q2_0;
mod q4_0;
mod q4_1;
mod q5_0;
mod q5_1;
mod q8_0;

use super::batch::{self, Batch};
use super::{batched, both, inverse, reach, reach_of_bits, truncated};
use crate::codec::Codec;
use crate::wide::{Sixteen, WIDTH};

/// The codecs of this family.
pub(super) static CODECS: &[Codec] = &[
    batched::<q4_0::Q4_0, WIDTH, N>(),
    batched::<q4_1::Q4_1, WIDTH, N>(),
    batched::<q5_0::Q5_0, WIDTH, N>(),
    batched::<q5_1::Q5_1, WIDTH, N>(),
    both::<q8_0::Q8_0, N>(),
    both::<q1_0::Q1_0, 128>(),
    both::<q2_0::Q2_0, 64>(),
];

/// Weights of a block, of most of these types.
const N: usize = 32;

/// The first value that is farthest from zero, with its sign; 0 where all are. One that is not a number does not count.
#[inline(always)]
fn extreme<const N: usize>(values: &[f32; N]) -> f32 {
    let reach = reach_of_bits(values);
    let (mut above, mut below) = (false, false);
    for x in values {
        above |= *x == reach;
        below |= *x == -reach;
    }
    match (above, below) {
        (true, false) => reach,
        (false, true) => -reach,
        _ => first_extreme(values),
    }
}

/// The same, one value after the other.
fn first_extreme(values: &[f32]) -> f32 {
    let (mut farthest, mut extreme) = (0.0f32, 0.0f32);
    for &x in values {
        if farthest < x.abs() {
            (farthest, extreme) = (x.abs(), x);
        }
    }
    extreme
}

/// The codes of values: truncated, bytes of a sign, and no more than `top`.
#[inline(always)]
fn bounded<L: Sixteen>(values: &[f32; N], number: impl Fn(L) -> L, top: i8) -> [u8; N] {
    let mut codes = [0; N];
    for (code, number) in codes.iter_mut().zip(truncated(values, number)) {
        *code = number.min(top).cast_unsigned();
    }
    codes
}

/// The codes of values: truncated, bytes without a sign.
#[inline(always)]
fn unbounded<L: Sixteen>(values: &[f32; N], number: impl Fn(L) -> L) -> [u8; N] {
    let mut codes = [0; N];
    for (code, number) in codes.iter_mut().zip(truncated(values, number)) {
        *code = number.cast_unsigned();
    }
    codes
}

/// The smallest and the largest value; of zeros of both signs the first.
#[inline(always)]
fn range(values: &[f32; N]) -> (f32, f32) {
    let (mut low, mut high) = ([f32::MAX; WIDTH], [f32::MIN; WIDTH]);
    for values in values.as_chunks::<WIDTH>().0 {
        for ((low, high), &x) in low.iter_mut().zip(&mut high).zip(values) {
            *low = if x < *low { x } else { *low };
            *high = if x > *high { x } else { *high };
        }
    }
    let (min, max) = (range_of(&low).0, range_of(&high).1);
    // Which zero comes first is not seen side by side.
    if min == 0.0 || max == 0.0 { range_of(values) } else { (min, max) }
}

/// The same, one value after the other.
#[inline(always)]
fn range_of(values: &[f32]) -> (f32, f32) {
    let (mut min, mut max) = (f32::MAX, f32::MIN);
    for &x in values {
        if x < min {
            min = x;
        }
        if x > max {
            max = x;
        }
    }
    (min, max)
}

/// The values of a batch, and how much each matters; `None` where the importance of columns is not known.
#[inline(always)]
fn weighed<L: Sixteen>(batch: &Batch<'_, WIDTH, N>) -> Option<([L; N], [L; N])> {
    let importance = batch.importance.as_ref()?;
    let x = batch::side_by_side(&batch.values);
    let weights = batch::weigh(&x, &batch::side_by_side(importance), L::from_array(&batch.row_mean_squares));
    Some((x, weights))
}

/// Numbers of four bits: those of the low nibbles, then those of the high ones.
fn nibbles(qs: &[u8; N / 2]) -> [u8; N] {
    std::array::from_fn(|i| if i < N / 2 { qs[i] & 15 } else { qs[i - N / 2] >> 4 })
}

/// The same as floats, sixteen and sixteen.
#[inline(always)]
fn wide_nibbles<L: Sixteen>(qs: &[u8; N / 2]) -> [L; 2] {
    [L::from_codes(qs, 0, 15), L::from_codes(qs, 4, 15)]
}

/// [`fives`] as floats, sixteen and sixteen.
#[inline(always)]
fn wide_fives<L: Sixteen>(qs: &[u8; N / 2], qh: [u8; 4]) -> [L; 2] {
    let [low, high] = wide_nibbles::<L>(qs);
    let [a, b, c, d] = qh;
    [
        low + L::by_bits(u16::from_le_bytes([a, b]), L::all(16.0), L::zero()),
        high + L::by_bits(u16::from_le_bytes([c, d]), L::all(16.0), L::zero()),
    ]
}

/// The numbers of a block.
#[inline(always)]
fn put<L: Sixteen, const P: usize, const N: usize>(numbers: [L; P], out: &mut [f32; N]) {
    for (out, numbers) in out.as_chunks_mut().0.iter_mut().zip(numbers) {
        *out = numbers.to_array();
    }
}

/// The low four bits of each number, as [`nibbles`] takes them.
#[inline(always)]
fn pack_nibbles(q: &[u8; N]) -> [u8; N / 2] {
    std::array::from_fn(|i| q[i] & 15 | q[i + N / 2] << 4)
}

/// Numbers of five bits: their low four as nibbles, the fifth in a word.
fn fives(qs: &[u8; N / 2], qh: [u8; 4]) -> [u8; N] {
    let (low, high) = (nibbles(qs), u32::from_le_bytes(qh));
    std::array::from_fn(|i| low[i] | ((high >> i & 1) as u8) << 4)
}

/// The fifth bit of each number, as [`fives`] takes them.
#[inline(always)]
fn fifth_bits(q: &[u8; N]) -> [u8; 4] {
    (0..N).fold(0u32, |word, i| word | u32::from(q[i] >> 4 & 1) << i).to_le_bytes()
}
