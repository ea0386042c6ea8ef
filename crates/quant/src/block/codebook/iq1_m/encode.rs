//! From values to IQ1_M (`quantize_row_iq1_m_impl` in C).

use super::Iq1M;
use crate::block::batch::{Batch, Batched};
use crate::block::codebook::N;
use crate::block::codebook::magnitudes::{odd_scales, sum_of_squares, weigh};
use crate::block::reach;
use crate::grid::iq1::IQ1_LOOKUP;
use crate::half::F16;
use crate::scale::ternary::{Placed, numbers, split_halves};
use crate::wide::Sixteen;

/// Below this, a group is taken for zeros.
const ALMOST_ZERO: f32 = 1e-7;

impl Batched<1, N> for Iq1M {
    #[inline(always)]
    fn encode<L: Sixteen>(batch: &Batch<'_, 1, N>, blocks: &mut [Self]) {
        for block in blocks {
            block.fill::<L>(batch.values[0], batch.importance.map(|[importance]| importance));
        }
    }
}

impl Iq1M {
    #[inline(always)]
    fn fill<L: Sixteen>(&mut self, values: &[f32; N], importance: Option<&[f32; N]>) {
        *self = Iq1M { qs: [0; N / 8], qh: [0; N / 16], scales: [[0; 2]; N / 64] };
        let variance = 2.0 * sum_of_squares(values) / N as f32;
        let (groups, _) = values.as_chunks::<16>();
        let weights: [[f32; 16]; N / 16] = std::array::from_fn(|group| match importance {
            Some(importance) => weigh(&groups[group], &importance[16 * group..], variance),
            None => groups[group].map(|x| x * x),
        });
        let mut all = [Placed { scale: 0.0, points: [0; 4], down: [false; 2] }; N / 16];
        for (placed, (values, weight)) in all.iter_mut().zip(groups.iter().zip(&weights)) {
            if reach(values) < ALMOST_ZERO {
                continue;
            }
            if let Some(split) = split_halves(values, weight) {
                *placed = split.place::<L>(&IQ1_LOOKUP, values, weight);
            }
        }
        self.qs = std::array::from_fn(|i| all[i / 2].points[i % 2] as u8);
        self.qh = std::array::from_fn(|i| (all[i].points[0] >> 8 | all[i].points[1] >> 8 << 4) as u8);
        let Some((d, scales)) = odd_scales(&all.map(|placed| placed.scale), 7) else { return };
        for (high, placed) in self.qh.iter_mut().zip(&all) {
            *high |= u8::from(placed.down[0]) << 3 | u8::from(placed.down[1]) << 7;
        }
        let d = Self::scale(groups, &weights, &all, &scales).unwrap_or(d);
        // The factor makes up for the scales that are rounded down.
        let d = F16::searched(d * 1.1125).to_bits();
        self.scales = std::array::from_fn(|i| {
            let scales =
                scales[4 * i..4 * i + 4].iter().rev().fold(0, |word, scale| word << 3 | u16::from(*scale));
            (scales | d >> (4 * i) << 12).to_le_bytes()
        });
    }

    /// The scale of the scales that suits the whole block, now that all else is known.
    fn scale(groups: &[[f32; 16]], weights: &[[f32; 16]], all: &[Placed<2>], scales: &[u8]) -> Option<f32> {
        let (mut xq, mut qq) = (0.0f32, 0.0f32);
        for (((values, weight), placed), scale) in groups.iter().zip(weights).zip(all).zip(scales) {
            let eights = values.as_chunks::<8>().0.iter().zip(weight.as_chunks::<8>().0);
            for ((values, weight), (point, down)) in eights.zip(placed.points.iter().zip(placed.down)) {
                let numbers = numbers(down).map(|number| number * f32::from(2 * scale + 1));
                for ((digit, x), w) in IQ1_LOOKUP.digits(*point).into_iter().zip(values).zip(weight) {
                    let q = numbers[usize::from(digit)];
                    xq += w * q * x;
                    qq += w * q * q;
                }
            }
        }
        (qq > 0.0).then(|| xq / qq)
    }
}
