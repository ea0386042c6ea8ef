//! What the golden vectors of the types are compared with.
//!
//! A vector is one block, as hexadecimal digits: what libgguf 0.2.2 makes of [`sample`], and what it says that the block is
//! worth: the first four values and a checksum over the bits of all. Types that libgguf does not have say in their files who
//! said it. Vectors are held with each of the registers that the processor has.

use super::Block;
use crate::codec;
use crate::wide::testing::{ALL, with};

/// Numbers that anybody can make again: a linear congruential generator's.
struct Numbers(u32);

impl Numbers {
    fn next(&mut self) -> [u8; 4] {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.0.to_le_bytes()
    }
}

/// Values like weights: four signed bytes of a number, added up, of 1024.
pub(crate) fn sample<const N: usize>() -> [f32; N] {
    let mut numbers = Numbers(1);
    std::array::from_fn(|_| {
        let sum: i16 = numbers.next().iter().map(|byte| i16::from(byte.cast_signed())).sum();
        f32::from(sum) / 1024.0
    })
}

/// How much columns matter: a half and the highest byte of a number, of 256.
pub(crate) fn importance<const N: usize>() -> [f32; N] {
    let mut numbers = Numbers(2);
    std::array::from_fn(|_| 0.5 + f32::from(numbers.next()[3]) / 256.0)
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.chars().filter_map(|c| Some(c.to_digit(16)? as u8)).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// FNV-1a over the bits of values.
pub(crate) fn checksum(values: &[f32]) -> u64 {
    values
        .iter()
        .flat_map(|value| value.to_bits().to_le_bytes())
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
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
    for &registers in ALL {
        let mut out = vec![0.0; 3 * N];
        with(registers, || codec(B::TYPE).unwrap().decode(&blocks, &mut out)).unwrap();
        assert!(out.chunks(N).all(|values| checksum(values) == sum), "by {registers:?}");
    }
}

/// [`sample`] encodes to this block; with [`importance`], when `guided`.
pub(crate) fn assert_encodes<B: Block<N>, const N: usize>(guided: bool, hex: &str) {
    let (values, importance) = (sample::<N>(), importance::<N>());
    let codec = codec(B::TYPE).unwrap();
    for &registers in ALL {
        for rows in [1, 3] {
            let mut out = vec![0xa5; rows * size_of::<B>()];
            let importance = guided.then_some(importance.as_slice());
            with(registers, || codec.encode(&values.repeat(rows), N, importance, &mut out)).unwrap();
            assert_eq!(out, bytes(hex).repeat(rows), "by {registers:?}");
        }
    }
}
