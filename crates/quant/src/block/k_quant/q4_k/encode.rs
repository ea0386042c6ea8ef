//! Values to Q4_K.

use super::Q4K;
use crate::block::batch::{Batch, Batched};
use crate::block::k_quant::N;
use crate::block::k_quant::minimum::{self, BLOCKS, Minimum, Scales};
use crate::wide::Sixteen;

impl Batched<BLOCKS, N> for Q4K {
    #[inline(always)]
    fn encode<L: Sixteen>(batch: &Batch<'_, BLOCKS, N>, blocks: &mut [Self]) {
        minimum::encode::<L, Self>(batch, blocks);
    }
}

impl Minimum for Q4K {
    const TOP: u8 = 15;
    const TRIES: (f32, i32) = (-1.0, 20);
    const BOUNDED: bool = false;

    #[inline(always)]
    fn fill(&mut self, scales: Scales, codes: &[u8; N]) {
        (self.d, self.dmin, self.scales) = (scales.d, scales.dmin, scales.packed);
        for (qs, codes) in self.qs.iter_mut().zip(codes.as_chunks::<64>().0) {
            for (i, q) in qs.iter_mut().enumerate() {
                *q = codes[i] | codes[i + 32] << 4;
            }
        }
    }
}
