//! Values to IQ4_NL.

use super::{Iq4Nl, N};
use crate::block::batch::{self, Batch, Batched};
use crate::block::codebook::{halves, inverse};
use crate::half::F16;
use crate::scale::codebook::codebook;
use crate::wide::{Sixteen, WIDTH};

impl Batched<WIDTH, N> for Iq4Nl {
    #[inline(always)]
    fn encode<L: Sixteen>(batch: &Batch<'_, WIDTH, N>, blocks: &mut [Self]) {
        let x = batch::side_by_side::<L, WIDTH, N, N>(&batch.values);
        let weights = match &batch.importance {
            Some(importance) => {
                let variance = batch::sums(&batch::squares(&x)) * L::all(2.0 / N as f32);
                batch::weigh(&x, &batch::side_by_side(importance), variance)
            }
            None => batch::squares(&x),
        };
        let scales = codebook(&x, &weights).to_array();
        for ((block, values), scale) in blocks.iter_mut().zip(batch.values).zip(scales) {
            // Codes are chosen for the scale before it is rounded to sixteen bits.
            let inverse = inverse(scale);
            let (low, high) = halves::<L>(values, inverse);
            block.d = F16::searched(scale);
            for (i, q) in block.qs.iter_mut().enumerate() {
                *q = low[i] | high[i] << 4;
            }
        }
    }
}
