//! From values to IQ2_S (`quantize_row_iq2_s_impl` in C).

use super::Iq2S;
use crate::block::codebook::N;
use crate::block::codebook::magnitudes::{Magnitudes, odd_scales, sum_of_squares, turn_if_negative, weigh};
use crate::block::{Encode, Guide};
use crate::codec::Importance;
use crate::grid::iq2::IQ2_S_LOOKUP;
use crate::half::F16;
use crate::scale::points::{Again, Tries, fit};

const TRIES: Tries = Tries { each_way: 9, step: 0.1, again: Again::Missed };

/// Below this, a group is taken for zeros.
const ALMOST_ZERO: f32 = 1e-8;

impl Encode<N> for Iq2S {
    const IMPORTANCE: Importance = Importance::Optional;

    #[inline(always)]
    fn encode(&mut self, values: &[f32; N], guide: Option<Guide<'_, N>>) {
        *self = Iq2S {
            d: F16::new(0.0),
            qs: [0; N / 8],
            signs: [0; N / 8],
            qh: [0; N / 32],
            scales: [0; N / 32],
        };
        let variance = 2.0 * sum_of_squares(values) / N as f32;
        let mut scales = [0.0; N / 16];
        for (group, values) in values.as_chunks::<16>().0.iter().enumerate() {
            let weight = match guide {
                Some(guide) => weigh(values, &guide.importance[16 * group..], variance),
                None => values.map(|x| 0.25 * variance + x * x),
            };
            let mut magnitudes = Magnitudes::new(values);
            let largest = magnitudes.largest();
            if largest < ALMOST_ZERO {
                continue;
            }
            let mut fit = fit(&IQ2_S_LOOKUP, &magnitudes.x, &weight, (largest, largest / 5.0), TRIES);
            turn_if_negative(&mut fit.scale, &mut magnitudes.signs, 255);
            scales[group] = fit.scale;
            for (i, point) in fit.points.into_iter().take(2).enumerate() {
                let at = 2 * group + i;
                self.qs[at] = point as u8;
                self.qh[at / 4] |= ((point >> 8) as u8) << (at % 4 * 2);
                self.signs[at] = magnitudes.signs[i];
            }
        }
        if let Some((d, scales)) = odd_scales(&scales, 15) {
            // Scales that are rounded up weigh more than those that are rounded down; the factor makes up for it.
            self.d = F16::new(d * 0.9875);
            self.scales = std::array::from_fn(|i| scales[2 * i] | scales[2 * i + 1] << 4);
        }
    }
}
