//! Golden vectors: blocks and values whose other side was computed by libgguf, never by us.
//!
//! `tests/oracle/codecs.py --golden TYPE` prints the calls.

use ggufkit_format::spec::TensorType;

use crate::codec;

/// A row of `N` floats that everybody can compute: eighths of integers from -128 to 128.
pub(crate) fn floats(count: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * i * 37 + i * 101 + 13) % 257) as f32 / 8.0 - 16.0).collect()
}

/// The importance of its columns.
pub(crate) fn importance(count: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 29 + 7) % 31 + 1) as f32 / 16.0).collect()
}

/// The block's first four values have these bits, and all of them this sum (FNV-1a over their little-endian bytes).
#[track_caller]
pub(crate) fn decodes(ty: TensorType, block: &str, first: [u32; 4], sum: u64) {
    let codec = codec(ty).expect("a codec");
    let block = bytes(block);
    let mut values = vec![0.0; codec.block_elements()];
    codec.decode(&block, &mut values).expect("one whole block");
    let bits: Vec<u32> = values.iter().map(|value| value.to_bits()).collect();
    assert_eq!(bits[..4], first, "{ty}: the first values are {:?}", &values[..4]);
    let fnv = bits
        .iter()
        .flat_map(|bits| bits.to_le_bytes())
        .fold(0xcbf2_9ce4_8422_2325, |sum: u64, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    assert_eq!(fnv, sum, "{ty}: the values are {values:?}");
}

/// [`floats`] as one block, without and with the [`importance`] of columns.
#[track_caller]
pub(crate) fn encodes(ty: TensorType, plain: Option<&str>, weighed: Option<&str>) {
    let codec = codec(ty).expect("a codec");
    let count = codec.block_elements();
    let weights = importance(count);
    for (weights, expected) in [(None, plain), (Some(&weights[..]), weighed)] {
        let Some(expected) = expected else { continue };
        let mut block = vec![0; codec.block_bytes()];
        codec.encode(&floats(count), count, weights, &mut block).expect("one whole row");
        let hex: String = block.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, expected, "{ty}, {} importance", if weights.is_some() { "with" } else { "without" });
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal digits");
    (0..hex.len()).step_by(2).map(digit).collect()
}
