//! Q4_1: 32 weights of 4 bits, one scale and one offset; 20 bytes, 5 bits per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0..2 | `d` | binary16, the scale |
//! | 2..4 | `m` | binary16, the smallest value |
//! | 4..20 | `qs` | byte i: low nibble = weight i, high nibble = weight i + 16 |
//!
//! `w = d * q + m`, q in 0..=15. In C: `dequantize_row_q4_1`, `quantize_row_q4_1_ref`, `quantize_q4_1`.

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::{N, bounded, inverse, nibbles, pack_nibbles, put, range, weighed, wide_nibbles};
use crate::block::Block;
use crate::block::batch::{Batch, Batched};
use crate::half::F16;
use crate::scale::affine::{Tries, affine};
use crate::wide::{Sixteen, WIDTH};

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Q4_1 {
    d: F16,
    m: F16,
    qs: [u8; N / 2],
}

impl Block<N> for Q4_1 {
    const TYPE: TensorType = TensorType::Q4_1;

    fn decode(&self, out: &mut [f32; N]) {
        let (d, m) = (self.d.get(), self.m.get());
        *out = nibbles(&self.qs).map(|q| f32::from(q) * d + m);
    }

    #[inline(always)]
    fn decode_wide<L: Sixteen>(&self, out: &mut [f32; N]) {
        let (d, m) = (self.d.all::<L>(), self.m.all::<L>());
        let [low, high] = wide_nibbles::<L>(&self.qs);
        put([low * d + m, high * d + m], out);
    }
}

impl Q4_1 {
    #[inline(always)]
    fn fill(&mut self, d: f32, m: f32, q: [u8; N]) {
        self.d = F16::new(d);
        self.m = F16::new(m);
        self.qs = pack_nibbles(&q);
    }
}

impl Batched<WIDTH, N> for Q4_1 {
    const ROW_MEAN_SQUARES: bool = true;

    #[inline(always)]
    fn encode<L: Sixteen>(batch: &Batch<'_, WIDTH, N>, blocks: &mut [Self]) {
        let Some((x, weights)) = weighed::<L>(batch) else {
            for (block, values) in blocks.iter_mut().zip(batch.values) {
                let (min, max) = range(values);
                let d = (max - min) / 15.0;
                let id = inverse(d);
                block.fill(
                    d,
                    min,
                    bounded::<L>(values, |x| (x - L::all(min)) * L::all(id) + L::all(0.5), 15),
                );
            }
            return;
        };
        let found = affine::<L, N, false>(&x, &weights, Tries::guided(15));
        for (lane, (block, values)) in blocks.iter_mut().zip(batch.values).enumerate() {
            block.fill(found.scale[lane], -found.min[lane], values.map(|x| found.code(lane, x, 15)));
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
        assert_decodes::<Q4_1, N>(
            "c0287425931aed15f5d3ef2d059d9f3c36ec6d2e",
            [0.1326294, 0.39239502, 0.50372314, 0.20684814],
            0x3665_32ad_bcca_abf8,
        );
        assert_decodes::<Q4_1, N>(
            "05804045240786de399208950e0f160a90d01818",
            [5.249999, 5.249998, 5.249998, 5.2499957],
            0x1c3a_9eab_2bd6_0c68,
        );
        assert_encodes::<Q4_1, N>(false, "7a28d4b49c93796aae88e5c97770677dcb9afec4");
        assert_encodes::<Q4_1, N>(true, "7a28c1b49c93796aae88e5c97670676ccb9afec4");
    }
}
