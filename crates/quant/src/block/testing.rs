//! What the golden vectors of the types are compared with.
//!
//! A vector is one block, as hexadecimal digits: what libgguf 0.2.2 makes of [`sample`], and what it says that the block is
//! worth: the first four values and a checksum over the bits of all. Types that libgguf does not have say in their files who
//! said it. Vectors are held with each of the registers that the processor has.

use super::Block;
use crate::codec;
use crate::wide::testing::{all, with};
use ggufkit_testkit::random::{Congruential, fnv1a};
use zerocopy::FromBytes;

/// Values like weights: four signed bytes of a number, added up, of 1024.
pub(crate) fn sample<const N: usize>() -> [f32; N] {
    let mut numbers = Congruential::new(1);
    std::array::from_fn(|_| {
        let sum: i16 = numbers.next_bytes().iter().map(|byte| i16::from(byte.cast_signed())).sum();
        f32::from(sum) / 1024.0
    })
}

/// How much columns matter: a half and the highest byte of a number, of 256.
pub(crate) fn importance<const N: usize>() -> [f32; N] {
    let mut numbers = Congruential::new(2);
    std::array::from_fn(|_| 0.5 + f32::from(numbers.next_bytes()[3]) / 256.0)
}

/// Decodes blocks by the definition of their type.
pub(crate) fn definition<B: Block<N>, const N: usize>(bytes: &[u8], out: &mut [f32]) {
    let blocks = <[B]>::ref_from_bytes(bytes).unwrap();
    for (block, out) in blocks.iter().zip(out.as_chunks_mut().0) {
        block.decode(out);
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.chars().filter_map(|c| Some(c.to_digit(16)? as u8)).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// FNV-1a over the bits of values.
pub(crate) fn checksum(values: &[f32]) -> u64 {
    fnv1a(values.iter().flat_map(|value| value.to_bits().to_le_bytes()))
}

/// The block decodes to values that begin with these and have this checksum.
pub(crate) fn assert_decodes<B: Block<N>, const N: usize>(hex: &str, first: [f32; 4], sum: u64) {
    let bytes = bytes(hex);
    let block = B::ref_from_bytes(&bytes).unwrap();
    let mut out = [0.0; N];
    block.decode(&mut out);
    assert_eq!(out[..4], first);
    assert_eq!(checksum(&out), sum);
    // Among others, too, as tensors have them.
    let blocks = bytes.repeat(3);
    for registers in all() {
        let mut out = vec![0.0; 3 * N];
        with(registers, || codec(B::TYPE).unwrap().decode(&blocks, &mut out)).unwrap();
        assert!(out.chunks(N).all(|values| checksum(values) == sum), "by {registers:?}");
    }
}

/// [`sample`] encodes to this block; with [`importance`], when `guided`.
pub(crate) fn assert_encodes<B: Block<N>, const N: usize>(guided: bool, hex: &str) {
    let (values, importance) = (sample::<N>(), importance::<N>());
    let codec = codec(B::TYPE).unwrap();
    for registers in all() {
        for rows in [1, 3] {
            let mut out = vec![0xa5; rows * size_of::<B>()];
            let importance = guided.then_some(importance.as_slice());
            with(registers, || codec.encode(&values.repeat(rows), N, importance, &mut out)).unwrap();
            assert_eq!(out, bytes(hex).repeat(rows), "by {registers:?}");
        }
    }
}

mod tests {
    use super::*;
    use crate::codec::Codec;
    use crate::codecs;
    use crate::wide::Registers;
    use proptest::prelude::*;

    /// The definition and all registers say the same of these blocks.
    fn agree(codec: &Codec, bytes: &[u8]) {
        let mut expected = vec![0.0; bytes.len() / codec.block_bytes() * codec.block_elements()];
        match codec.definition {
            Some(definition) => definition(bytes, &mut expected),
            None => (codec.decode)(Registers::Any, bytes, &mut expected),
        }
        let mut found = vec![0.0; expected.len()];
        for registers in all() {
            (codec.decode)(registers, bytes, &mut found);
            for (at, (expected, found)) in expected.iter().zip(&found).enumerate() {
                let same = expected.to_bits() == found.to_bits() || expected.is_nan() && found.is_nan();
                assert!(same, "{} {at}: {found} by {registers:?} is not {expected}", codec.tensor_type());
            }
        }
    }

    /// Every bit of a block, set alone and unset alone.
    #[test]
    fn every_bit_of_a_block_means_the_same_by_all_registers() {
        for codec in codecs() {
            let size = codec.block_bytes();
            for others in [0x00, 0xff] {
                let mut blocks = vec![others; size * size * 8];
                for (bit, block) in blocks.chunks_mut(size).enumerate() {
                    block[bit / 8] ^= 1 << (bit % 8);
                }
                agree(codec, &blocks);
            }
        }
    }

    /// Scales of every exponent where types have theirs, before numbers that have nothing to do with each other.
    #[test]
    fn every_scale_means_the_same_by_all_registers() {
        let mut numbers = Congruential::new(3);
        for codec in codecs() {
            let size = codec.block_bytes();
            for at in [0, 2, size.saturating_sub(4), size.saturating_sub(2)] {
                let mut blocks: Vec<u8> =
                    std::iter::repeat_with(|| numbers.next_bytes()[3]).take(size * 512).collect();
                for (half, block) in blocks.chunks_mut(size).enumerate() {
                    for (to, from) in block.iter_mut().skip(at).zip((half as u16 * 0x80 + 1).to_le_bytes()) {
                        *to = from;
                    }
                }
                agree(codec, &blocks);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_blocks_mean_the_same_by_all_registers(seed in proptest::collection::vec(any::<u8>(), 1..2400)) {
            for codec in codecs() {
                agree(codec, &seed[..seed.len() / codec.block_bytes() * codec.block_bytes()]);
            }
        }
    }
}
