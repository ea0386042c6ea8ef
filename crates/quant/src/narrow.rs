//! Decoding to the floats of 16 bits: values become `f32` as always, and are rounded a stretch at a time, while they are in a
//! core's cache.
//!
//! Rounding is that of [`half`](crate::half): to the nearest, ties to even, as ggml's `ggml_fp32_to_fp16_row` and
//! `ggml_fp32_to_bf16_row` do. What is of the wanted type already keeps its bits, not-a-numbers included.

use ggufkit_format::spec::TensorType;

use crate::codec::{Codec, CodecError};
use crate::half;

/// Floats that stand between the blocks and the result. A multiple of every block.
const STRETCH: usize = 1 << 12;

impl Codec {
    /// Decodes whole blocks to binary16, as [`Codec::decode`] does to `f32`.
    ///
    /// # Errors
    ///
    /// Those of [`Codec::decode`]; nothing is written then.
    pub fn decode_f16(&self, bytes: &[u8], out: &mut [u16]) -> Result<(), CodecError> {
        self.narrow(bytes, out, TensorType::F16, half::to_f16)
    }

    /// Decodes whole blocks to bfloat16, as [`Codec::decode`] does to `f32`.
    ///
    /// # Errors
    ///
    /// Those of [`Codec::decode`]; nothing is written then.
    pub fn decode_bf16(&self, bytes: &[u8], out: &mut [u16]) -> Result<(), CodecError> {
        self.narrow(bytes, out, TensorType::BF16, half::to_bf16)
    }

    fn narrow(
        &self,
        bytes: &[u8],
        out: &mut [u16],
        own: TensorType,
        round: fn(&[f32], &mut [u16]),
    ) -> Result<(), CodecError> {
        self.fits(bytes.len(), out.len())?;
        if self.ty == own {
            for (bits, out) in bytes.as_chunks().0.iter().zip(out) {
                *out = u16::from_le_bytes(*bits);
            }
            return Ok(());
        }
        let mut floats = [0.0_f32; STRETCH];
        let step = (STRETCH / self.block_elements).saturating_mul(self.block_bytes);
        for (bytes, out) in bytes.chunks(step).zip(out.chunks_mut(STRETCH)) {
            let floats = floats.get_mut(..out.len()).unwrap_or_default();
            self.decode(bytes, floats)?;
            round(floats, out);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::{codec, codecs, half};
    use ggufkit_format::spec::TensorType;

    /// What NumPy makes of these floats: `np.array(values, np.float32).astype(np.float16)`, as bits.
    #[test]
    fn rounding_is_that_of_numpy() {
        let values: [(f32, u16); 12] = [
            (0.1, 0x2e66),
            (-3.375, 0xc2c0),
            (65504.0, 0x7bff),
            (65519.0, 0x7bff),
            (65520.0, 0x7c00),
            (-1e9, 0xfc00),
            (f32::powi(2.0, -14), 0x0400),
            (f32::powi(2.0, -24), 0x0001),
            (f32::powi(2.0, -25), 0x0000),
            (f32::powi(2.0, -25) * 1.01, 0x0001),
            (1.0 + f32::powi(2.0, -11), 0x3c00),
            (1.0 + 3.0 * f32::powi(2.0, -11), 0x3c02),
        ];
        let bytes: Vec<u8> = values.iter().flat_map(|(value, _)| value.to_le_bytes()).collect();
        let mut out = [0; 12];
        codec(TensorType::F32).unwrap().decode_f16(&bytes, &mut out).unwrap();
        assert_eq!(out, values.map(|(_, bits)| bits));
    }

    #[test]
    fn every_type_is_rounded_from_what_it_decodes_to() {
        for codec in codecs() {
            // Longer than a stretch, and no whole number of them.
            let blocks = 9000 / codec.block_elements() + 1;
            let mut seed = 1_u64;
            let bytes: Vec<u8> = (0..blocks * codec.block_bytes())
                .map(|_| {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (seed >> 56) as u8
                })
                .collect();
            let count = blocks * codec.block_elements();
            let (mut floats, mut halves) = (vec![0.0; count], vec![0; count]);
            codec.decode(&bytes, &mut floats).unwrap();
            for own in [TensorType::F16, TensorType::BF16] {
                let round = if own == TensorType::F16 {
                    codec.decode_f16(&bytes, &mut halves).unwrap();
                    half::f32_to_f16
                } else {
                    codec.decode_bf16(&bytes, &mut halves).unwrap();
                    half::f32_to_bf16
                };
                if codec.tensor_type() == own {
                    let same: Vec<u8> = halves.iter().flat_map(|bits| bits.to_le_bytes()).collect();
                    assert!(same == bytes, "{own}: bytes untouched");
                } else {
                    let expected: Vec<u16> = floats.iter().map(|value| round(*value)).collect();
                    assert!(halves == expected, "{} to {own}", codec.tensor_type());
                }
            }
            assert!(codec.decode_f16(&bytes, &mut halves[1..]).is_err());
        }
    }
}
