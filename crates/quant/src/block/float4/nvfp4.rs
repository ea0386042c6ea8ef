//! NVFP4: 64 weights of 4 bits in four groups, each with a scale of 8 bits; 36 bytes, 4.5 bits per weight.
//!
//! | bytes | field | what |
//! |---|---|---|
//! | 0..4 | `d` | the scale of a group each: exponent 4, mantissa 3 bits, no sign (UE4M3) |
//! | 4..36 | `qs` | byte 8 * g + i: low nibble = weight 16 * g + i, high nibble = weight 16 * g + 8 + i |
//!
//! `w = ue4m3(d) * e2m1(q)`. The code of all ones, 127, is worth 0; the eighth bit is not looked at, except that 255 is
//! therefore not 127. A further scale of the whole matrix, in a tensor of its own, is not known here. In C:
//! `dequantize_row_nvfp4`, `quantize_row_nvfp4_ref`.

use ggufkit_format::spec::TensorType;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::{FLOATS, pack, reach, values};
use crate::block::{Block, Encode};
use crate::number::truncate;
use crate::wide::Sixteen;

const N: usize = 64;

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Nvfp4 {
    d: [u8; 4],
    qs: [[u8; 8]; 4],
}

/// Half of what a scale is worth.
const fn half_of_scale(d: u8) -> f32 {
    if d == 0 || d == 0x7f {
        return 0.0;
    }
    let (exponent, mantissa) = ((d >> 3 & 15) as u32, (d & 7) as f32);
    let value = if exponent == 0 {
        // In steps of 2^-9.
        mantissa / 512.0
    } else {
        (1.0 + mantissa / 8.0) * f32::from_bits((exponent + 120) << 23)
    };
    value * 0.5
}

/// The same of each.
static HALVES_OF_SCALES: [f32; 256] = {
    let mut halves = [0.0; 256];
    let mut d = 0;
    while d < 256 {
        halves[d] = half_of_scale(d as u8);
        d += 1;
    }
    halves
};

/// The nearest scale, ties to the greater one (`ggml_fp32_to_ue4m3` in C); 448 is the largest.
#[inline(always)]
fn scale(x: f32) -> u8 {
    if x.is_nan() || x <= 0.0 {
        return 0;
    }
    let x = if x > 448.0 { 448.0 } else { x };
    let bits = x.to_bits();
    // Biased by 7 instead of 127; `x` is at most 448, so that it is at most 15.
    let exponent = (bits >> 23) as i32 - 120;
    if exponent <= 0 {
        return truncate(x * 512.0 + 0.5).clamp(0, 7) as u8;
    }
    // The mantissa's carry counts in the exponent, as it does in all floats.
    let rounded = ((bits >> 20 & 7) + (bits >> 19 & 1)) as i32 + (exponent << 3);
    if exponent >= 15 || rounded >= 15 << 3 { 0x7e } else { rounded as u8 }
}

impl Block<N> for Nvfp4 {
    const TYPE: TensorType = TensorType::NVFP4;

    fn decode(&self, out: &mut [f32; N]) {
        for (group, out) in out.as_chunks_mut::<16>().0.iter_mut().enumerate() {
            let (low, high) = values(&self.qs[group], half_of_scale(self.d[group]));
            out[..8].copy_from_slice(&low);
            out[8..].copy_from_slice(&high);
        }
    }

    #[inline(always)]
    fn decode_wide<L: Sixteen>(&self, out: &mut [f32; N]) {
        for (group, out) in out.as_chunks_mut::<16>().0.iter_mut().enumerate() {
            let low = u64::from_le_bytes(self.qs[group]);
            let bytes = u128::from(low) | u128::from(low >> 4) << 64;
            let scale = L::all(HALVES_OF_SCALES[usize::from(self.d[group])]);
            *out = (L::look_up(&FLOATS, &bytes.to_le_bytes()) * scale).to_array();
        }
    }
}

impl Encode<N> for Nvfp4 {
    #[inline(always)]
    fn encode(&mut self, values: &[f32; N]) {
        for (group, values) in values.as_chunks::<16>().0.iter().enumerate() {
            let d = scale(reach(values) / 6.0);
            self.d[group] = d;
            if let [low, high] = values.as_chunks().0 {
                self.qs[group] = pack(low, high, half_of_scale(d));
            }
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
        assert_decodes::<Nvfp4, N>(
            "6643c38fb6a0dabab8d3750582a483b16e9305705cbc21f18b7c05087f5b450fbbdf0678",
            [224.0, 0.0, -56.0, -56.0],
            0x4e6c_a28a_756a_b059,
        );
        assert_decodes::<Nvfp4, N>(
            "7afbc5b0f0efc3126a3e22ec0837bfb56a5fc679b9e2650eb7c5a056444113a9d4fd149a",
            [0.0, -1920.0, 480.0, 320.0],
            0xbb01_ed89_3d6a_cb2b,
        );
        assert_encodes::<Nvfp4, N>(
            false,
            "15121617b5fea15136106cd1a1a0dbcc5219765519bdb77cc50941bcadb47ba025330144",
        );
    }
}
