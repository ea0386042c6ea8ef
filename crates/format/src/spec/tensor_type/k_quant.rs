//! K types: super-blocks of 256 elements, whose sub-blocks have small quantized scales of their own.
//!
//! Source: `block_q2_K` to `block_q8_K` in ggml-common.h.

use super::PartRole::{HighBits, Min, Quants, Scale, Scales, Sums};
use super::PartUnit::{F16, F32, I8, I16, U8};
use super::{Part, TensorType, TensorTypeInfo, Text, TypeStatus};

const fn d(offset: u32) -> Part {
    Part::new("d", offset, 2, F16, Scale, "scale of the sub-block scales", "各子块缩放的缩放")
}

const fn dmin(offset: u32) -> Part {
    Part::new("dmin", offset, 2, F16, Min, "scale of the sub-block minimums", "各子块最小值的缩放")
}

const TWO_BITS: (&str, &str) = (
    "byte 32*h+i: bits 2k and 2k+1 = element 128*h + 32*k + i (h = 0..1, k = 0..3)",
    "第 32*h+i 字节：第 2k、2k+1 位是第 128*h+32*k+i 个元素（h = 0..1，k = 0..3）",
);

/// The packing that Q4_K and Q5_K share: eight scales and eight minimums of 6 bits in 12 bytes.
const SIX_BITS: (&str, &str) = (
    "8 scales and 8 minimums of 6 bits. Low 6 bits of bytes 0..3 = scales 0..3, of bytes 4..7 = minimums \
     0..3; bytes 8..11: low nibble = low 4 bits of scales 4..7, high nibble = low 4 bits of minimums \
     4..7; their upper 2 bits are the top 2 bits of bytes 0..3 and of bytes 4..7",
    "8 个 6 位缩放和 8 个 6 位最小值。第 0..3 字节的低 6 位是缩放 0..3，第 4..7 字节的低 6 位是最小值 0..3；\
     第 8..11 字节的低 4 位是缩放 4..7 的低 4 位，高 4 位是最小值 4..7 的低 4 位；\
     它们的高 2 位分别在第 0..3 字节和第 4..7 字节的最高 2 位",
);

const PAIRS_OF_32: (&str, &str) = (
    "byte 32*g+i: low nibble = element 64*g + i, high nibble = element 64*g + 32 + i (g = 0..3)",
    "第 32*g+i 字节：低 4 位是第 64*g+i 个元素，高 4 位是第 64*g+32+i 个元素（g = 0..3）",
);

pub(super) const Q2_K: TensorTypeInfo = TensorTypeInfo {
    ty: TensorType::Q2_K,
    name: "Q2_K",
    status: TypeStatus::Current,
    block_elems: 256,
    block_bytes: 84,
    parts: &[
        Part::new(
            "scales",
            0,
            16,
            U8,
            Scales,
            "byte j, for elements 16*j to 16*j+15: low nibble = scale, high nibble = minimum",
            "第 j 字节对应第 16*j 到 16*j+15 个元素：低 4 位是缩放，高 4 位是最小值",
        ),
        Part::new("qs", 16, 64, U8, Quants, TWO_BITS.0, TWO_BITS.1),
        d(80),
        dmin(82),
    ],
    what: Text::new(
        "16 sub-blocks of 16 two-bit weights; each sub-block has a 4-bit scale and a 4-bit minimum.",
        "16 个子块，每块 16 个 2 位权重；每个子块有一个 4 位缩放和一个 4 位最小值。",
    ),
    formula: "w = d * scale * q - dmin * min",
};

pub(super) const Q3_K: TensorTypeInfo = TensorTypeInfo {
    ty: TensorType::Q3_K,
    name: "Q3_K",
    status: TypeStatus::Current,
    block_elems: 256,
    block_bytes: 110,
    parts: &[
        Part::new(
            "hmask",
            0,
            32,
            U8,
            HighBits,
            "bit k of byte i = third bit of element 32*k + i; where it is clear, 4 is subtracted",
            "第 i 字节的第 k 位是第 32*k+i 个元素的第 3 位；该位为 0 时减去 4",
        ),
        Part::new("qs", 32, 64, U8, Quants, TWO_BITS.0, TWO_BITS.1),
        Part::new(
            "scales",
            96,
            12,
            U8,
            Scales,
            "16 scales of 6 bits, biased by 32, one per 16 elements. Byte i of 0..7: low nibble = low 4 \
             bits of scale i, high nibble = those of scale i+8; byte 8+i, i = 0..3: bit pairs 0..3 = \
             upper 2 bits of scales i, i+4, i+8, i+12",
            "16 个 6 位缩放，偏移 32，每 16 个元素一个。第 0..7 字节中第 i 字节：低 4 位是缩放 i 的低 4 \
             位，高 4 位是缩放 i+8 的低 4 位；第 8+i 字节（i = 0..3）：4 个位对依次是缩放 i、i+4、i+8、\
             i+12 的高 2 位",
        ),
        d(108),
    ],
    what: Text::new(
        "16 sub-blocks of 16 three-bit weights (-4..3) with signed 6-bit scales; the third bits are kept \
         apart.",
        "16 个子块，每块 16 个 3 位权重（-4..3），配有符号的 6 位缩放；第 3 位单独存放。",
    ),
    formula: "w = d * (scale - 32) * ((qs | hmask << 2) - 4)",
};

