//! Types whose numbers are looked up in a fixed table.

mod iq1_m;
mod iq1_s;
mod iq2_s;
mod iq2_xs;
mod iq2_xxs;
mod iq3_s;
mod iq3_xxs;
mod iq4_nl;
mod iq4_xs;
mod magnitudes;
mod search;

use super::{batched, inverse};
use crate::codec::Codec;
use crate::grid::iq4;
use crate::grid::signs::SIGN_BITS;
use crate::half::F16;
use crate::scale::codebook::codes;
use crate::wide::{Sixteen, WIDTH};

/// The codecs of this family.
pub(super) static CODECS: &[Codec] = &[
    batched::<iq2_xxs::Iq2Xxs, 2, N>(),
    batched::<iq2_xs::Iq2Xs, 1, N>(),
    batched::<iq3_xxs::Iq3Xxs, 2, N>(),
    batched::<iq1_s::Iq1S, 1, N>(),
    batched::<iq3_s::Iq3S, 2, N>(),
    batched::<iq2_s::Iq2S, 1, N>(),
    batched::<iq4_nl::Iq4Nl, 16, 32>(),
    batched::<iq4_xs::Iq4Xs, 2, N>(),
    batched::<iq1_m::Iq1M, 1, N>(),
];

/// Weights of a block (`QK_K` in C).
const N: usize = 256;

/// The `i`th nibble of some bytes, the low one of a byte first.
#[inline(always)]
fn nibble<const B: usize>(bytes: &[u8; B], i: usize) -> u8 {
    bytes[i / 2] >> (i % 2 * 4) & 15
}

/// Eight weights: magnitudes, scaled, bit i of `signs` telling whether the `i`th is negative.
///
/// The reference multiplies with 1 or -1, of which compilers make turning the sign, as here; that of a not-a-number, too.
#[inline(always)]
fn place(out: &mut [f32; 8], scale: f32, magnitudes: &[i8; 8], signs: u8) {
    let sign_bits = &SIGN_BITS[usize::from(signs)];
    for ((out, magnitude), sign_bit) in out.iter_mut().zip(magnitudes).zip(sign_bits) {
        *out = f32::from_bits((scale * f32::from(*magnitude)).to_bits() ^ sign_bit);
    }
}

/// Sixteen weights: of some points, in their order, scaled, bit i of `signs` telling whether the `i`th is negative.
#[inline(always)]
fn sixteen<L: Sixteen, const D: usize, const P: usize>(
    scale: L,
    points: [&[i8; D]; P],
    signs: u16,
) -> [f32; WIDTH] {
    (scale * L::from_signed(&side_by_side(points))).turn(signs).to_array()
}

/// The numbers of points, one point behind the other.
#[inline(always)]
fn side_by_side<const D: usize, const P: usize>(points: [&[i8; D]; P]) -> [i8; WIDTH] {
    let mut numbers = [0; WIDTH];
    for (numbers, point) in numbers.as_chunks_mut().0.iter_mut().zip(points) {
        *numbers = *point;
    }
    numbers
}

/// The magnitudes of two points of four.
#[inline(always)]
fn join(first: [i8; 4], second: [i8; 4]) -> [i8; 8] {
    let mut out = [0; 8];
    out[..4].copy_from_slice(&first);
    out[4..].copy_from_slice(&second);
    out
}

/// The weights of a point of IQ1_S or IQ1_M: moved, then scaled.
#[inline(always)]
fn place_moved(out: &mut [f32; 8], scale: f32, point: &[i8; 8], shift: f32) {
    *out = point.map(|digit| scale * (f32::from(digit) + shift));
}

/// Sixteen weights of two points of IQ1_S or IQ1_M.
#[inline(always)]
fn sixteen_moved<L: Sixteen>(scale: L, points: [&[i8; 8]; 2], shift: L) -> [f32; WIDTH] {
    (scale * (L::from_signed(&side_by_side(points)) + shift)).to_array()
}

/// The factors of groups by nibbles: `(d * (0.5 + nibble)) * 0.25`, the low nibble of a byte first.
#[inline(always)]
fn quarters<L: Sixteen>(d: F16, nibbles: &[u8; 8]) -> [f32; WIDTH] {
    let scale = L::from_bytes(&spread_nibbles(nibbles));
    (d.all::<L>() * (L::all(0.5) + scale) * L::all(0.25)).to_array()
}

/// The upper four bits of words, as numbers.
#[inline(always)]
fn top_nibbles(words: [[u8; 4]; 8]) -> [u8; WIDTH] {
    let mut nibbles = [0; WIDTH];
    for (nibble, word) in nibbles.iter_mut().zip(words) {
        *nibble = word[3] >> 4;
    }
    nibbles
}

/// A nibble in each byte, the low one of a byte first.
#[inline(always)]
fn spread_nibbles<const B: usize>(nibbles: &[u8; B]) -> [u8; WIDTH] {
    let mut spread = [0; WIDTH];
    for (spread, byte) in spread.as_chunks_mut().0.iter_mut().zip(nibbles) {
        *spread = [byte & 15, byte >> 4];
    }
    spread
}

/// 32 weights of IQ4_NL or IQ4_XS: the levels of the low nibbles, then those of the high ones, scaled.
#[inline(always)]
fn levels<L: Sixteen>(scale: L, qs: &[u8; 16]) -> [f32; 32] {
    let mut out = [0.0; 32];
    let high = super::upper(qs);
    out[..16].copy_from_slice(&(scale * L::look_up(&iq4::FLOATS, qs)).to_array());
    out[16..].copy_from_slice(&(scale * L::look_up(&iq4::FLOATS, &high)).to_array());
    out
}

/// How far the points of IQ1_S and IQ1_M are moved, so that their zeros are not all of them zeros.
#[inline(always)]
fn shift(down: bool) -> f32 {
    if down { -0.125 } else { 0.125 }
}

/// The codes of the two halves of a group of 32 values, each times `inverse`.
#[inline(always)]
fn halves<L: Sixteen>(values: &[f32; 32], inverse: f32) -> ([u8; WIDTH], [u8; WIDTH]) {
    let [first, second] = values.as_chunks().0 else { return ([0; WIDTH], [0; WIDTH]) };
    let by = L::all(inverse);
    (codes(L::from_array(first) * by), codes(L::from_array(second) * by))
}
