//! From values to IQ2_XXS (`quantize_row_iq2_xxs_impl` in C).

use super::{Group, Iq2Xxs};
use crate::block::batch::{Batch, Batched};
use crate::block::codebook::N;
use crate::block::codebook::magnitudes::{odd_scales, word_of_signs};
use crate::block::codebook::search::{Found, Start, Way, search};
use crate::codec::Importance;
use crate::grid::iq2::IQ2_XXS_LOOKUP;
use crate::half::F16;
use crate::scale::ALMOST_ZERO;
use crate::scale::points::{Again, Tries};
use crate::wide::Sixteen;

const WAY: Way = Way {
    even_signs: true,
    variance: 1.0,
    // Never asked for.
    plain_weight: |_, x| x * x,
    almost_zero: ALMOST_ZERO,
    start: Start::Reached,
    tries: Tries { each_way: 6, step: 0.1, again: Again::All },
};

impl Batched<2, N> for Iq2Xxs {
    const IMPORTANCE: Importance = Importance::Required;

    #[inline(always)]
    fn encode<L: Sixteen>(batch: &Batch<'_, 2, N>, blocks: &mut [Self]) {
        let found = search::<L, 2, 32, 8, 3>(batch, &WAY, &IQ2_XXS_LOOKUP);
        for (block, found) in blocks.iter_mut().zip(found.as_chunks().0) {
            *block = Iq2Xxs::new(found);
        }
    }
}

impl Iq2Xxs {
    fn new(groups: &[Found; 8]) -> Self {
        match odd_scales(&groups.map(|found| found.scale), 15) {
            None => {
                Iq2Xxs { d: F16::new(0.0), qs: [Group { points: [0; 4], signs_and_scale: [0; 4] }; N / 32] }
            }
            Some((d, scales)) => Iq2Xxs {
                d: F16::searched(d),
                qs: std::array::from_fn(|i| Group {
                    points: std::array::from_fn(|at| groups[i].points[at] as u8),
                    signs_and_scale: word_of_signs(groups[i].signs, scales[i]),
                }),
            },
        }
    }
}