pub(super) const Q4_K: TensorTypeInfo = TensorTypeInfo {
    ty: TensorType::Q4_K,
    name: "Q4_K",
    status: TypeStatus::Current,
    block_elems: 256,
    block_bytes: 144,
    parts: &[
        d(0),
        dmin(2),
        Part::new("scales", 4, 12, U8, Scales, SIX_BITS.0, SIX_BITS.1),
        Part::new("qs", 16, 128, U8, Quants, PAIRS_OF_32.0, PAIRS_OF_32.1),
    ],
    what: Text::new(
        "8 sub-blocks of 32 four-bit weights; each sub-block has a 6-bit scale and a 6-bit minimum.",
        "8 个子块，每块 32 个 4 位权重；每个子块有一个 6 位缩放和一个 6 位最小值。",
    ),
    formula: "w = d * scale * q - dmin * min",
};

pub(super) const Q5_K: TensorTypeInfo = TensorTypeInfo {
    ty: TensorType::Q5_K,
    name: "Q5_K",
    status: TypeStatus::Current,
    block_elems: 256,
    block_bytes: 176,
    parts: &[
        d(0),
        dmin(2),
        Part::new("scales", 4, 12, U8, Scales, SIX_BITS.0, SIX_BITS.1),
        Part::new(
            "qh",
            16,
            32,
            U8,
            HighBits,
            "bit k of byte i = fifth bit of element 32*k + i",
            "第 i 字节的第 k 位是第 32*k+i 个元素的第 5 位",
        ),
        Part::new("qs", 48, 128, U8, Quants, PAIRS_OF_32.0, PAIRS_OF_32.1),
    ],
    what: Text::new(
        "Q4_K with a fifth bit per weight: 8 sub-blocks of 32, each with a 6-bit scale and a 6-bit minimum.",
        "在 Q4_K 上每个权重多一位：8 个子块，每块 32 个权重，各有一个 6 位缩放和一个 6 位最小值。",
    ),
    formula: "w = d * scale * (qs | qh << 4) - dmin * min",
};

pub(super) const Q6_K: TensorTypeInfo = TensorTypeInfo {
    ty: TensorType::Q6_K,
    name: "Q6_K",
    status: TypeStatus::Current,
    block_elems: 256,
    block_bytes: 210,
    parts: &[
        Part::new(
            "ql",
            0,
            128,
            U8,
            Quants,
            "low 4 bits; byte 64*h+i: low nibble = element 128*h + i, high nibble = element 128*h + 64 + \
             i (h = 0..1)",
            "低 4 位；第 64*h+i 字节：低 4 位是第 128*h+i 个元素，高 4 位是第 128*h+64+i 个元素（h = 0..1）",
        ),
        Part::new(
            "qh",
            128,
            64,
            U8,
            HighBits,
            "upper 2 bits; byte 32*h+i: bits 2k and 2k+1 = element 128*h + 32*k + i (h = 0..1, k = 0..3)",
            "高 2 位；第 32*h+i 字节：第 2k、2k+1 位属于第 128*h+32*k+i 个元素（h = 0..1，k = 0..3）",
        ),
        Part::new(
            "scales",
            192,
            16,
            I8,
            Scales,
            "byte j = signed scale of elements 16*j to 16*j+15",
            "第 j 字节是第 16*j 到 16*j+15 个元素的有符号缩放",
        ),
        d(208),
    ],
    what: Text::new(
        "16 sub-blocks of 16 six-bit weights (-32..31) with signed 8-bit scales.",
        "16 个子块，每块 16 个 6 位权重（-32..31），配有符号的 8 位缩放。",
    ),
    formula: "w = d * scale * ((ql | qh << 4) - 32)",
};

pub(super) const Q8_K: TensorTypeInfo = TensorTypeInfo {
    ty: TensorType::Q8_K,
    name: "Q8_K",
    status: TypeStatus::ComputeOnly,
    block_elems: 256,
    block_bytes: 292,
    parts: &[
        Part::new("d", 0, 4, F32, Scale, "scale of the block, a 32-bit float", "整块的缩放，为 32 位浮点数"),
        Part::new("qs", 4, 256, I8, Quants, "byte i = element i", "第 i 字节是第 i 个元素"),
        Part::new(
            "bsums",
            260,
            32,
            I16,
            Sums,
            "word j = sum of the quants of elements 16*j to 16*j+15",
            "第 j 个字是第 16*j 到 16*j+15 个元素量化值之和",
        ),
    ],
    what: Text::new(
        "256 signed bytes with one scale and the sums of every 16: the form that activations take while \
         they are multiplied with K types.",
        "256 个有符号字节、一个缩放，以及每 16 个值之和：激活值与 K 系列类型相乘时使用的中间形式。",
    ),
    formula: "w = d * q",
};
