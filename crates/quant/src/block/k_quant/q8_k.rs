//! Q8_K: 256 weights of 8 bits and one scale; 292 bytes, 9.125 bits per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0..4 | `d` | binary32, the scale |
//! | 4..260 | `qs` | a signed byte per weight |
//! | 260..292 | `bsums` | for each 16 weights a signed word, the sum of their bytes; not looked at |
//!
//! `w = d * q`. An intermediate of multiplication, which no tool stores weights as: it is read, not written. In C:
//! `dequantize_row_q8_K`.

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::N;
use crate::block::Block;
use crate::wide::Sixteen;

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Q8K {
    d: [u8; 4],
    qs: [i8; N],
    bsums: [u8; N / 8],
}

impl Block<N> for Q8K {
    const TYPE: TensorType = TensorType::Q8_K;

    #[inline(always)]
    fn decode(&self, out: &mut [f32; N]) {
        let d = f32::from_le_bytes(self.d);
        *out = self.qs.map(|q| d * f32::from(q));
    }

    #[inline(always)]
    fn decode_wide<L: Sixteen>(&self, out: &mut [f32; N]) {
        let d = L::all(f32::from_le_bytes(self.d));
        for (out, q) in out.as_chunks_mut().0.iter_mut().zip(self.qs.as_chunks().0) {
            *out = (d * L::from_signed(q)).to_array();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::testing::assert_decodes;

    /// By the definition in the oracle.
    #[test]
    fn as_the_reference() {
        assert_decodes::<Q8K, N>(
            "2bf6173d1da157b179749fb4e463d9d0b1e1e03d910a2b58ecf1e033c2837a0b144e7471a5325492fa93a8f71c577025156a25fba46601b83b907477aa486958d18117b20a96fe745768a444bd10d7f9de33453758280ec8f3006119d99f02d891700524edf91b8e35777885fd180ef168b874e33a00b104b1cc61ef738ea1e3f38891534336c7638e068d6e2e52533bb6ca7039610fce88f8cca7a9db38d7f1315649ef274ebc541255943ad1659be8c44ba618680ba377c999aa96c32ba0f7a578946b2c61a4c3ebbe7fe9b4e089c88c26f1caab108d5c25e9d3f2124679961597fd77efeaa03fbef54012f6e2d5cc46d8aa14d2cc2e42cb57651c372630ac153383c9a1d64913dce1a441d6db323f23aa86c9eec7ad5bb48ffa9fb8d30b2c26a9c931",
            [1.0759, -3.5245, 3.2276998, -2.9308999],
            0x431b_c0dc_b20c_04c9,
        );
        assert_decodes::<Q8K, N>(
            "b00fa1b41752ef03b560a9333c44bbaa22f42d0aa1e139a83e43c657c16e3d110e36df77d43cdd189a69d76ae9f637d8e73247e62bdf42607278c0168c0d43c6433cbc9fc49f4b9e2bd0465934b1b891b5d2a50625f23ad7d63ae3c5aed7b9ef2220096cd61ac30c1966e8f9802a43ec65c646c63a7a452941f069de9afed98a1af0e4907a7dec9a8868ea564db8877cd62db9da77e890204beac4695e85c27907b80edfde1e25982993c8e95bf6c9f03265a85a5100070e0bb8a7b9c44494b9f5444fd07137652386ad74ff043dd38325e61c7528436b54dbdc6133202094b0e2681b42bc6cfd8c5e95b561ba30bc740598471269949d1134986db1a8358b3b2e1d8e0e56c4c0e82e49077791beb2bab5697cff658a42ca912f3d67d1cfb30dbebee535",
            [-6.9000002e-06, -2.4600002e-05, 5.1e-06, -9.0000003e-07],
            0xe3b8_6fa4_430d_f357,
        );
    }
}
