//! Q4_0: 32 weights of 4 bits and one scale; 18 bytes, 4.5 bits per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0..2 | `d` | binary16, the scale |
//! | 2..18 | `qs` | byte i: low nibble = weight i, high nibble = weight i + 16 |
//!
//! `w = d * (q - 8)`, q in 0..=15. In C: `dequantize_row_q4_0`, `quantize_row_q4_0_ref`, `quantize_q4_0`.

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::{N, bounded, extreme, inverse, nibbles, pack_nibbles, put, weighed, wide_nibbles};
use crate::block::Block;
use crate::block::batch::{Batch, Batched};
use crate::half::F16;
use crate::scale::symmetric::symmetric;
use crate::wide::{Sixteen, WIDTH};

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Q4_0 {
    d: F16,
    qs: [u8; N / 2],
}

impl Block<N> for Q4_0 {
    const TYPE: TensorType = TensorType::Q4_0;

    fn decode(&self, out: &mut [f32; N]) {
        let d = self.d.get();
        *out = nibbles(&self.qs).map(|q| (f32::from(q) - 8.0) * d);
    }

    #[inline(always)]
    fn decode_wide<L: Sixteen>(&self, out: &mut [f32; N]) {
        let (d, middle) = (self.d.all::<L>(), L::all(8.0));
        let [low, high] = wide_nibbles::<L>(&self.qs);
        put([(low - middle) * d, (high - middle) * d], out);
    }
}

impl Q4_0 {
    #[inline(always)]
    fn fill(&mut self, d: F16, q: [u8; N]) {
        self.d = d;
        self.qs = pack_nibbles(&q);
    }
}

impl Batched<WIDTH, N> for Q4_0 {
    const ROW_MEAN_SQUARES: bool = true;

    #[inline(always)]
    fn encode<L: Sixteen>(batch: &Batch<'_, WIDTH, N>, blocks: &mut [Self]) {
        let Some((x, weights)) = weighed::<L>(batch) else {
            for (block, values) in blocks.iter_mut().zip(batch.values) {
                // The farthest value is -8 times the scale, the one number without a twin on the other side.
                let d = extreme(values) / -8.0;
                let id = inverse(d);
                block.fill(F16::new(d), bounded::<L>(values, |x| x * L::all(id) + L::all(8.5), 15));
            }
            return;
        };
        let found = symmetric(&x, &weights, 8);
        for (lane, (block, values)) in blocks.iter_mut().zip(batch.values).enumerate() {
            block.fill(F16::searched(found.scale[lane]), values.map(|x| found.code(lane, x, 8)));
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
        assert_decodes::<Q4_0, N>(
            "c0286bd64803f9426471fb1b63ea694c1eb1",
            [0.111328125, -0.07421875, 0.0, -0.18554688],
            0xce48_7dcb_d5d6_d010,
        );
        assert_decodes::<Q4_0, N>(
            "05801f1971d0fd6f86739dcd8717d5e4ba55",
            [-2.0861626e-06, -2.9802322e-07, 2.0861626e-06, 2.3841858e-06],
            0xd082_58cf_5e36_c4f1,
        );
        assert_encodes::<Q4_0, N>(false, "d4288c8379599d78d5b97670576cba99edb4");
        assert_encodes::<Q4_0, N>(true, "d6288c8379599d78d5b97670576cba99edb4");
    }
}
