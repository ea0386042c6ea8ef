//! What Q4_K and Q5_K have in common: 8 groups of 32 with scales and minimums of six bits.

use super::{N, scales_and_minimums};
use crate::block::batch::{self, Batch};
use crate::half::F16;
use crate::number::nearest;
use crate::scale::affine::{Affine, Tries, affine};
use crate::scale::positive::positive;
use crate::wide::{Sixteen, WIDTH};

/// Blocks of a batch.
pub(super) const BLOCKS: usize = 2;
const GROUPS: usize = N / 32;

/// A block of such groups.
pub(super) trait Minimum {
    /// The largest code of a value.
    const TOP: u8;
    /// The first try without the importance of columns, and the number of tries after it, in tenths of a code.
    const TRIES: (f32, i32);

    /// Whether searched scales are bounded before they are packed. Only importance below zero makes them larger than fits.
    const BOUNDED: bool;

    /// Fills every byte.
    fn fill(&mut self, scales: Scales, codes: &[u8; N]);
}

/// The scales of a block as they are stored.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scales {
    pub(super) d: F16,
    pub(super) dmin: F16,
    pub(super) packed: [u8; 12],
}

#[inline(always)]
pub(super) fn encode<L: Sixteen, B: Minimum>(batch: &Batch<'_, BLOCKS, N>, blocks: &mut [B]) {
    let x = batch::side_by_side::<L, BLOCKS, N, 32>(&batch.values);
    let top = i32::from(B::TOP);
    let (found, sums) = match &batch.importance {
        Some(importance) => {
            let variance = L::all(2.0) * batch.spread_sums_of_squares::<L>() / L::all(N as f32);
            let weights = batch::weigh(&x, &batch::side_by_side(importance), variance);
            let sums = batch::sums(&weights);
            (affine::<L, 32, false>(&x, &weights, Tries::guided(top)), Some(sums.to_array()))
        }
        None => {
            let (first, steps) = B::TRIES;
            let squares = batch::sums(&batch::squares(&x));
            let usual = (squares / L::all(32.0)).sqrt();
            let mut weights = x;
            for x in &mut weights {
                *x = usual + x.abs();
            }
            (affine::<L, 32, false>(&x, &weights, Tries { top, first, step: 0.1, steps }), None)
        }
    };
    for (i, (block, values)) in blocks.iter_mut().zip(batch.values).enumerate() {
        let first = i * GROUPS;
        let scales = match &sums {
            Some(sums) => searched::<B>(
                &batch::part(&found.scale, first),
                &batch::part(&found.min, first),
                &batch::part(sums, first),
            ),
            None => plain(&batch::part(&found.scale, first), &batch::part(&found.min, first)),
        };
        block.fill(scales, &codes::<L, B>(values, &scales, &found, first));
    }
}

/// Scales and minimums in sixty-three steps up to the largest.
#[inline(always)]
fn plain(scales: &[f32; GROUPS], minimums: &[f32; GROUPS]) -> Scales {
    let steps = |numbers: &[f32; GROUPS]| {
        let max = numbers.iter().fold(0.0, |max, &number| if number > max { number } else { max });
        let inverse = if max > 0.0 { 63.0 / max } else { 0.0 };
        // A code is a byte before it is bounded, as in C: one below zero becomes the largest.
        let codes = numbers.map(|number| (nearest(inverse * number) as u8).min(63));
        (F16::searched(max / 63.0), codes)
    };
    let ((d, scales), (dmin, minimums)) = (steps(scales), steps(minimums));
    Scales { d, dmin, packed: pack(&scales, &minimums) }
}

/// Scales and minimums as a search has them, each weighed by its group's weights.
#[inline(always)]
fn searched<B: Minimum>(scales: &[f32; GROUPS], minimums: &[f32; GROUPS], weights: &[f32; GROUPS]) -> Scales {
    let (d, scales) = positive(scales, weights, 63);
    let (dmin, minimums) = positive(minimums, weights, 63);
    let bound = |codes: [u8; GROUPS]| if B::BOUNDED { codes.map(|code| code.min(63)) } else { codes };
    let (scales, minimums) = (bound(scales), bound(minimums));
    Scales { d: F16::searched(d), dmin: F16::searched(dmin), packed: pack(&scales, &minimums) }
}

/// The bytes that [`scales_and_minimums`] reads.
#[inline(always)]
fn pack(scales: &[u8; GROUPS], minimums: &[u8; GROUPS]) -> [u8; 12] {
    let mut packed = [0; 12];
    for i in 0..4 {
        packed[i] = scales[i] | scales[i + 4] >> 4 << 6;
        packed[i + 4] = minimums[i] | minimums[i + 4] >> 4 << 6;
        packed[i + 8] = (scales[i + 4] & 15) | minimums[i + 4] << 4;
    }
    packed
}

/// The codes that suit the scales as they are stored; where such a scale is zero, those of the search.
#[inline(always)]
fn codes<L: Sixteen, B: Minimum>(
    values: &[f32; N],
    stored: &Scales,
    found: &Affine<[f32; WIDTH]>,
    first: usize,
) -> [u8; N] {
    let (scales, minimums) = scales_and_minimums(&stored.packed);
    let (d, dmin) = (stored.d.get(), stored.dmin.get());
    let top = i32::from(B::TOP);
    let mut codes = [0; N];
    for (group, (codes, values)) in
        codes.as_chunks_mut::<32>().0.iter_mut().zip(values.as_chunks::<32>().0).enumerate()
    {
        let d = d * f32::from(scales[group]);
        if d == 0.0 {
            for (code, x) in codes.iter_mut().zip(values) {
                *code = found.code(first + group, *x, top);
            }
            continue;
        }
        let min = dmin * f32::from(minimums[group]);
        for (codes, values) in codes.as_chunks_mut().0.iter_mut().zip(values.as_chunks().0) {
            *codes = ((L::from_array(values) + L::all(min)) / L::all(d)).codes(0, top);
        }
    }
    codes
}
