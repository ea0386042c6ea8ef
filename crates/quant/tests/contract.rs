//! Every codec: its geometry, its refusals, and that no bytes and no values make it panic.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use ggufkit_format::spec::{TENSOR_TYPES, TensorType};
use ggufkit_quant::{Codec, CodecError, codec, codecs};
use proptest::prelude::*;

fn any_codec() -> impl Strategy<Value = &'static Codec> {
    proptest::sample::select(codecs().collect::<Vec<_>>())
}

#[test]
fn the_blocks_are_those_of_the_format() {
    for codec in codecs() {
        let info = codec.tensor_type().info().unwrap();
        assert_eq!(codec.block_elements(), info.block_elems as usize, "{}", info.name);
        assert_eq!(codec.block_bytes(), info.block_bytes as usize, "{}", info.name);
    }
}

#[test]
fn a_type_has_one_codec() {
    for info in TENSOR_TYPES {
        assert!(codecs().filter(|codec| codec.tensor_type() == info.ty).count() <= 1, "{}", info.name);
        assert_eq!(codec(info.ty).map(Codec::tensor_type).unwrap_or(info.ty), info.ty);
    }
}

#[test]
fn lengths_that_do_not_fit_are_refused() {
    for codec in codecs() {
        let (ty, block, bytes) = (codec.tensor_type(), codec.block_elements(), codec.block_bytes());
        let mut values = vec![0.0; 2 * block];
        let mut out = vec![0; 2 * bytes];
        if bytes > 1 {
            let refused = codec.decode(&out[..bytes + 1], &mut values[..block]);
            assert_eq!(refused, Err(CodecError::PartialBlock { ty, bytes: bytes + 1, block: bytes }));
        }
        let refused = codec.decode(&out, &mut values[..block]);
        assert_eq!(refused, Err(CodecError::OutputValues { needed: 2 * block, found: block }));

        let weights = vec![1.0; 2 * block];
        let Some(_) = codec.importance() else {
            let refused = codec.encode(&values, block, None, &mut out);
            assert_eq!(refused, Err(CodecError::NoEncoding { ty }));
            continue;
        };
        for row in [0, block + 1].into_iter().filter(|row| *row == 0 || block > 1) {
            let refused = codec.encode(&values, row, Some(&weights), &mut out);
            assert_eq!(refused, Err(CodecError::RowLength { ty, row, block }));
        }
        let refused = codec.encode(&values, 3 * block, Some(&weights), &mut out);
        assert_eq!(refused, Err(CodecError::PartialRow { values: 2 * block, row: 3 * block }));
        let refused = codec.encode(&values, block, Some(&weights), &mut out);
        assert_eq!(refused, Err(CodecError::ImportanceLength { needed: block, found: 2 * block }));
        let refused = codec.encode(&values, 2 * block, Some(&weights), &mut out[..bytes]);
        assert_eq!(refused, Err(CodecError::OutputBytes { needed: 2 * bytes, found: bytes }));
        let without = codec.encode(&values, block, None, &mut out);
        let expected =
            if codec.needs_importance() { Err(CodecError::ImportanceNeeded { ty }) } else { Ok(()) };
        assert_eq!(without, expected);
    }
}

/// Whatever is said to lie there as it is decoded does so.
#[test]
fn only_floats_of_this_machine_lie_there_as_they_are() {
    let bytes: Vec<u8> = (0..=255).cycle().take(4 * 256 * 44).collect();
    // Somewhere in the first four bytes a float may begin; next to it none may.
    let start = (0..4).find(|at| bytes[*at..].as_ptr().addr().is_multiple_of(4)).unwrap();
    for codec in codecs() {
        let len = codec.block_bytes() * 4;
        let (there, beside) = (&bytes[start..start + len], &bytes[start + 1..start + 1 + len]);
        let mut decoded = vec![0.0; codec.block_elements() * 4];
        codec.decode(there, &mut decoded).unwrap();
        let expected = codec.tensor_type() == TensorType::F32 && cfg!(target_endian = "little");
        let found = codec.in_place(there);
        assert_eq!(found.is_some(), expected, "{}", codec.tensor_type());
        if let Some(found) = found {
            assert!(found.iter().map(|v| v.to_bits()).eq(decoded.iter().map(|v| v.to_bits())));
        }
        assert!(codec.in_place(beside).is_none());
        assert!(codec.in_place(&there[..len - 1]).is_none());
    }
}

