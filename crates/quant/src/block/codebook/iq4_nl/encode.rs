//! Values to IQ4_NL.

use super::{Iq4Nl, N};
use crate::block::batch::{self, Batch, Batched, WIDTH};
use crate::block::codebook::inverse;
use crate::half::F16;
use crate::scale::lanes::Lanes;
use crate::scale::lanes::codebook::{code, codebook};

impl Batched<WIDTH, N> for Iq4Nl {
    #[inline(always)]
    fn encode(batch: &Batch<'_, WIDTH, N>, blocks: &mut [Self]) {
        let x = batch::side_by_side::<WIDTH, N, N>(&batch.values);
        let weights = match &batch.importance {
            Some(importance) => {
                let squares = x.iter().fold(Lanes::ZERO, |sum, &x| sum + x * x);
                let variance = squares * Lanes::all(2.0 / N as f32);
                batch::weigh(&x, &batch::side_by_side(importance), variance)
            }
            None => batch::squares(&x),
        };
        let scales = codebook(&x, &weights).0;
        for ((block, values), scale) in blocks.iter_mut().zip(batch.values).zip(scales) {
            // Codes are chosen for the scale before it is rounded to sixteen bits.
            let inverse = inverse(scale);
            let codes = values.map(|x| code(inverse * x));
            block.d = F16::new(scale);
            block.qs = std::array::from_fn(|i| codes[i] | codes[i + N / 2] << 4);
        }
    }
}
