//! Values to Q3_K.

use super::{Q3K, scales};
use crate::block::batch::{self, Batch, Batched};
use crate::block::k_quant::N;
use crate::half::F16;
use crate::number::nearest;
use crate::scale::lanes::Lanes;
use crate::scale::lanes::descent::descent;
use crate::scale::lanes::symmetric::symmetric;

/// Codes go from minus this to one less.
const HALF: i32 = 4;
const GROUPS: usize = N / 16;

impl Batched<1, N> for Q3K {
    #[inline(always)]
    fn encode(batch: &Batch<'_, 1, N>, blocks: &mut [Self]) {
        let x = batch::side_by_side::<1, N, 16>(&batch.values);
        let [values] = batch.values;
        let (d, packed, found): (_, _, [Lanes<GROUPS>; 16]);
        if let Some(importance) = &batch.importance {
            let variance = Lanes::all(2.0) * batch.sums_of_squares() / Lanes::all(N as f32);
            let weights = batch::weigh(&x, &batch::side_by_side(importance), variance);
            let sums = batch::sums(&weights);
            let groups = symmetric(&x, &weights, HALF);
            let numbers = groups.scale.0;
            let of_scales = symmetric(&numbers.map(|n| Lanes([n])), &sums.0.map(|n| Lanes([n])), 32);
            d = of_scales.scale.0[0];
            packed = pack(&numbers.map(|scale| of_scales.code(0, scale, 32)));
            found = groups.codes(&x, HALF);
        } else {
            let groups = descent(&x, HALF);
            (d, packed) = plain(&groups.scale.0);
            found = groups.codes;
        }
        for block in blocks {
            block.d = F16::new(d);
            block.scales = packed;
            fill(block, values, &found);
        }
    }
}

/// Scales in sixty-four steps, the largest at the one that has no counterpart.
#[inline(always)]
fn plain(scales: &[f32; GROUPS]) -> (f32, [u8; 12]) {
    let (mut max, mut magnitude) = (0.0, 0.0);
    for &scale in scales {
        if scale.abs() > magnitude {
            (max, magnitude) = (scale, scale.abs());
        }
    }
    if max == 0.0 {
        return (0.0, [0; 12]);
    }
    let inverse = -32.0 / max;
    // A byte before it is bounded, as in C.
    let codes = scales.map(|scale| ((nearest(inverse * scale) as i8).clamp(-32, 31) + 32) as u8);
    (1.0 / inverse, pack(&codes))
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

/// Fills in the codes that suit the scales as they are stored; where such a scale is zero, those of the search.
#[inline(always)]
fn fill(block: &mut Q3K, values: &[f32; N], found: &[Lanes<GROUPS>; 16]) {
    let (d, scales) = (block.d.get(), scales(&block.scales));
    let mut codes = [0_u8; N];
    let groups = codes.as_chunks_mut::<16>().0.iter_mut().zip(values.as_chunks::<16>().0);
    for (group, (codes, values)) in groups.enumerate() {
        let d = d * f32::from(scales[group]);
        if d == 0.0 {
            *codes = std::array::from_fn(|i| found[i].0[group] as u8);
            continue;
        }
        for (code, x) in codes.iter_mut().zip(values) {
            *code = (nearest(x / d).min(HALF - 1).max(-HALF) + HALF) as u8;
        }
    }
    block.hmask = [[0; 16]; 2];
    for (half, codes) in codes.as_chunks::<128>().0.iter().enumerate() {
        for i in 0..32 {
            let [a, b, c, d] = [codes[i], codes[i + 32], codes[i + 64], codes[i + 96]];
            block.qs[half][i / 16][i % 16] = (a & 3) | (b & 3) << 2 | (c & 3) << 4 | (d & 3) << 6;
            let high = a >> 2 | b >> 2 << 1 | c >> 2 << 2 | d >> 2 << 3;
            block.hmask[i / 16][i % 16] |= high << (4 * half);
        }
    }
}
