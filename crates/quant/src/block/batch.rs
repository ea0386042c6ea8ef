//! Going over blocks so many at a time that their groups fill the lanes of a search.

use crate::scale::lanes::Lanes;

/// Groups that are searched at once. Two numbers of as many lanes as wide registers have are better than one: the sums of a
/// search wait for each other.
pub(crate) const WIDTH: usize = 16;

/// `P` blocks of `N` values: together `WIDTH` groups. Where the last blocks of a tensor are fewer, the last one is there
/// again.
pub(crate) struct Batch<'a, const P: usize, const N: usize> {
    pub(crate) values: [&'a [f32; N]; P],
    pub(crate) importance: Option<[&'a [f32; N]; P]>,
}

/// Calls `fill` with each batch and the blocks to fill, as many as there are: one to `P`.
#[inline(always)]
pub(crate) fn each<B, const P: usize, const N: usize>(
    values: &[f32],
    row: usize,
    importance: Option<&[f32]>,
    blocks: &mut [B],
    fill: impl Fn(&Batch<'_, P, N>, &mut [B]),
) {
    let values = values.as_chunks::<N>().0;
    let importance = importance.map(|weights| weights.as_chunks::<N>().0);
    let per_row = (row / N).max(1);
    let mut first = 0;
    for blocks in blocks.chunks_mut(P) {
        let last = first + blocks.len() - 1;
        let at = |i: usize| (first + i).min(last);
        // Lengths were tested by the codec: each block has its values and its columns.
        let batch = Batch {
            values: std::array::from_fn(|i| &values[at(i)]),
            importance: importance.map(|columns| std::array::from_fn(|i| &columns[at(i) % per_row])),
        };
        fill(&batch, blocks);
        first += P;
    }
}

/// The groups side by side: lane g of number i is value i of group g.
#[inline(always)]
pub(crate) fn side_by_side<const P: usize, const N: usize, const LEN: usize>(
    blocks: &[&[f32; N]; P],
) -> [Lanes<WIDTH>; LEN] {
    let mut out = [Lanes::ZERO; LEN];
    let groups = blocks.iter().flat_map(|block| block.as_chunks::<LEN>().0);
    for (lane, group) in groups.enumerate().take(WIDTH) {
        for (out, value) in out.iter_mut().zip(group) {
            out.0[lane] = *value;
        }
    }
    out
}

/// One number for each block, in the lanes of its groups.
#[inline(always)]
pub(crate) fn spread<const P: usize>(numbers: [f32; P]) -> Lanes<WIDTH> {
    Lanes(std::array::from_fn(|lane| numbers[lane * P / WIDTH]))
}

impl<const P: usize, const N: usize> Batch<'_, P, N> {
    /// The sum of the squares of each block, in the lanes of its groups.
    #[inline(always)]
    pub(crate) fn sums_of_squares(&self) -> Lanes<WIDTH> {
        let mut sums = [0.0; P];
        for i in 0..N {
            for (sum, block) in sums.iter_mut().zip(self.values) {
                *sum += block[i] * block[i];
            }
        }
        spread(sums)
    }
}

/// How much each value matters where the columns' importance is known: that, times the root of its square and `variance`,
/// so that small values next to large ones still count.
#[inline(always)]
pub(crate) fn weigh<const LEN: usize>(
    x: &[Lanes<WIDTH>; LEN],
    importance: &[Lanes<WIDTH>; LEN],
    variance: Lanes<WIDTH>,
) -> [Lanes<WIDTH>; LEN] {
    let mut weights = [Lanes::ZERO; LEN];
    for ((weight, &x), &importance) in weights.iter_mut().zip(x).zip(importance) {
        *weight = importance * (variance + x * x).sqrt();
    }
    weights
}
