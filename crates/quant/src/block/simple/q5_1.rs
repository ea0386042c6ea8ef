//! Q5_1: 32 weights of 5 bits, one scale and one offset; 24 bytes, 6 bits per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0..2 | `d` | binary16, the scale |
//! | 2..4 | `m` | binary16, the smallest value |
//! | 4..8 | `qh` | a word: bit i = fifth bit of weight i |
//! | 8..24 | `qs` | byte i: low nibble = low bits of weight i, high nibble = those of weight i + 16 |
//!
//! `w = d * q + m`, q in 0..=31. In C: `dequantize_row_q5_1`, `quantize_row_q5_1_ref`, `quantize_q5_1`.

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::{N, fifth_bits, fives, inverse, pack_nibbles, put, range, unbounded, weighed, wide_fives};
use crate::block::Block;
use crate::block::batch::{Batch, Batched};
use crate::half::F16;
use crate::scale::affine::{Tries, affine};
use crate::wide::{Sixteen, WIDTH};

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Q5_1 {
    d: F16,
    m: F16,
    qh: [u8; 4],
    qs: [u8; N / 2],
}

impl Block<N> for Q5_1 {
    const TYPE: TensorType = TensorType::Q5_1;

    fn decode(&self, out: &mut [f32; N]) {
        let (d, m) = (self.d.get(), self.m.get());
        *out = fives(&self.qs, self.qh).map(|q| f32::from(q) * d + m);
    }

    #[inline(always)]
    fn decode_wide<L: Sixteen>(&self, out: &mut [f32; N]) {
        let (d, m) = (self.d.all::<L>(), self.m.all::<L>());
        let [low, high] = wide_fives::<L>(&self.qs, self.qh);
        put([low * d + m, high * d + m], out);
    }
}

impl Q5_1 {
    #[inline(always)]
    fn fill(&mut self, d: f32, m: f32, q: [u8; N]) {
        self.d = F16::new(d);
        self.m = F16::new(m);
        self.qh = fifth_bits(&q);
        self.qs = pack_nibbles(&q);
    }
}

impl Batched<WIDTH, N> for Q5_1 {
    const ROW_MEAN_SQUARES: bool = true;

    #[inline(always)]
    fn encode<L: Sixteen>(batch: &Batch<'_, WIDTH, N>, blocks: &mut [Self]) {
        let Some((x, weights)) = weighed::<L>(batch) else {
            for (block, values) in blocks.iter_mut().zip(batch.values) {
                let (min, max) = range(values);
                let d = (max - min) / 31.0;
                let id = inverse(d);
                block.fill(d, min, unbounded::<L>(values, |x| (x - L::all(min)) * L::all(id) + L::all(0.5)));
            }
            return;
        };
        let found = affine::<L, N, false>(&x, &weights, Tries::guided(31));
        for (lane, (block, values)) in blocks.iter_mut().zip(batch.values).enumerate() {
            block.fill(found.scale[lane], -found.min[lane], values.map(|x| found.code(lane, x, 31)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::testing::{assert_decodes, assert_encodes};

    /// By libgguf.
    #[test]
    fn as_the_reference() {
        assert_decodes::<Q5_1, N>(
            "c0287425a94106a0956a26afbccdafe562f90a945f5693c6",
            [0.80059814, 0.39239502, 0.24395752, 1.1716919],
            0x8ec6_76f5_748e_7c5e,
        );
        assert_decodes::<Q5_1, N>(
            "05804045ab2da7394551370e99b2d74c3427fa48d732a1df",
            [5.249994, 5.2499948, 5.249998, 5.249991],
            0x7603_687c_e7c6_3ecf,
        );
        assert_encodes::<Q5_1, N>(false, "5524d4b4bd78f3f03a27f3c44d11db93fef0cfea9634fe98");
        assert_encodes::<Q5_1, N>(true, "5124c6b4bd78f3f03a27e3c44d11db93fdf0cfda9634fe98");
    }
}
