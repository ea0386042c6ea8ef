//! Values to Q2_K.

use super::Q2K;
use crate::block::batch::{self, Batch, Batched};
use crate::block::k_quant::N;
use crate::half::F16;
use crate::number::nearest;
use crate::scale::affine::{Affine, Tries, affine};
use crate::scale::positive::positive;
use crate::wide::{Sixteen, WIDTH};

/// The largest code of a value.
const TOP: i32 = 3;
const GROUPS: usize = N / 16;

impl Batched<1, N> for Q2K {
    #[inline(always)]
    fn encode<L: Sixteen>(batch: &Batch<'_, 1, N>, blocks: &mut [Self]) {
        let x = batch::side_by_side::<L, 1, N, 16>(&batch.values);
        let [values] = batch.values;
        let (found, (d, scales), (dmin, minimums));
        if let Some(importance) = &batch.importance {
            let variance = batch.spread_sums_of_squares::<L>() / L::all(N as f32);
            let weights = batch::weigh(&x, &batch::side_by_side(importance), variance);
            let sums = batch::sums(&weights).to_array();
            found = affine::<L, 16, false>(&x, &weights, Tries::guided(TOP));
            (d, scales) = positive(&found.scale, &sums, 15);
            (dmin, minimums) = positive(&found.min, &sums, 15);
        } else {
            let tries = Tries { top: TOP, first: -0.5, step: 0.1, steps: 15 };
            let mut weights = x;
            for x in &mut weights {
                *x = x.abs();
            }
            found = affine::<L, 16, true>(&x, &weights, tries);
            (d, scales) = plain(&found.scale);
            (dmin, minimums) = plain(&found.min);
        }
        for block in blocks {
            (block.d, block.dmin) = (F16::searched(d), F16::searched(dmin));
            block.scales = std::array::from_fn(|group| scales[group] | minimums[group] << 4);
            fill::<L>(block, values, &found);
        }
    }
}

/// Fifteen steps up to the largest. A number below zero sets bits of its byte that are not its own, as in C.
#[inline(always)]
fn plain(numbers: &[f32; GROUPS]) -> (f32, [u8; GROUPS]) {
    let max = numbers.iter().fold(0.0, |max, &number| if number > max { number } else { max });
    if max > 0.0 {
        let inverse = 15.0 / max;
        (max / 15.0, numbers.map(|number| nearest(inverse * number) as u8))
    } else {
        (0.0, [0; GROUPS])
    }
}

/// Fills in the codes that suit the scales as they are stored; where such a scale is zero, those of the search.
#[inline(always)]
fn fill<L: Sixteen>(block: &mut Q2K, values: &[f32; N], found: &Affine<[f32; WIDTH]>) {
    let (d, dmin) = (block.d.get(), block.dmin.get());
    let mut codes = [0_u8; N];
    let groups = codes.as_chunks_mut::<16>().0.iter_mut().zip(values.as_chunks::<16>().0);
    for (group, (codes, values)) in groups.enumerate() {
        let scale = block.scales[group];
        let d = d * f32::from(scale & 15);
        if d == 0.0 {
            for (code, x) in codes.iter_mut().zip(values) {
                *code = found.code(group, *x, TOP);
            }
            continue;
        }
        let min = dmin * f32::from(scale >> 4);
        *codes = ((L::from_array(values) + L::all(min)) / L::all(d)).codes(0, TOP);
    }
    for (qs, codes) in block.qs.iter_mut().zip(codes.as_chunks::<128>().0) {
        for i in 0..32 {
            qs[i / 16][i % 16] = codes[i] | codes[i + 32] << 2 | codes[i + 64] << 4 | codes[i + 96] << 6;
        }
    }
}
