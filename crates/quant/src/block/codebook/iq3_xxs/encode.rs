//! From values to IQ3_XXS (`quantize_row_iq3_xxs_impl` in C).

use super::Iq3Xxs;
use crate::block::codebook::N;
use crate::block::codebook::magnitudes::{Magnitudes, odd_scales, sum_of_squares, turn_if_negative, weigh};
use crate::block::{Encode, Guide};
use crate::codec::Importance;
use crate::grid::iq3::IQ3_XXS_LOOKUP;
use crate::half::F16;
use crate::scale::points::{Again, Tries, fit};

const TRIES: Tries = Tries { each_way: 15, step: 0.2, again: Again::Missed };

/// Below this, a group is taken for zeros.
const ALMOST_ZERO: f32 = 1e-8;

impl Encode<N> for Iq3Xxs {
    const IMPORTANCE: Importance = Importance::Optional;

    #[inline(always)]
    fn encode(&mut self, values: &[f32; N], guide: Option<Guide<'_, N>>) {
        *self = Iq3Xxs { d: F16::new(0.0), qs: [[0; 8]; N / 32], signs_and_scales: [[0; 4]; N / 32] };
        let variance = 2.0 * sum_of_squares(values) / N as f32;
        let (mut scales, mut points, mut words) = ([0.0; N / 32], [[0; 8]; N / 32], [0; N / 32]);
        for (group, values) in values.as_chunks::<32>().0.iter().enumerate() {
            let weight = match guide {
                Some(guide) => weigh(values, &guide.importance[32 * group..], variance),
                None => values.map(|x| x * x),
            };
            let mut magnitudes = Magnitudes::even(values, &weight);
            let largest = magnitudes.largest();
            if largest < ALMOST_ZERO {
                continue;
            }
            let mut fit = fit(&IQ3_XXS_LOOKUP, &magnitudes.x, &weight, (largest, largest / 15.0), TRIES);
            turn_if_negative(&mut fit.scale, &mut magnitudes.signs, 127);
            scales[group] = fit.scale;
            points[group] = fit.points.map(|point| point as u8);
            words[group] = magnitudes.signs.iter().rev().fold(0, |word, signs| word << 7 | u32::from(*signs));
        }
        if let Some((d, scales)) = odd_scales(&scales, 15) {
            // The factor makes up for the scales that are rounded down.
            self.d = F16::new(d * 1.0125);
            self.qs = points;
            self.signs_and_scales =
                std::array::from_fn(|i| (words[i] | u32::from(scales[i]) << 28).to_le_bytes());
        }
    }
}
