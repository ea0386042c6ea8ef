//! The types whose values stand alone: floats and integers.
//!
//! Integers become the nearest float. They and `F64` are only read: nothing says by which scale floats would become them.

use ggufkit_format::spec::TensorType;

use crate::codec::{Codec, DecodeBlocks, EncodeRows, Importance};
use crate::half::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16};
use crate::wide::{self, Registers, Sixteen, WIDTH, Wide};

/// The codecs of this family.
pub(crate) static CODECS: &[Codec] = &[
    both::<4>(
        TensorType::F32,
        |w, b, v| read(w, b, v, f32::from_le_bytes),
        |v, _, _, b| write(v, b, f32::to_le_bytes),
    ),
    both::<2>(
        TensorType::F16,
        |registers, bytes, out| wide::run(registers, ReadHalves { bytes, out }),
        |values, _, _, out| wide::run(Registers::Avx512, WriteHalves::<false> { values, out }),
    ),
    both::<2>(
        TensorType::BF16,
        |w, b, v| read(w, b, v, |x| bf16_to_f32(u16::from_le_bytes(x))),
        |values, _, _, out| wide::run(Registers::Avx512, WriteHalves::<true> { values, out }),
    ),
    decoder::<8>(TensorType::F64, |w, b, v| read(w, b, v, |x| f64::from_le_bytes(x) as f32)),
    decoder::<1>(TensorType::I8, |w, b, v| read(w, b, v, |x| f32::from(i8::from_le_bytes(x)))),
    decoder::<2>(TensorType::I16, |w, b, v| read(w, b, v, |x| f32::from(i16::from_le_bytes(x)))),
    decoder::<4>(TensorType::I32, |w, b, v| read(w, b, v, |x| i32::from_le_bytes(x) as f32)),
    decoder::<8>(TensorType::I64, |w, b, v| read(w, b, v, |x| i64::from_le_bytes(x) as f32)),
];

const fn decoder<const BYTES: usize>(ty: TensorType, decode: DecodeBlocks) -> Codec {
    Codec {
        ty,
        block_elements: 1,
        block_bytes: BYTES,
        decode,
        #[cfg(test)]
        definition: None,
        encode: None,
    }
}

const fn both<const BYTES: usize>(ty: TensorType, decode: DecodeBlocks, encode: EncodeRows) -> Codec {
    Codec { encode: Some((Importance::Unused, encode)), ..decoder::<BYTES>(ty, decode) }
}

fn read<const BYTES: usize>(
    registers: Registers,
    bytes: &[u8],
    out: &mut [f32],
    value: impl Fn([u8; BYTES]) -> f32,
) {
    wide::run(registers, Read { bytes: bytes.as_chunks().0, out, value });
}

fn write<const BYTES: usize>(values: &[f32], out: &mut [u8], bytes: impl Fn(f32) -> [u8; BYTES]) {
    wide::run(Registers::Avx512, Write { values, out: out.as_chunks_mut().0, bytes });
}

/// One value after the other: what the compiler makes of it, with the processor's registers.
struct Read<'a, F, const BYTES: usize> {
    bytes: &'a [[u8; BYTES]],
    out: &'a mut [f32],
    value: F,
}

impl<F: Fn([u8; BYTES]) -> f32, const BYTES: usize> Wide for Read<'_, F, BYTES> {
    #[inline(always)]
    fn run<L: Sixteen>(self) {
        for (bytes, out) in self.bytes.iter().zip(self.out) {
            *out = (self.value)(*bytes);
        }
    }
}

/// The other way.
struct Write<'a, F, const BYTES: usize> {
    values: &'a [f32],
    out: &'a mut [[u8; BYTES]],
    bytes: F,
}

impl<F: Fn(f32) -> [u8; BYTES], const BYTES: usize> Wide for Write<'_, F, BYTES> {
    #[inline(always)]
    fn run<L: Sixteen>(self) {
        for (value, out) in self.values.iter().zip(self.out) {
            *out = (self.bytes)(*value);
        }
    }
}

/// Binary16, for which processors have instructions.
struct ReadHalves<'a> {
    bytes: &'a [u8],
    out: &'a mut [f32],
}

impl Wide for ReadHalves<'_> {
    #[inline(always)]
    fn run<L: Sixteen>(self) {
        let (groups, rest) = self.bytes.as_chunks::<2>().0.as_chunks::<WIDTH>();
        let (out, rest_out) = self.out.as_chunks_mut::<WIDTH>();
        for (group, out) in groups.iter().zip(out) {
            *out = L::from_halves(group).to_array();
        }
        for (half, out) in rest.iter().zip(rest_out) {
            *out = f16_to_f32(u16::from_le_bytes(*half));
        }
    }
}

/// The other way; `BRAIN` writes bfloat16.
struct WriteHalves<'a, const BRAIN: bool> {
    values: &'a [f32],
    out: &'a mut [u8],
}

impl<const BRAIN: bool> Wide for WriteHalves<'_, BRAIN> {
    #[inline(always)]
    fn run<L: Sixteen>(self) {
        let (groups, rest) = self.values.as_chunks::<WIDTH>();
        let (out, rest_out) = self.out.as_chunks_mut::<2>().0.as_chunks_mut::<WIDTH>();
        for (group, out) in groups.iter().zip(out) {
            let group = L::from_array(group);
            *out = if BRAIN { group.to_brains() } else { group.to_halves() };
        }
        for (value, out) in rest.iter().zip(rest_out) {
            *out = if BRAIN { f32_to_bf16(*value) } else { f32_to_f16(*value) }.to_le_bytes();
        }
    }
}
