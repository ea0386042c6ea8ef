//! From values to IQ3_XXS (`quantize_row_iq3_xxs_impl` in C).

use super::Iq3Xxs;
use crate::block::batch::{Batch, Batched};
use crate::block::codebook::N;
use crate::block::codebook::magnitudes::{odd_scales, word_of_signs};
use crate::block::codebook::search::{Found, Start, Way, search};
use crate::grid::iq3::IQ3_XXS_LOOKUP;
use crate::half::F16;
use crate::scale::points::{Again, Tries};
use crate::wide::Sixteen;

const WAY: Way = Way {
    even_signs: true,
    variance: 2.0,
    plain_weight: |_, x| x * x,
    almost_zero: 1e-8,
    start: Start::Largest,
    tries: Tries { each_way: 15, step: 0.2, again: Again::Missed },
};

impl Batched<2, N> for Iq3Xxs {
    #[inline(always)]
    fn encode<L: Sixteen>(batch: &Batch<'_, 2, N>, blocks: &mut [Self]) {
        let found = search::<L, 2, 32, 4, 8>(batch, &WAY, &IQ3_XXS_LOOKUP);
        for (block, found) in blocks.iter_mut().zip(found.as_chunks().0) {
            *block = Iq3Xxs::new(found);
        }
    }
}

impl Iq3Xxs {
    fn new(groups: &[Found; 8]) -> Self {
        match odd_scales(&groups.map(|found| found.scale), 15) {
            None => Iq3Xxs { d: F16::new(0.0), qs: [[0; 8]; N / 32], signs_and_scales: [[0; 4]; N / 32] },
            Some((d, scales)) => Iq3Xxs {
                // The factor makes up for the scales that are rounded down.
                d: F16::searched(d * 1.0125),
                qs: groups.map(|found| found.points.map(|point| point as u8)),
                signs_and_scales: std::array::from_fn(|i| word_of_signs(groups[i].signs, scales[i])),
            },
        }
    }
}
