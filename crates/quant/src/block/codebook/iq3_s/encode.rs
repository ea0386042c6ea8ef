//! From values to IQ3_S (`quantize_row_iq3_s_impl` in C).

use super::Iq3S;
use crate::block::batch::{Batch, Batched};
use crate::block::codebook::N;
use crate::block::codebook::magnitudes::odd_scales;
use crate::block::codebook::search::{Found, Start, Way, search};
use crate::grid::iq3::IQ3_S_LOOKUP;
use crate::half::F16;
use crate::scale::points::{Again, Tries};
use crate::wide::Sixteen;

const WAY: Way = Way {
    even_signs: false,
    variance: 2.0,
    plain_weight: |_, x| x * x,
    // The least float above zero.
    almost_zero: f32::from_bits(1),
    start: Start::Largest,
    // Seldom is each of its eight points in the book as it is rounded, so all are chosen again.
    tries: Tries { each_way: 9, step: 0.2, again: Again::AllIfAnyMissed },
};

impl Batched<2, N> for Iq3S {
    #[inline(always)]
    fn encode<L: Sixteen>(batch: &Batch<'_, 2, N>, blocks: &mut [Self]) {
        let found = search::<L, 2, 32, 4, 8>(batch, &WAY, &IQ3_S_LOOKUP);
        for (block, found) in blocks.iter_mut().zip(found.as_chunks().0) {
            *block = Iq3S::new(found);
        }
    }
}

impl Iq3S {
    fn new(groups: &[Found; 8]) -> Self {
        let mut block = Iq3S {
            d: F16::new(0.0),
            qs: [0; N / 4],
            qh: [0; N / 32],
            signs: [0; N / 8],
            scales: [0; N / 64],
        };
        // A group of zeros takes no place among the low bits and the signs, so that those of later groups come before where
        // they are read. The reference does so.
        let with_place = groups.iter().enumerate().filter(|(_, found)| !found.is_zero).enumerate();
        for (place, (group, found)) in with_place {
            for (i, point) in found.points.into_iter().enumerate() {
                block.qs[8 * place + i] = point as u8;
                block.qh[group] |= ((point >> 8) as u8) << i;
            }
            block.signs[4 * place..4 * place + 4].copy_from_slice(&found.signs);
        }
        if let Some((d, scales)) = odd_scales(&groups.map(|found| found.scale), 15) {
            // The factor makes up for the scales that are rounded down.
            block.d = F16::searched(d * 1.033);
            block.scales = std::array::from_fn(|i| scales[2 * i] | scales[2 * i + 1] << 4);
        }
        block
    }
}
