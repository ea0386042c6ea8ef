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

use super::{batched, both, inverse};
use crate::codec::Codec;
use crate::grid::signs::sign;
use crate::scale::codebook::codes;
use crate::wide::{Sixteen, WIDTH};

/// The codecs of this family.
pub(super) static CODECS: &[Codec] = &[
    both::<iq2_xxs::Iq2Xxs, N>(),
    both::<iq2_xs::Iq2Xs, N>(),
    both::<iq3_xxs::Iq3Xxs, N>(),
    both::<iq1_s::Iq1S, N>(),
    both::<iq3_s::Iq3S, N>(),
    both::<iq2_s::Iq2S, N>(),
    batched::<iq4_nl::Iq4Nl, 16, 32>(),
    batched::<iq4_xs::Iq4Xs, 2, N>(),
    both::<iq1_m::Iq1M, N>(),
];

/// Weights of a block (`QK_K` in C).
const N: usize = 256;

/// The `i`th nibble of some bytes, the low one of a byte first.
fn nibble<const B: usize>(bytes: &[u8; B], i: usize) -> u8 {
    bytes[i / 2] >> (i % 2 * 4) & 15
}

/// The weights of a point: its magnitudes, scaled, bit i of `signs` telling whether the `i`th is negative.
///
/// A sign is a factor, as in the reference: to turn the sign instead would turn that of a not-a-number.
fn place<const D: usize>(out: &mut [f32; D], scale: f32, point: &[i8; D], signs: u8) {
    for (i, (out, magnitude)) in out.iter_mut().zip(point).enumerate() {
        *out = scale * f32::from(*magnitude) * sign(signs, i);
    }
}

/// The weights of a point of IQ1_S or IQ1_M: moved, then scaled.
fn place_moved(out: &mut [f32; 8], scale: f32, point: &[i8; 8], shift: f32) {
    *out = point.map(|digit| scale * (f32::from(digit) + shift));
}

/// How far the points of IQ1_S and IQ1_M are moved, so that their zeros are not all of them zeros.
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
