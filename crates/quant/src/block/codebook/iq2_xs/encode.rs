//! From values to IQ2_XS (`quantize_row_iq2_xs_impl` in C).

use super::Iq2Xs;
use crate::block::batch::{Batch, Batched};
use crate::block::codebook::N;
use crate::block::codebook::magnitudes::odd_scales;
use crate::block::codebook::search::{Found, Start, Way, search};
use crate::codec::Importance;
use crate::grid::iq2::IQ2_XS_LOOKUP;
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
    start: Start::Largest,
    tries: Tries { each_way: 9, step: 0.1, again: Again::Missed },
};

impl Batched<1, N> for Iq2Xs {
    const IMPORTANCE: Importance = Importance::Required;

    #[inline(always)]
    fn encode<L: Sixteen>(batch: &Batch<'_, 1, N>, blocks: &mut [Self]) {
        let found = search::<L, 1, 16, 8, 3>(batch, &WAY, &IQ2_XS_LOOKUP);
        for block in blocks {
            *block = Iq2Xs::new(&found);
        }
    }
}

impl Iq2Xs {
    fn new(groups: &[Found; 16]) -> Self {
        match odd_scales(&groups.map(|found| found.scale), 15) {
            None => Iq2Xs { d: F16::new(0.0), qs: [[[0; 2]; 2]; N / 16], scales: [0; N / 32] },
            Some((d, scales)) => Iq2Xs {
                d: F16::searched(d),
                qs: groups.map(|found| {
                    std::array::from_fn(|i| (found.points[i] | u16::from(found.signs[i]) << 9).to_le_bytes())
                }),
                scales: std::array::from_fn(|i| scales[2 * i] | scales[2 * i + 1] << 4),
            },
        }
    }
}
