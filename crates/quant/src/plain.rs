//! The types whose values stand alone: floats and integers.
//!
//! Integers become the nearest float. They and `F64` are only read: nothing says by which scale floats would become them.

use ggufkit_format::spec::TensorType;

use crate::codec::{Codec, DecodeBlocks, EncodeRows, Importance};
use crate::half::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16};

/// The codecs of this family.
pub(crate) static CODECS: &[Codec] = &[
    both::<4>(
        TensorType::F32,
        |b, v| read(b, v, f32::from_le_bytes),
        |v, _, _, b| write(v, b, f32::to_le_bytes),
    ),
    both::<2>(
        TensorType::F16,
        |b, v| read(b, v, |x| f16_to_f32(u16::from_le_bytes(x))),
        |v, _, _, b| write(v, b, |x| f32_to_f16(x).to_le_bytes()),
    ),
    both::<2>(
        TensorType::BF16,
        |b, v| read(b, v, |x| bf16_to_f32(u16::from_le_bytes(x))),
        |v, _, _, b| write(v, b, |x| f32_to_bf16(x).to_le_bytes()),
    ),
    decoder::<8>(TensorType::F64, |b, v| read(b, v, |x| f64::from_le_bytes(x) as f32)),
    decoder::<1>(TensorType::I8, |b, v| read(b, v, |x| f32::from(i8::from_le_bytes(x)))),
    decoder::<2>(TensorType::I16, |b, v| read(b, v, |x| f32::from(i16::from_le_bytes(x)))),
    decoder::<4>(TensorType::I32, |b, v| read(b, v, |x| i32::from_le_bytes(x) as f32)),
    decoder::<8>(TensorType::I64, |b, v| read(b, v, |x| i64::from_le_bytes(x) as f32)),
];

const fn decoder<const BYTES: usize>(ty: TensorType, decode: DecodeBlocks) -> Codec {
    Codec { ty, block_elements: 1, block_bytes: BYTES, decode, encode: None }
}

const fn both<const BYTES: usize>(ty: TensorType, decode: DecodeBlocks, encode: EncodeRows) -> Codec {
    Codec { encode: Some((Importance::Unused, encode)), ..decoder::<BYTES>(ty, decode) }
}

fn read<const BYTES: usize>(bytes: &[u8], out: &mut [f32], value: impl Fn([u8; BYTES]) -> f32) {
    for (bytes, out) in bytes.as_chunks().0.iter().zip(out) {
        *out = value(*bytes);
    }
}

fn write<const BYTES: usize>(values: &[f32], out: &mut [u8], bytes: impl Fn(f32) -> [u8; BYTES]) {
    for (value, out) in values.iter().zip(out.as_chunks_mut().0) {
        *out = bytes(*value);
    }
}
