//! What encoding loses: how far a decoded value may be from the one that was encoded.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use ggufkit_format::spec::TensorType;
use ggufkit_quant::codecs;
use proptest::prelude::*;

/// The largest error, in parts of the value of the block that is farthest from zero.
///
/// Where the numbers of a type are evenly spaced and its scale is not searched for, that is half a step, or what is beyond
/// the last number. Searches let single values go farther off for the sake of the others; theirs are what no encoder that
/// works goes beyond.
fn bound(ty: TensorType) -> f32 {
    match ty {
        TensorType::F32 => 0.0,
        TensorType::F16 => 1.0 / 2048.0,
        TensorType::BF16 => 1.0 / 256.0,
        TensorType::Q8_0 => 0.5 / 127.0,
        // From -8 to 7 steps: the last one upwards is missing.
        TensorType::Q4_0 => 1.0 / 8.0,
        TensorType::Q5_0 => 1.0 / 16.0,
        // From the smallest to the largest value, which are two reaches apart at most.
        TensorType::Q4_1 => 1.0 / 15.0,
        TensorType::Q5_1 => 1.0 / 31.0,
        TensorType::Q1_0 => 1.0,
        TensorType::Q2_0 | TensorType::TQ1_0 | TensorType::TQ2_0 => 0.5,
        // Between 4 and 6, or between 6 and 8, which there is not.
        TensorType::MXFP4 => 0.25,
        // Between 4 and 6, where the scale may be off by a sixteenth.
        TensorType::NVFP4 => 17.0 / 16.0 / 6.0,
        // Searched for: a step and a half.
        TensorType::Q2_K => 1.0,
        TensorType::Q3_K => 0.375,
        TensorType::Q4_K => 0.2,
        TensorType::Q5_K => 0.1,
        TensorType::Q6_K => 0.05,
        TensorType::IQ4_NL | TensorType::IQ4_XS => 0.3,
        // Eight or four values at once are replaced by the nearest of few points: single ones may be lost.
        TensorType::IQ3_S => 0.5,
        TensorType::IQ3_XXS | TensorType::IQ2_S => 1.0,
        TensorType::IQ2_XXS | TensorType::IQ2_XS => 1.25,
        TensorType::IQ1_S | TensorType::IQ1_M => 1.75,
        _ => panic!("say how far {ty} may be off"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn decoding_what_was_encoded(
        values in proptest::collection::vec(-1.0f32..1.0, 512),
        magnitude in prop::sample::select(vec![0.25f32, 1.0, 3.0, 100.0, 512.0]),
        weights in proptest::option::of(Just(vec![1.0f32; 256])),
    ) {
        let values: Vec<f32> = values.iter().map(|value| value * magnitude).collect();
        for codec in codecs().filter(|codec| codec.can_encode()) {
            let weights = if codec.needs_importance() { Some(&[1.0; 256][..]) } else { weights.as_deref() };
            let mut blocks = vec![0; 512 / codec.block_elements() * codec.block_bytes()];
            codec.encode(&values, 256, weights, &mut blocks).unwrap();
            let mut decoded = vec![0.0; 512];
            codec.decode(&blocks, &mut decoded).unwrap();
            // Scales of sixteen bits are off by up to 1/2048. A search may leave values a step farther off.
            let searched = if weights.is_some() { 2.0 } else { 1.0 };
            let bound = bound(codec.tensor_type()) * searched * 1.001 + 1.0 / 1024.0;
            let bound = if codec.tensor_type() == TensorType::F32 { 0.0 } else { bound };
            let size = codec.block_elements();
            for (values, decoded) in values.chunks(size).zip(decoded.chunks(size)) {
                let reach = values.iter().fold(0.0f32, |reach, value| reach.max(value.abs()));
                for (value, decoded) in values.iter().zip(decoded) {
                    // Subnormal numbers of sixteen bits are 2^-24 apart.
                    let step = if codec.tensor_type() == TensorType::F16 { 2.0f32.powi(-25) } else { 0.0 };
                    prop_assert!(
                        (value - decoded).abs() <= bound * reach + step,
                        "{}: {value} became {decoded} in a block that reaches {reach}", codec.tensor_type(),
                    );
                }
            }
        }
    }
}
