//! From values to IQ1_S (`quantize_row_iq1_s_impl` in C).

use super::Iq1S;
use crate::block::batch::{Batch, Batched};
use crate::block::codebook::N;
use crate::block::codebook::magnitudes::{odd_scales, sum_of_squares, weigh};
use crate::block::reach;
use crate::codec::Importance;
use crate::grid::iq1::IQ1_LOOKUP;
use crate::half::F16;
use crate::scale::ternary::split_whole;
use crate::wide::Sixteen;

/// Below this, a group is taken for zeros.
const ALMOST_ZERO: f32 = 1e-12;

impl Batched<1, N> for Iq1S {
    const IMPORTANCE: Importance = Importance::Required;

    #[inline(always)]
    fn encode<L: Sixteen>(batch: &Batch<'_, 1, N>, blocks: &mut [Self]) {
        let Some([importance]) = batch.importance else { return };
        for block in blocks {
            block.fill::<L>(batch.values[0], importance);
        }
    }
}

impl Iq1S {
    #[inline(always)]
    fn fill<L: Sixteen>(&mut self, values: &[f32; N], importance: &[f32; N]) {
        *self = Iq1S { d: F16::new(0.0), qs: [[0; 4]; N / 32], qh: [[0; 2]; N / 32] };
        let variance = 2.0 * sum_of_squares(values) / N as f32;
        let (mut scales, mut words) = ([0.0; N / 32], [0_u16; N / 32]);
        let mut down = [false; N / 32];
        for (group, values) in values.as_chunks::<32>().0.iter().enumerate() {
            let weight = weigh(values, &importance[32 * group..], variance);
            if reach(values) < ALMOST_ZERO {
                continue;
            }
            let Some(split) = split_whole(values, &weight) else { continue };
            let placed = split.place::<L>(&IQ1_LOOKUP, values, &weight);
            scales[group] = placed.scale;
            down[group] = placed.down[0];
            self.qs[group] = placed.points.map(|point| point as u8);
            words[group] = placed.points.iter().rev().fold(0, |word, point| word << 3 | point >> 8);
        }
        if let Some((d, scales)) = odd_scales(&scales, 7) {
            // The factor makes up for the scales that are rounded down.
            self.d = F16::searched(d * 1.125);
            for (word, (scale, down)) in words.iter_mut().zip(scales.into_iter().zip(down)) {
                *word |= u16::from(scale) << 12 | u16::from(down) << 15;
            }
        }
        self.qh = words.map(u16::to_le_bytes);
    }
}