/// Where sums of squares are not finite no scale is found, and the processor chooses the sign of what is no number. By libgguf
/// on x86.
#[test]
fn a_scale_that_is_no_number_has_the_same_bytes_on_all_processors() {
    let sign = |at: u16| if at.is_multiple_of(2) { 1.0 } else { -1.0 };
    let values: Vec<f32> = (0..512).map(|at| sign(at) * f32::from(1 + at % 7) * 2.0_f32.powi(100)).collect();
    for (ty, scales) in [
        (TensorType::Q4_0, 0..2),
        (TensorType::Q5_0, 0..2),
        (TensorType::Q2_K, 80..84),
        (TensorType::Q4_K, 0..4),
        (TensorType::Q5_K, 0..4),
        (TensorType::IQ4_NL, 0..2),
    ] {
        let codec = codec(ty).unwrap();
        let mut blocks = vec![0; 512 / codec.block_elements() * codec.block_bytes()];
        codec.encode(&values, 512, Some(&[1.5; 512]), &mut blocks).unwrap();
        for block in blocks.chunks(codec.block_bytes()) {
            assert!(block[scales.clone()].chunks(2).all(|scale| scale == [0x00, 0xfe]), "{ty}");
        }
    }
}

/// Processors differ in what the greater of two is where one is signalling that it is no number.
#[test]
fn what_signals_that_it_is_no_number_is_encoded_as_what_does_not() {
    let types = ["Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q1_0", "TQ1_0", "TQ2_0", "MXFP4", "NVFP4"];
    for codec in codecs().filter(|codec| types.contains(&codec.tensor_type().to_string().as_str())) {
        let encoded = |quiet: u32| {
            let value = |at: u32| match at % 16 {
                // The first, the last, and the one behind the largest.
                0 | 9 => f32::from_bits(0x7f80_0001 | quiet),
                15 => f32::from_bits(0xffa0_0000 | quiet),
                8 => 3.0 + (at / 16) as f32,
                at => at as f32 / 8.0 - 1.0,
            };
            let values: Vec<f32> = (0..512).map(value).collect();
            let mut blocks = vec![0; 512 / codec.block_elements() * codec.block_bytes()];
            codec.encode(&values, 512, None, &mut blocks).unwrap();
            blocks
        };
        assert_eq!(encoded(0), encoded(0x0040_0000), "{}", codec.tensor_type());
    }
}

#[test]
fn nothing_is_a_whole_number_of_blocks() {
    for codec in codecs() {
        codec.decode(&[], &mut []).unwrap();
    }
}

/// Blocks are made many at a time; where one tensor ends and which rows stand beside each other is seen in none of them.
#[test]
fn a_row_is_encoded_the_same_alone_and_among_others() {
    for codec in codecs().filter(|codec| codec.can_encode()) {
        let (block, bytes) = (codec.block_elements(), codec.block_bytes());
        let (row, rows) = (3 * block, 7);
        let values: Vec<f32> =
            (0..row * rows).map(|i| (i as f32 * 0.7).sin() * (1 + i / row) as f32).collect();
        let weights: Vec<f32> = (0..row).map(|i| 0.1 + (i as f32 * 0.3).cos().abs()).collect();
        for importance in [None, Some(weights.as_slice())] {
            if codec.needs_importance() && importance.is_none() {
                continue;
            }
            let mut together = vec![0; 3 * bytes * rows];
            codec.encode(&values, row, importance, &mut together).unwrap();
            let mut alone = vec![0xff; 3 * bytes];
            for (values, together) in values.chunks(row).zip(together.chunks(3 * bytes)) {
                codec.encode(values, row, importance, &mut alone).unwrap();
                assert_eq!(alone, together, "{}", codec.tensor_type());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn all_bytes_have_values(codec in any_codec(), seed in proptest::collection::vec(any::<u8>(), 600)) {
        let bytes = codec.block_bytes();
        let blocks = seed.len() / bytes;
        let mut values = vec![0.0; blocks * codec.block_elements()];
        codec.decode(&seed[..blocks * bytes], &mut values).unwrap();
    }

    /// Any bits: infinities, not-a-numbers and subnormals among them.
    #[test]
    fn all_values_have_bytes(codec in any_codec(), seed in proptest::collection::vec(any::<u32>(), 1024)) {
        prop_assume!(codec.can_encode());
        let (values, weights) = seed.split_at(512);
        let values: Vec<f32> = values.iter().map(|bits| f32::from_bits(*bits)).collect();
        let weights: Vec<f32> = weights.iter().map(|bits| f32::from_bits(*bits).abs()).collect();
        let mut out = vec![0; 512 / codec.block_elements() * codec.block_bytes()];
        codec.encode(&values, 512, Some(&weights), &mut out).unwrap();
        if !codec.needs_importance() {
            codec.encode(&values, 512, None, &mut out).unwrap();
        }
        // What is written does not depend on what was there.
        let mut other = vec![0xa5; out.len()];
        codec.encode(&values, 512, Some(&weights), &mut out).unwrap();
        codec.encode(&values, 512, Some(&weights), &mut other).unwrap();
        prop_assert_eq!(out, other);
    }
}
