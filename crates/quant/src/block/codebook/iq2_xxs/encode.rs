//! From values to IQ2_XXS (`quantize_row_iq2_xxs_impl` in C).

use super::{Group, Iq2Xxs};
use crate::block::codebook::N;
use crate::block::codebook::magnitudes::{Magnitudes, odd_scales, sum_of_squares, turn_if_negative, weigh};
use crate::block::{Encode, Guide};
use crate::codec::Importance;
use crate::grid::iq2::IQ2_XXS_LOOKUP;
use crate::half::F16;
use crate::scale::ALMOST_ZERO;
use crate::scale::points::{Again, Tries, fit};
use crate::scale::positive::positive;

const TRIES: Tries = Tries { each_way: 6, step: 0.1, again: Again::All };

impl Encode<N> for Iq2Xxs {
    const IMPORTANCE: Importance = Importance::Required;

    #[inline(always)]
    fn encode(&mut self, values: &[f32; N], guide: Option<Guide<'_, N>>) {
        let zeros = Group { points: [0; 4], signs_and_scale: [0; 4] };
        *self = Iq2Xxs { d: F16::new(0.0), qs: [zeros; N / 32] };
        let Some(guide) = guide else { return };
        let variance = sum_of_squares(values) / N as f32;
        let (mut scales, mut points, mut words) = ([0.0; N / 32], [[0; 4]; N / 32], [0; N / 32]);
        for (group, values) in values.as_chunks::<32>().0.iter().enumerate() {
            let weight = weigh(values, &guide.importance[32 * group..], variance);
            let mut magnitudes = Magnitudes::even(values, &weight);
            if magnitudes.largest() < ALMOST_ZERO {
                continue;
            }
            // Scales are tried around one that is best without a book, for numbers up to 4.
            let (scale, _) = positive(&magnitudes.x, &weight, 4);
            let largest = scale * 3.0;
            if largest <= 0.0 {
                continue;
            }
            let mut fit = fit(&IQ2_XXS_LOOKUP, &magnitudes.x, &weight, (largest, scale), TRIES);
            turn_if_negative(&mut fit.scale, &mut magnitudes.signs, 127);
            scales[group] = fit.scale;
            points[group] = std::array::from_fn(|i| fit.points[i] as u8);
            words[group] = magnitudes.signs.iter().rev().fold(0, |word, signs| word << 7 | u32::from(*signs));
        }
        if let Some((d, scales)) = odd_scales(&scales, 15) {
            self.d = F16::new(d);
            self.qs = std::array::from_fn(|i| Group {
                points: points[i],
                signs_and_scale: (words[i] | u32::from(scales[i]) << 28).to_le_bytes(),
            });
        }
    }
}
