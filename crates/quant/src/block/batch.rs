//! Going over blocks so many at a time that their groups fill the lanes of a search.

use zerocopy::{FromBytes, IntoBytes, KnownLayout};

use crate::codec::Importance;
use crate::wide::{self, Registers, Sixteen, WIDTH, Wide};

/// `P` blocks of `N` values: together `WIDTH` groups. Where the last blocks of a tensor are fewer, the last one is there
/// again.
pub(crate) struct Batch<'a, const P: usize, const N: usize> {
    pub(crate) values: [&'a [f32; N]; P],
    pub(crate) importance: Option<[&'a [f32; N]; P]>,
    /// The mean of the squares of each block's whole row (`sigma2` in C); 0 for types that do not ask for it, and without
    /// the importance of columns.
    pub(crate) row_mean_squares: [f32; P],
}

/// A block that is made in batches.
pub(crate) trait Batched<const P: usize, const N: usize>:
    FromBytes + IntoBytes + KnownLayout + Sized
{
    /// What [`encode`](Batched::encode) does with the importance of columns.
    const IMPORTANCE: Importance = Importance::Optional;

    /// Whether it asks for the mean squares of rows.
    const ROW_MEAN_SQUARES: bool = false;

    /// Fills every byte of the blocks, as many as there are: one to `P`. To be inlined; see [`Wide`].
    fn encode<L: Sixteen>(batch: &Batch<'_, P, N>, blocks: &mut [Self]);
}

/// Floats to blocks, in rows; see [`EncodeRows`](crate::codec::EncodeRows).
pub(crate) fn encode<B: Batched<P, N>, const P: usize, const N: usize>(
    values: &[f32],
    row: usize,
    importance: Option<&[f32]>,
    out: &mut [u8],
) {
    let Ok(blocks) = <[B]>::mut_from_bytes(out) else { return };
    wide::run(Registers::Avx512, Rows { values, row, importance, blocks });
}

struct Rows<'a, B, const P: usize, const N: usize> {
    values: &'a [f32],
    row: usize,
    importance: Option<&'a [f32]>,
    blocks: &'a mut [B],
}

impl<B: Batched<P, N>, const P: usize, const N: usize> Wide for Rows<'_, B, P, N> {
    #[inline(always)]
    fn run<L: Sixteen>(self) {
        let values = self.values.as_chunks::<N>().0;
        let importance = self.importance.map(|weights| weights.as_chunks::<N>().0);
        let per_row = (self.row / N).max(1);
        let mut first = 0;
        // The row that the last block was of, and its mean square.
        let (mut last_row, mut mean) = (usize::MAX, 0.0);
        for blocks in self.blocks.chunks_mut(P) {
            let last = first + blocks.len() - 1;
            // Lengths were tested by the codec: each block has its values and its columns.
            let mut batch =
                Batch { values: [&values[first]; P], importance: None, row_mean_squares: [0.0; P] };
            let mut columns = [&values[first]; P];
            for (i, column) in columns.iter_mut().enumerate() {
                let at = (first + i).min(last);
                batch.values[i] = &values[at];
                if let Some(importance) = importance {
                    *column = &importance[at % per_row];
                    if B::ROW_MEAN_SQUARES {
                        let row = at / per_row;
                        if row != last_row {
                            (last_row, mean) = (row, mean_square(&values[row * per_row..][..per_row]));
                        }
                        batch.row_mean_squares[i] = mean;
                    }
                }
            }
            if importance.is_some() {
                batch.importance = Some(columns);
            }
            B::encode::<L>(&batch, blocks);
            first += P;
        }
    }
}

/// One sum after the other: the order of additions is part of the result.
#[inline(always)]
fn mean_square<const N: usize>(row: &[[f32; N]]) -> f32 {
    let mut sum = 0.0f32;
    for x in row.as_flattened() {
        sum += x * x;
    }
    sum / row.as_flattened().len() as f32
}

/// The groups side by side: lane g of number i is value i of group g.
#[inline(always)]
pub(crate) fn side_by_side<L: Sixteen, const P: usize, const N: usize, const LEN: usize>(
    blocks: &[&[f32; N]; P],
) -> [L; LEN] {
    let mut rows = [[0.0; WIDTH]; LEN];
    let per_block = WIDTH / P;
    for (i, block) in blocks.iter().enumerate() {
        for (group, values) in block.as_chunks::<LEN>().0.iter().enumerate().take(per_block) {
            for (row, value) in rows.iter_mut().zip(values) {
                row[i * per_block + group] = *value;
            }
        }
    }
    let mut out = [L::zero(); LEN];
    for (out, row) in out.iter_mut().zip(&rows) {
        *out = L::from_array(row);
    }
    out
}

impl<const P: usize, const N: usize> Batch<'_, P, N> {
    /// The sum of the squares of each block.
    #[inline(always)]
    pub(crate) fn sums_of_squares(&self) -> [f32; P] {
        let mut sums = [0.0; P];
        for i in 0..N {
            for (sum, block) in sums.iter_mut().zip(self.values) {
                *sum += block[i] * block[i];
            }
        }
        sums
    }

    /// The same, each in the lanes of its block's groups.
    #[inline(always)]
    pub(crate) fn spread_sums_of_squares<L: Sixteen>(&self) -> L {
        let sums = self.sums_of_squares();
        let mut lanes = [0.0; WIDTH];
        for (lane, out) in lanes.iter_mut().enumerate() {
            *out = sums[lane * P / WIDTH];
        }
        L::from_array(&lanes)
    }
}

/// How much each value matters where the columns' importance is known: that, times the root of its square and `variance`,
/// so that small values next to large ones still count.
#[inline(always)]
pub(crate) fn weigh<L: Sixteen, const LEN: usize>(
    x: &[L; LEN],
    importance: &[L; LEN],
    variance: L,
) -> [L; LEN] {
    let mut weights = *importance;
    for (weight, &x) in weights.iter_mut().zip(x) {
        *weight = *weight * (variance + x * x).sqrt();
    }
    weights
}

/// The square of each value: how much it matters where nothing is known of the columns.
#[inline(always)]
pub(crate) fn squares<L: Sixteen, const LEN: usize>(x: &[L; LEN]) -> [L; LEN] {
    let mut out = *x;
    for x in &mut out {
        *x = *x * *x;
    }
    out
}

/// The sum of each group.
#[inline(always)]
pub(crate) fn sums<L: Sixteen, const LEN: usize>(x: &[L; LEN]) -> L {
    let mut sum = L::zero();
    for &x in x {
        sum = sum + x;
    }
    sum
}

/// The lanes of a block's groups.
#[inline(always)]
pub(crate) fn part<const LEN: usize>(lanes: &[f32; WIDTH], first: usize) -> [f32; LEN] {
    let mut out = [0.0; LEN];
    for (out, value) in out.iter_mut().zip(lanes.iter().skip(first)) {
        *out = *value;
    }
    out
}
