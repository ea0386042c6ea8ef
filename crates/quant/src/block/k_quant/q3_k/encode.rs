//! Values to Q3_K.

use super::{Q3K, scales};
use crate::block::batch::{self, Batch, Batched};
use crate::block::k_quant::N;
use crate::half::F16;
use crate::number::nearest;
use crate::scale::descent::descent;
use crate::scale::symmetric::symmetric;
use crate::wide::{Lanes, One, Sixteen};

/// Codes go from minus this to one less.
const HALF: i32 = 4;
const GROUPS: usize = N / 16;

/// Blocks of a batch: two, although one fills the lanes; see [`descent`].
const BLOCKS: usize = 2;

impl Batched<BLOCKS, N> for Q3K {
    #[inline(always)]
    fn encode<L: Sixteen>(batch: &Batch<'_, BLOCKS, N>, blocks: &mut [Self]) {
        let mut x = [[L::zero(); 16]; BLOCKS];
        for (x, values) in x.iter_mut().zip(batch.values) {
            *x = batch::side_by_side::<L, 1, N, 16>(&[values]);
        }
        let Some(importance) = &batch.importance else {
            let found = descent(&x, HALF);
            for ((block, values), found) in blocks.iter_mut().zip(batch.values).zip(found) {
                let (d, scales) = plain(&found.scale.to_array());
                fill::<L>(block, values, d, &scales, |group, i, _| found.codes[i].to_array()[group] as u8);
            }
            return;
        };
        let squares = batch.sums_of_squares();
        for (i, (block, x)) in blocks.iter_mut().zip(&x).enumerate() {
            let variance = L::all(2.0 * squares[i] / N as f32);
            let weights = batch::weigh(x, &batch::side_by_side::<L, 1, N, 16>(&[importance[i]]), variance);
            let sums = batch::sums(&weights).to_array();
            let found = symmetric(x, &weights, HALF);
            let (d, scales) = searched(&found.scale, &sums);
            fill::<L>(block, batch.values[i], d, &scales, |group, _, x| found.code(group, x, HALF));
        }
    }
}

/// The scale of the scales and these, raised by 32, as a search has them, each weighed by its group's weights.
#[inline(always)]
fn searched(scales: &[f32; GROUPS], weights: &[f32; GROUPS]) -> (f32, [u8; GROUPS]) {
    let mut x = [One::zero(); GROUPS];
    let mut w = x;
    for group in 0..GROUPS {
        (x[group], w[group]) = (One::all(scales[group]), One::all(weights[group]));
    }
    let found = symmetric(&x, &w, 32);
    let [d] = found.scale;
    (d, scales.map(|scale| found.code(0, scale, 32)))
}

/// Scales in sixty-four steps, the largest at the one that has no counterpart.
#[inline(always)]
fn plain(scales: &[f32; GROUPS]) -> (f32, [u8; GROUPS]) {
    let (mut max, mut magnitude) = (0.0, 0.0);
    for &scale in scales {
        if scale.abs() > magnitude {
            (max, magnitude) = (scale, scale.abs());
        }
    }
    if max == 0.0 {
        // What stands for -32 is stored; its scale is zero all the same.
        return (0.0, [0; GROUPS]);
    }
    let inverse = -32.0 / max;
    // A byte before it is bounded, as in C.
    let codes = scales.map(|scale| ((nearest(inverse * scale) as i8).clamp(-32, 31) + 32) as u8);
    (1.0 / inverse, codes)
}

/// The bytes that [`scales`] reads.
#[inline(always)]
fn pack(codes: &[u8; GROUPS]) -> [u8; 12] {
    let mut packed = [0; 12];
    for (group, code) in codes.iter().enumerate() {
        packed[group % 8] |= (code & 15) << (group / 8 * 4);
        packed[8 + group % 4] |= code >> 4 << (group / 4 * 2);
    }
    packed
}

/// Fills the block with the scales and the codes that suit them as they are stored; where such a scale is zero, with the
/// codes of the search: `found`, by group, place in it and value.
#[inline(always)]
fn fill<L: Sixteen>(
    block: &mut Q3K,
    values: &[f32; N],
    d: f32,
    packed: &[u8; GROUPS],
    found: impl Fn(usize, usize, f32) -> u8,
) {
    block.d = F16::searched(d);
    block.scales = pack(packed);
    let (d, scales) = (block.d.get(), scales(&block.scales));
    let mut codes = [0_u8; N];
    let groups = codes.as_chunks_mut::<16>().0.iter_mut().zip(values.as_chunks::<16>().0);
    for (group, (codes, values)) in groups.enumerate() {
        let d = d * f32::from(scales[group]);
        if d == 0.0 {
            for (i, (code, x)) in codes.iter_mut().zip(values).enumerate() {
                *code = found(group, i, *x);
            }
            continue;
        }
        *codes = (L::from_array(values) / L::all(d)).codes(-HALF, HALF - 1);
    }
    block.hmask = [0; 32];
    for (half, codes) in codes.as_chunks::<128>().0.iter().enumerate() {
        for i in 0..32 {
            let [a, b, c, d] = [codes[i], codes[i + 32], codes[i + 64], codes[i + 96]];
            block.qs[half][i] = (a & 3) | (b & 3) << 2 | (c & 3) << 4 | (d & 3) << 6;
            let high = a >> 2 | b >> 2 << 1 | c >> 2 << 2 | d >> 2 << 3;
            block.hmask[i] |= high << (4 * half);
        }
    }
}
