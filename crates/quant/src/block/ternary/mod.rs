//! Types of three values per weight: -1, 0, 1.

mod tq1_0;
mod tq2_0;

use super::{both, inverse, reach};
use crate::codec::Codec;
use crate::number::round_to_long;

/// The codecs of this family.
pub(super) static CODECS: &[Codec] = &[both::<tq1_0::Tq1_0, N>(), both::<tq2_0::Tq2_0, N>()];

/// Weights of a block (`QK_K` in C).
const N: usize = 256;

/// The scale of a block, which is its greatest distance from zero, and each weight's nearest multiple of it, plus 1.
#[inline(always)]
fn digits(values: &[f32; N]) -> (f32, [u8; N]) {
    let d = reach(values);
    let id = inverse(d);
    (d, values.map(|x| (round_to_long(x * id) as u8).wrapping_add(1)))
}
