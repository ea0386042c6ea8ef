//! Values to IQ4_NL.

use zerocopy::FromBytes;

use super::{Iq4Nl, N};
use crate::block::batch::{self, Batch, WIDTH};
use crate::block::codebook::inverse;
use crate::half::F16;
use crate::scale::lanes::Lanes;
use crate::scale::lanes::codebook::{code, codebook};
use crate::wide::{self, Wide};

/// Floats to blocks, in rows; see [`EncodeRows`](crate::codec::EncodeRows).
pub(in crate::block::codebook) fn encode(
    values: &[f32],
    row: usize,
    importance: Option<&[f32]>,
    out: &mut [u8],
) {
    let Ok(blocks) = <[Iq4Nl]>::mut_from_bytes(out) else { return };
    wide::run(Rows { values, row, importance, blocks });
}

struct Rows<'a> {
    values: &'a [f32],
    row: usize,
    importance: Option<&'a [f32]>,
    blocks: &'a mut [Iq4Nl],
}

impl Wide for Rows<'_> {
    #[inline(always)]
    fn run(self) {
        batch::each(self.values, self.row, self.importance, self.blocks, encode_batch);
    }
}

#[inline(always)]
fn encode_batch(batch: &Batch<'_, WIDTH, N>, blocks: &mut [Iq4Nl]) {
    let x = batch::side_by_side::<WIDTH, N, N>(&batch.values);
    let weights = match &batch.importance {
        Some(importance) => {
            let squares = x.iter().fold(Lanes::ZERO, |sum, &x| sum + x * x);
            let variance = squares * Lanes::all(2.0 / N as f32);
            batch::weigh(&x, &batch::side_by_side(importance), variance)
        }
        None => x.map(|x| x * x),
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
