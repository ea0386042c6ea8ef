//! IQ4_NL: 32 weights of 4 bits, which name levels that lie closer together near zero, and one scale; 18 bytes, 4.5 bits
//! per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0..2 | `d` | binary16, the scale |
//! | 2..18 | `qs` | byte i: low nibble = weight i, high nibble = weight i + 16 |
//!
//! `w = d * level[q]`. In C: `dequantize_row_iq4_nl`, `quantize_iq4_nl`.

mod encode;

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::levels;
use crate::block::Block;
use crate::half::F16;
use crate::wide::{Array, Sixteen};

const N: usize = 32;

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Iq4Nl {
    d: F16,
    qs: [u8; N / 2],
}

impl Block<N> for Iq4Nl {
    const TYPE: TensorType = TensorType::IQ4_NL;

    #[inline(always)]
    fn decode(&self, out: &mut [f32; N]) {
        self.decode_wide::<Array>(out);
    }

    #[inline(always)]
    fn decode_wide<L: Sixteen>(&self, out: &mut [f32; N]) {
        *out = levels::<L>(self.d.all(), &self.qs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::testing::{assert_decodes, assert_encodes};

    const BLOCK: &str = "c9189c8269599e78e4c96560465ccb99eec3";

    /// By libgguf.
    #[test]
    fn as_the_reference() {
        assert_decodes::<Iq4Nl, N>(
            BLOCK,
            [0.12383461, -0.19392967, 0.030374527, 0.030374527],
            0x932f_c75a_f84d_69da,
        );
        assert_encodes::<Iq4Nl, N>(false, BLOCK);
        assert_encodes::<Iq4Nl, N>(true, "bd189c8269599e78e4c96560465ccb99eec3");
    }
}
