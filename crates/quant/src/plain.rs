//! The types whose values stand alone: floats and integers.
//!
//! Integers become the nearest float. They and `F64` are only read: nothing says by which scale floats would become them.

use ggufkit_format::spec::TensorType;
use zerocopy::IntoBytes;

use crate::codec::{Codec, DecodeBlocks, EncodeRows, Importance};
use crate::half::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16};
use crate::wide::{self, Registers, Sixteen, WIDTH, Wide};

/// The codecs of this family.
pub(crate) static CODECS: &[Codec] = &[
    both::<4>(TensorType::F32, read_floats, |v, _, _, b| write_floats(v, b)),
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

/// Floats have their bytes already, where this machine has the same order. Lengths were tested by the codec.
fn read_floats(registers: Registers, bytes: &[u8], out: &mut [f32]) {
    if cfg!(target_endian = "little") {
        out.as_mut_bytes().copy_from_slice(bytes);
    } else {
        read(registers, bytes, out, f32::from_le_bytes);
    }
}

/// The other way.
fn write_floats(values: &[f32], out: &mut [u8]) {
    if cfg!(target_endian = "little") {
        out.copy_from_slice(values.as_bytes());
    } else {
        write(values, out, f32::to_le_bytes);
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec;

    /// The values of the bytes have these bits.
    fn assert_decodes(ty: TensorType, bytes: &[u8], bits: &[u32]) {
        let mut out = vec![0.0; bits.len()];
        codec(ty).unwrap().decode(bytes, &mut out).unwrap();
        assert_eq!(out.iter().map(|value| value.to_bits()).collect::<Vec<_>>(), bits, "{ty}");
    }

    fn assert_encodes(ty: TensorType, bits: &[u32], bytes: &[u8]) {
        let values: Vec<f32> = bits.iter().map(|bits| f32::from_bits(*bits)).collect();
        let mut out = vec![0xa5; bytes.len()];
        codec(ty).unwrap().encode(&values, bits.len(), None, &mut out).unwrap();
        assert_eq!(out, bytes, "{ty}");
    }

    /// By NumPy (`astype`); of floats of 64 bits too large, infinite ones.
    #[test]
    fn as_numpy() {
        let signalling = 0x7f80_0001_u32;
        let floats = [0x8000_0000, 1, 0x3fc0_0000, signalling, 0xff80_0000];
        let bytes: Vec<u8> = floats.iter().flat_map(|bits| bits.to_le_bytes()).collect();
        assert_decodes(TensorType::F32, &bytes, &floats);
        assert_encodes(TensorType::F32, &floats, &bytes);
        // 1, -2, 65504, infinity, 2^-24.
        let (halves, values) = (
            [0x00, 0x3c, 0x00, 0xc0, 0xff, 0x7b, 0x00, 0x7c, 0x01, 0x00],
            [0x3f80_0000, 0xc000_0000, 0x477f_e000, 0x7f80_0000, 0x3380_0000],
        );
        assert_decodes(TensorType::F16, &halves, &values);
        assert_encodes(TensorType::F16, &values, &halves);
        let halves = [0x80, 0x3f, 0x00, 0xc0, 0x7f, 0x7f, 0x80, 0xff, 0x01, 0x00];
        let values = [0x3f80_0000, 0xc000_0000, 0x7f7f_0000, 0xff80_0000, 0x0001_0000];
        assert_decodes(TensorType::BF16, &halves, &values);
        assert_encodes(TensorType::BF16, &values, &halves);

        assert_decodes(
            TensorType::I8,
            &[0xa9, 0x72, 0xcd, 0x3f],
            &[0xc2ae_0000, 0x42e4_0000, 0xc24c_0000, 0x427c_0000],
        );
        let words = [0xa0, 0x2f, 0xd4, 0x4f, 0x48, 0x70, 0x78, 0xde];
        assert_decodes(TensorType::I16, &words, &[0x463e_8000, 0x469f_a800, 0x46e0_9000, 0xc606_2000]);
        let words = [0x45, 0x1f, 0x5f, 0x6c, 0x24, 0x6d, 0xee, 0x45, 0x33, 0x51, 0xe4, 0xd3];
        assert_decodes(TensorType::I32, &words, &[0x4ed8_be3f, 0x4e8b_dcda, 0xce30_6ebb]);
        let words = [0x4c46_c168_2afa_d1a4_u64, 0x022c_b28c_6202_f315].map(u64::to_be_bytes);
        assert_decodes(TensorType::I64, words.as_flattened(), &[0xdeb6_5c0c, 0x5daf_9813]);
        let floats = [1.0, -0.1, 1e39, -1e-50, 16_777_217.0, f64::NEG_INFINITY].map(f64::to_le_bytes);
        let bits = [0x3f80_0000, 0xbdcc_cccd, 0x7f80_0000, 0x8000_0000, 0x4b80_0000, 0xff80_0000];
        assert_decodes(TensorType::F64, floats.as_flattened(), &bits);
    }
}
