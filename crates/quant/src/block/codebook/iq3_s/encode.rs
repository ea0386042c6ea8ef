//! From values to IQ3_S (`quantize_row_iq3_s_impl` in C).

use super::Iq3S;
use crate::block::codebook::N;
use crate::block::codebook::magnitudes::{Magnitudes, odd_scales, sum_of_squares, turn_if_negative, weigh};
use crate::block::{Encode, Guide};
use crate::codec::Importance;
use crate::grid::iq3::IQ3_S_LOOKUP;
use crate::half::F16;
use crate::scale::points::{Again, Tries, fit};

/// Seldom is one of its eight points in the book as it is rounded, so all are chosen again.
const TRIES: Tries = Tries { each_way: 9, step: 0.2, again: Again::AllIfAnyMissed };

impl Encode<N> for Iq3S {
    const IMPORTANCE: Importance = Importance::Optional;

    #[inline(always)]
    fn encode(&mut self, values: &[f32; N], guide: Option<Guide<'_, N>>) {
        *self = Iq3S {
            d: F16::new(0.0),
            qs: [0; N / 4],
            qh: [0; N / 32],
            signs: [0; N / 8],
            scales: [0; N / 64],
        };
        let variance = 2.0 * sum_of_squares(values) / N as f32;
        let mut scales = [0.0; N / 32];
        // A group of zeros takes no place among the low bits and the signs, so that those of later groups come before where
        // they are read. The reference does so.
        let mut place = 0;
        for (group, values) in values.as_chunks::<32>().0.iter().enumerate() {
            let weight = match guide {
                Some(guide) => weigh(values, &guide.importance[32 * group..], variance),
                None => values.map(|x| x * x),
            };
            let mut magnitudes = Magnitudes::new(values);
            let largest = magnitudes.largest();
            if largest == 0.0 {
                continue;
            }
            let mut fit = fit(&IQ3_S_LOOKUP, &magnitudes.x, &weight, (largest, largest / 15.0), TRIES);
            turn_if_negative(&mut fit.scale, &mut magnitudes.signs, 255);
            scales[group] = fit.scale;
            for (i, point) in fit.points.into_iter().enumerate() {
                self.qs[8 * place + i] = point as u8;
                self.qh[group] |= ((point >> 8) as u8) << i;
            }
            self.signs[4 * place..4 * place + 4].copy_from_slice(&magnitudes.signs);
            place += 1;
        }
        if let Some((d, scales)) = odd_scales(&scales, 15) {
            // The factor makes up for the scales that are rounded down.
            self.d = F16::new(d * 1.033);
            self.scales = std::array::from_fn(|i| scales[2 * i] | scales[2 * i + 1] << 4);
        }
    }
}
