//! Values to IQ4_XS.

use super::Iq4Xs;
use crate::block::batch::{self, Batch, Batched};
use crate::block::codebook::{N, halves, inverse};
use crate::half::F16;
use crate::number::nearest;
use crate::scale::codebook::codebook;
use crate::wide::Sixteen;

/// Blocks of a batch.
const BLOCKS: usize = 2;
const GROUPS: usize = N / 32;

impl Batched<BLOCKS, N> for Iq4Xs {
    #[inline(always)]
    fn encode<L: Sixteen>(batch: &Batch<'_, BLOCKS, N>, blocks: &mut [Self]) {
        let x = batch::side_by_side::<L, BLOCKS, N, 32>(&batch.values);
        let weights = match &batch.importance {
            Some(importance) => {
                let variance = batch.spread_sums_of_squares::<L>() * L::all(2.0 / N as f32);
                batch::weigh(&x, &batch::side_by_side(importance), variance)
            }
            None => batch::squares(&x),
        };
        let scales = codebook(&x, &weights).to_array();
        for (i, (block, values)) in blocks.iter_mut().zip(batch.values).enumerate() {
            fill::<L>(block, values, &batch::part(&scales, i * GROUPS));
        }
    }
}

#[inline(always)]
fn fill<L: Sixteen>(block: &mut Iq4Xs, values: &[f32; N], scales: &[f32; GROUPS]) {
    let (mut max, mut magnitude) = (0.0, 0.0);
    for &scale in scales {
        if scale.abs() > magnitude {
            (max, magnitude) = (scale, scale.abs());
        }
    }
    // The largest scale becomes -32, the one that has no counterpart. Codes are chosen for the scale before it is rounded
    // to sixteen bits.
    let d = -max / 32.0;
    let to_scale = inverse(d);
    block.d = F16::searched(d);
    block.scales_l = [0; N / 64];
    let mut high = 0_u16;
    for (group, (qs, values)) in block.qs.iter_mut().zip(values.as_chunks::<32>().0).enumerate() {
        let scale = nearest(to_scale * scales[group]).clamp(-32, 31);
        let to_level = inverse(d * scale as f32);
        let (first, second) = halves::<L>(values, to_level);
        for (i, q) in qs.iter_mut().enumerate() {
            *q = first[i] | second[i] << 4;
        }
        let bits = (scale + 32) as u8;
        block.scales_l[group / 2] |= (bits & 15) << (group % 2 * 4);
        high |= u16::from(bits >> 4) << (2 * group);
    }
    block.scales_h = high.to_le_bytes();
}
