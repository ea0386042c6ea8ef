//! Results that caches do not hold: made a stretch at a time where a core has it at hand, and written past the caches.
//!
//! An ordinary store reads the line that it is going to overwrite, so that a large result moves through memory twice; writing
//! past the caches does not. A result that fits into a cache is better left there, for whoever reads it next.

use crate::codec::{Codec, EncodeRows};
use crate::wide::{self, Registers, WAITING};

/// Bytes of a result from which on it is written past the caches: more than most processors keep, and as many as it takes
/// until that is the faster way.
const LARGE: usize = 1 << 26;

/// Whether a result of so many bytes is written past the caches. What has as many bytes as floats is copied, and where more is
/// read than written, as of `F64`, ordinary stores are faster.
pub(crate) fn is_large(codec: &Codec, bytes: usize) -> bool {
    bytes >= LARGE && codec.block_bytes < codec.block_elements.saturating_mul(size_of::<f32>())
}

/// Floats of a stretch: as many as the largest block has, and so few that the processor makes the next one while this one is
/// still on its way to memory.
const STRETCH: usize = 1 << 8;

/// What [`Codec::decode`] does. Lengths were tested.
pub(crate) fn decode(codec: &Codec, bytes: &[u8], out: &mut [f32]) {
    let step = (STRETCH / codec.block_elements).saturating_mul(codec.block_bytes);
    let mut bytes = bytes.chunks(step);
    wide::fill_past_caches(out, &mut [0.0; WAITING + STRETCH], |stretch| {
        (codec.decode)(Registers::Avx512, bytes.next().unwrap_or_default(), stretch);
    });
}

/// What [`Codec::encode`] does of types whose values stand alone. Lengths were tested.
pub(crate) fn encode(codec: &Codec, encode: EncodeRows, values: &[f32], out: &mut [u8]) {
    let mut values = values.chunks(STRETCH);
    let mut memory = [0; WAITING + STRETCH * size_of::<f32>()];
    let end = STRETCH.saturating_mul(codec.block_bytes).saturating_add(WAITING);
    wide::fill_past_caches(out, memory.get_mut(..end).unwrap_or_default(), |stretch| {
        let values = values.next().unwrap_or_default();
        encode(values, values.len(), None, stretch);
    });
}

#[cfg(test)]
mod tests {
    use ggufkit_format::spec::TensorType;

    use super::*;
    use crate::codecs;

    /// Any bytes.
    fn bytes(count: usize) -> Vec<u8> {
        let mut seed = 7_u64;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 56) as u8
        };
        (0..count).map(|_| next()).collect()
    }

    /// Wherever the result begins, and whatever is left behind the last whole stretch.
    #[test]
    fn the_values_are_those_of_the_ordinary_way() {
        for codec in codecs() {
            for blocks in [1, STRETCH / codec.block_elements, 9000 / codec.block_elements + 1] {
                let (bytes, count) = (bytes(blocks * codec.block_bytes), blocks * codec.block_elements);
                let mut ordinary = vec![0.0; count];
                codec.decode(&bytes, &mut ordinary).unwrap();
                for start in 0..17 {
                    let mut large = vec![0.5; count + 32];
                    decode(codec, &bytes, &mut large[start..start + count]);
                    let bits =
                        |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
                    assert!(bits(&large[start..start + count]) == bits(&ordinary), "{} at {start}", codec.ty);
                    let around = large[..start].iter().chain(&large[start + count..]);
                    assert!(
                        around.into_iter().all(|value| *value == 0.5),
                        "{} at {start}: nothing else",
                        codec.ty
                    );
                }
            }
        }
    }

    #[test]
    fn the_bytes_are_those_of_the_ordinary_way() {
        for ty in [TensorType::F16, TensorType::BF16] {
            let codec = crate::codec(ty).unwrap();
            let values: Vec<f32> = bytes(18_002)
                .as_chunks()
                .0
                .iter()
                .map(|b| f32::from(i16::from_le_bytes(*b)) / 300.0)
                .collect();
            let len = values.len() * 2;
            let mut ordinary = vec![0; len];
            codec.encode(&values, values.len(), None, &mut ordinary).unwrap();
            for start in [0, 1, 15, 31, 64] {
                let mut large = vec![0xa5; len + 100];
                encode(codec, codec.encode.unwrap().1, &values, &mut large[start..start + len]);
                assert!(large[start..start + len] == ordinary, "{ty} at {start}");
                let mut around = large[..start].iter().chain(&large[start + len..]);
                assert!(around.all(|byte| *byte == 0xa5), "{ty} at {start}: nothing else");
            }
        }
    }

    /// The one that the promise is about: through [`Codec::decode`], from its size on.
    #[test]
    fn large_results_are_the_same() {
        let codec = crate::codec(TensorType::I8).unwrap();
        let count = LARGE / size_of::<f32>() + 3;
        let bytes: Vec<u8> = (0..count).map(|at| (at / 3) as u8).collect();
        let mut out = vec![0.0; count];
        codec.decode(&bytes, &mut out).unwrap();
        assert!(out.iter().zip(&bytes).all(|(value, byte)| *value == f32::from(byte.cast_signed())));
    }
}
