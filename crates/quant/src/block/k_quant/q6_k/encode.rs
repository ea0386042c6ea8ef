//! Values to Q6_K.

use zerocopy::FromZeros;

use super::Q6K;
use crate::block::batch::{self, Batch, Batched};
use crate::block::k_quant::N;
use crate::half::F16;
use crate::number::nearest;
use crate::scale::ALMOST_ZERO;
use crate::scale::symmetric::{Symmetric, symmetric};
use crate::wide::{Sixteen, WIDTH};

/// Codes go from minus this to one less.
const HALF: i32 = 32;

impl Batched<1, N> for Q6K {
    #[inline(always)]
    fn encode<L: Sixteen>(batch: &Batch<'_, 1, N>, blocks: &mut [Self]) {
        let x = batch::side_by_side::<L, 1, N, 16>(&batch.values);
        let weights = match &batch.importance {
            Some(importance) => batch::side_by_side(importance),
            None => batch::squares(&x),
        };
        let found = symmetric(&x, &weights, HALF);
        for (block, values) in blocks.iter_mut().zip(batch.values) {
            fill::<L>(block, values, &found);
        }
    }
}

#[inline(always)]
fn fill<L: Sixteen>(block: &mut Q6K, values: &[f32; N], found: &Symmetric<[f32; WIDTH]>) {
    let scales = found.scale;
    let (mut max, mut magnitude) = (0.0, 0.0);
    for scale in scales {
        if scale.abs() > magnitude {
            (max, magnitude) = (scale, scale.abs());
        }
    }
    if magnitude < ALMOST_ZERO {
        block.zero();
        return;
    }
    // The largest scale becomes -128, the one byte that has no counterpart.
    let inverse = -128.0 / max;
    block.d = F16::searched(1.0 / inverse);
    block.scales = scales.map(|scale| nearest(inverse * scale).min(127) as i8);

    let d = block.d.get();
    let mut codes = [0_u8; N];
    let groups = codes.as_chunks_mut::<16>().0.iter_mut().zip(values.as_chunks::<16>().0);
    for (group, (codes, values)) in groups.enumerate() {
        let d = d * f32::from(block.scales[group]);
        if d == 0.0 {
            // A scale that is stored as zero: the codes of the search stay.
            for (code, x) in codes.iter_mut().zip(values) {
                *code = found.code(group, *x, HALF);
            }
            continue;
        }
        *codes = (L::from_array(values) / L::all(d)).codes(-HALF, HALF - 1);
    }
    for (half, codes) in codes.as_chunks::<128>().0.iter().enumerate() {
        for i in 0..32 {
            let [a, b, c, d] = [codes[i], codes[i + 32], codes[i + 64], codes[i + 96]];
            block.ql[half][i] = (a & 15) | c << 4;
            block.ql[half][i + 32] = (b & 15) | d << 4;
            block.qh[half][i] = a >> 4 | b >> 4 << 2 | c >> 4 << 4 | d >> 4 << 6;
        }
    }
}
