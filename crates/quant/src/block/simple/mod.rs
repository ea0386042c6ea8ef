//! Types with one scale, and perhaps one offset, for a whole block.

mod q4_0;
mod q8_0;

use super::both;
use crate::codec::Codec;
use crate::number::c_max;

/// The codecs of this family.
pub(super) static CODECS: &[Codec] = &[both::<q4_0::Q4_0, 32>(), both::<q8_0::Q8_0, 32>()];

/// `1 / d`, and 0 for a scale of 0.
fn inverse(d: f32) -> f32 {
    if d != 0.0 { 1.0 / d } else { 0.0 }
}

/// The first value that is farthest from zero, with its sign; 0 where all are.
fn extreme(values: &[f32]) -> f32 {
    let (mut farthest, mut extreme) = (0.0f32, 0.0f32);
    for &x in values {
        if farthest < x.abs() {
            (farthest, extreme) = (x.abs(), x);
        }
    }
    extreme
}

/// The greatest distance from zero.
fn reach(values: &[f32]) -> f32 {
    values.iter().fold(0.0, |reach, x| c_max(reach, x.abs()))
}

/// How much each value of a block matters, from how much its column matters and how large it is.
fn weights<const N: usize>(values: &[f32; N], guide: super::Guide<'_, N>) -> [f32; N] {
    std::array::from_fn(|i| guide.importance[i] * (guide.row_mean_square + values[i] * values[i]).sqrt())
}
