//! Values to Q5_K.

use super::Q5K;
use crate::block::batch::{Batch, Batched};
use crate::block::k_quant::N;
use crate::block::k_quant::minimum::{self, BLOCKS, Minimum, Scales};
use crate::wide::Sixteen;

impl Batched<BLOCKS, N> for Q5K {
    #[inline(always)]
    fn encode<L: Sixteen>(batch: &Batch<'_, BLOCKS, N>, blocks: &mut [Self]) {
        minimum::encode::<L, Self>(batch, blocks);
    }
}

impl Minimum for Q5K {
    const TOP: u8 = 31;
    const TRIES: (f32, i32) = (-0.5, 15);
    const BOUNDED: bool = true;

    #[inline(always)]
    fn fill(&mut self, scales: Scales, codes: &[u8; N]) {
        (self.d, self.dmin, self.scales) = (scales.d, scales.dmin, scales.packed);
        self.qh = [0; 32];
        for (pair, (qs, codes)) in self.qs.iter_mut().zip(codes.as_chunks::<64>().0).enumerate() {
            for (i, q) in qs.iter_mut().enumerate() {
                let (first, second) = (codes[i], codes[i + 32]);
                *q = (first & 15) | second << 4;
                self.qh[i] |= first >> 4 << (2 * pair) | second >> 4 << (2 * pair + 1);
            }
        }
    }
}
