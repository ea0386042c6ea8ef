//! IQ4_XS: 256 weights of 4 bits; 8 groups of 32 with a scale of 6 bits each; 136 bytes, 4.25 bits per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0..2 | `d` | binary16, the scale of the scales |
//! | 2..4 | `scales_h` | a little-endian word with the upper two bits of each scale, from the lowest up |
//! | 4..8 | `scales_l` | the lower four: a nibble per group, the low one first |
//! | 8..136 | `qs` | 16 bytes per group: byte i: low nibble = weight i, high nibble = weight i + 16 |
//!
//! `w = (d * (scale - 32)) * level[q]`. In C: `dequantize_row_iq4_xs`, `quantize_iq4_xs`.

mod encode;

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::{N, levels, nibble};
use crate::block::Block;
use crate::half::F16;
use crate::wide::{Array, Sixteen, WIDTH};

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Iq4Xs {
    d: F16,
    scales_h: [u8; 2],
    scales_l: [u8; N / 64],
    qs: [[u8; 16]; N / 32],
}

impl Block<N> for Iq4Xs {
    const TYPE: TensorType = TensorType::IQ4_XS;

    #[inline(always)]
    fn decode(&self, out: &mut [f32; N]) {
        self.decode_wide::<Array>(out);
    }

    #[inline(always)]
    fn decode_wide<L: Sixteen>(&self, out: &mut [f32; N]) {
        let high = u16::from_le_bytes(self.scales_h);
        let mut scales = [0; WIDTH];
        for (group, scale) in scales.iter_mut().enumerate().take(N / 32) {
            let number = nibble(&self.scales_l, group) | ((high >> (2 * group) & 3) as u8) << 4;
            *scale = number.cast_signed() - 32;
        }
        let scales = (self.d.all::<L>() * L::from_signed(&scales)).to_array();
        let groups = self.qs.iter().zip(scales);
        for (out, (qs, scale)) in out.as_chunks_mut::<32>().0.iter_mut().zip(groups) {
            *out = levels(L::all(scale), qs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::testing::{assert_decodes, assert_encodes};

    const BLOCK: &str = "a106c30c77a890b89c8269599e78e4c96560465ccb99eec3d94db08b2358774ba7bb0b906c58844a \
        dbd8d8893ba478549c295bc092846e1d34787faa37775d9e17ca8d4df9b58b037e47d4d369798bdd \
        7b28706ba674d8ae940c405b3458619fc14167ea94b9834e013b55482c45380ed0c515784ce9cdbe \
        6733e3cb5be4a7edb8ee596df0afc03b";
    const GUIDED: &str = "df863cf08a8880479c8269599e78e4c96560465ccb99eec3d94db08b2358774ba7bb0b906c58844a \
        dbd8d8893ba578649c295bc092846e1d34787faa37774d9e17ca8d4df9b48b0392c93c3d97968523 \
        95d89f956a9b3862940c405b3458619fc14167ea94b9834e013b54482c45380ed0c515784ce9cdbe \
        6733e3cb5be4a7edb8ee596df0afc03b";

    /// By libgguf.
    #[test]
    fn as_the_reference() {
        let first = [0.12330073, -0.1930936, 0.030243576, 0.030243576];
        assert_decodes::<Iq4Xs, N>(BLOCK, first, 0x148a_5ab2_59d6_3689);
        assert_encodes::<Iq4Xs, N>(false, BLOCK);
        assert_encodes::<Iq4Xs, N>(true, GUIDED);
    }
}
