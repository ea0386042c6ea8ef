//! From values to IQ2_S (`quantize_row_iq2_s_impl` in C).

use super::Iq2S;
use crate::block::batch::{Batch, Batched};
use crate::block::codebook::N;
use crate::block::codebook::magnitudes::odd_scales;
use crate::block::codebook::search::{Found, Start, Way, search};
use crate::grid::iq2::IQ2_S_LOOKUP;
use crate::half::F16;
use crate::scale::points::{Again, Tries};
use crate::wide::Sixteen;

const WAY: Way = Way {
    even_signs: false,
    variance: 2.0,
    plain_weight: |variance, x| 0.25 * variance + x * x,
    almost_zero: 1e-8,
    start: Start::Largest,
    tries: Tries { each_way: 9, step: 0.1, again: Again::Missed },
};

impl Batched<1, N> for Iq2S {
    #[inline(always)]
    fn encode<L: Sixteen>(batch: &Batch<'_, 1, N>, blocks: &mut [Self]) {
        let found = search::<L, 1, 16, 8, 3>(batch, &WAY, &IQ2_S_LOOKUP);
        for block in blocks {
            *block = Iq2S::new(&found);
        }
    }
}

impl Iq2S {
    fn new(groups: &[Found; 16]) -> Self {
        let mut block = Iq2S {
            d: F16::new(0.0),
            qs: [0; N / 8],
            signs: [0; N / 8],
            qh: [0; N / 32],
            scales: [0; N / 32],
        };
        for at in 0..N / 8 {
            let (found, i) = (&groups[at / 2], at % 2);
            block.qs[at] = found.points[i] as u8;
            block.qh[at / 4] |= ((found.points[i] >> 8) as u8) << (at % 4 * 2);
            block.signs[at] = found.signs[i];
        }
        if let Some((d, scales)) = odd_scales(&groups.map(|found| found.scale), 15) {
            // Scales that are rounded up weigh more than those that are rounded down; the factor makes up for it.
            block.d = F16::searched(d * 0.9875);
            block.scales = std::array::from_fn(|i| scales[2 * i] | scales[2 * i + 1] << 4);
        }
        block
    }
}
