//! From values to IQ2_XS (`quantize_row_iq2_xs_impl` in C).

use super::Iq2Xs;
use crate::block::codebook::N;
use crate::block::codebook::magnitudes::{Magnitudes, odd_scales, sum_of_squares, turn_if_negative, weigh};
use crate::block::{Encode, Guide};
use crate::codec::Importance;
use crate::grid::iq2::IQ2_XS_LOOKUP;
use crate::half::F16;
use crate::scale::ALMOST_ZERO;
use crate::scale::points::{Again, Tries, fit};

const TRIES: Tries = Tries { each_way: 9, step: 0.1, again: Again::Missed };

impl Encode<N> for Iq2Xs {
    const IMPORTANCE: Importance = Importance::Required;

    #[inline(always)]
    fn encode(&mut self, values: &[f32; N], guide: Option<Guide<'_, N>>) {
        *self = Iq2Xs { d: F16::new(0.0), qs: [[[0; 2]; 2]; N / 16], scales: [0; N / 32] };
        let Some(guide) = guide else { return };
        let variance = sum_of_squares(values) / N as f32;
        let (mut scales, mut words) = ([0.0; N / 16], [[0_u16; 2]; N / 16]);
        for (group, values) in values.as_chunks::<16>().0.iter().enumerate() {
            let weight = weigh(values, &guide.importance[16 * group..], variance);
            let mut magnitudes = Magnitudes::even(values, &weight);
            let largest = magnitudes.largest();
            if largest < ALMOST_ZERO {
                continue;
            }
            let mut fit = fit(&IQ2_XS_LOOKUP, &magnitudes.x, &weight, (largest, largest / 5.0), TRIES);
            turn_if_negative(&mut fit.scale, &mut magnitudes.signs, 127);
            scales[group] = fit.scale;
            words[group] = std::array::from_fn(|i| fit.points[i] | u16::from(magnitudes.signs[i]) << 9);
        }
        if let Some((d, scales)) = odd_scales(&scales, 15) {
            self.d = F16::new(d);
            self.qs = words.map(|words| words.map(u16::to_le_bytes));
            self.scales = std::array::from_fn(|i| scales[2 * i] | scales[2 * i + 1] << 4);
        }
    }
}
