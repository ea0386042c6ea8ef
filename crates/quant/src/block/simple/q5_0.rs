//! Q5_0: 32 weights of 5 bits and one scale; 22 bytes, 5.5 bits per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0..2 | `d` | binary16, the scale |
//! | 2..6 | `qh` | a word: bit i = fifth bit of weight i |
//! | 6..22 | `qs` | byte i: low nibble = low bits of weight i, high nibble = those of weight i + 16 |
//!
//! `w = d * (q - 16)`, q in 0..=31. In C: `dequantize_row_q5_0`, `quantize_row_q5_0_ref`, `quantize_q5_0`.

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::{N, bounded, extreme, fifth_bits, fives, inverse, pack_nibbles, put, weighed, wide_fives};
use crate::block::Block;
use crate::block::batch::{Batch, Batched};
use crate::half::F16;
use crate::scale::symmetric::symmetric;
use crate::wide::{Sixteen, WIDTH};

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Q5_0 {
    d: F16,
    qh: [u8; 4],
    qs: [u8; N / 2],
}

impl Block<N> for Q5_0 {
    const TYPE: TensorType = TensorType::Q5_0;

    fn decode(&self, out: &mut [f32; N]) {
        let d = self.d.get();
        *out = fives(&self.qs, self.qh).map(|q| (f32::from(q) - 16.0) * d);
    }

    #[inline(always)]
    fn decode_wide<L: Sixteen>(&self, out: &mut [f32; N]) {
        let (d, middle) = (self.d.all::<L>(), L::all(16.0));
        let [low, high] = wide_fives::<L>(&self.qs, self.qh);
        put([(low - middle) * d, (high - middle) * d], out);
    }
}

impl Q5_0 {
    #[inline(always)]
    fn fill(&mut self, d: F16, q: [u8; N]) {
        self.d = d;
        self.qh = fifth_bits(&q);
        self.qs = pack_nibbles(&q);
    }
}

impl Batched<WIDTH, N> for Q5_0 {
    const ROW_MEAN_SQUARES: bool = true;

    #[inline(always)]
    fn encode<L: Sixteen>(batch: &Batch<'_, WIDTH, N>, blocks: &mut [Self]) {
        let Some((x, weights)) = weighed::<L>(batch) else {
            for (block, values) in blocks.iter_mut().zip(batch.values) {
                // The farthest value is -16 times the scale, the one number without a twin on the other side.
                let d = extreme(values) / -16.0;
                let id = inverse(d);
                block.fill(F16::new(d), bounded::<L>(values, |x| x * L::all(id) + L::all(16.5), 31));
            }
            return;
        };
        let found = symmetric(&x, &weights, 16);
        for (lane, (block, values)) in blocks.iter_mut().zip(batch.values).enumerate() {
            block.fill(F16::searched(found.scale[lane]), values.map(|x| found.code(lane, x, 16)));
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
        assert_decodes::<Q5_0, N>(
            "c028ee719123c589df108c848799e057ef3336f2cc30",
            [-0.40820312, 0.33398438, 0.5566406, 0.0],
            0x76e0_7ca9_3579_e8f3,
        );
        assert_decodes::<Q5_0, N>(
            "0580653361a82005df5f6da12d73e331c9fcd3f5c12f",
            [-0.0, 3.2782555e-06, -4.4703484e-06, 2.9802322e-07],
            0x7074_4b58_7116_0e54,
        );
        assert_encodes::<Q5_0, N>(false, "d4249d78d3f01706d1b22affaa61dcd0bec76412cb78");
        assert_encodes::<Q5_0, N>(true, "d6249d78d3f01706d1b22affaa61dcd0bec76412cb78");
    }
}
