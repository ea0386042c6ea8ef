//! candle-core's kernels over blocks, without its tensors, which would measure fresh memory.

use candle_core::quantized::k_quants::*;
use ggufkit_format::spec::TensorType;

type Decode = fn(&[u8], &mut [f32]);
type Encode = fn(&[f32], &mut [u8]);

pub fn codec(ty: TensorType) -> Option<(Decode, Encode)> {
    Some(match ty {
        TensorType::F16 => (decode::<half::f16>, encode::<half::f16>),
        TensorType::BF16 => (decode::<half::bf16>, encode::<half::bf16>),
        TensorType::Q4_0 => (decode::<BlockQ4_0>, encode::<BlockQ4_0>),
        TensorType::Q4_1 => (decode::<BlockQ4_1>, encode::<BlockQ4_1>),
        TensorType::Q5_0 => (decode::<BlockQ5_0>, encode::<BlockQ5_0>),
        TensorType::Q5_1 => (decode::<BlockQ5_1>, encode::<BlockQ5_1>),
        TensorType::Q8_0 => (decode::<BlockQ8_0>, encode::<BlockQ8_0>),
        TensorType::Q2_K => (decode::<BlockQ2K>, encode::<BlockQ2K>),
        TensorType::Q3_K => (decode::<BlockQ3K>, encode::<BlockQ3K>),
        TensorType::Q4_K => (decode::<BlockQ4K>, encode::<BlockQ4K>),
        TensorType::Q5_K => (decode::<BlockQ5K>, encode::<BlockQ5K>),
        TensorType::Q6_K => (decode::<BlockQ6K>, encode::<BlockQ6K>),
        TensorType::Q8_K => (decode::<BlockQ8K>, encode::<BlockQ8K>),
        _ => return None,
    })
}

fn decode<B: GgmlType>(bytes: &[u8], out: &mut [f32]) {
    // SAFETY: blocks are structs of integers and half floats, for which all bits are values; the memory is a page's start.
    let (before, blocks, after) = unsafe { bytes.align_to::<B>() };
    assert!(before.is_empty() && after.is_empty());
    B::to_float(blocks, out);
}

fn encode<B: GgmlType>(values: &[f32], out: &mut [u8]) {
    // SAFETY: as above.
    let (before, blocks, after) = unsafe { out.align_to_mut::<B>() };
    assert!(before.is_empty() && after.is_empty());
    B::from_float(values, blocks);
}
