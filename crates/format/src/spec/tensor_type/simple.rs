//! Block types with one scale, and perhaps one offset, for a whole block.
//!
//! Source: `block_q4_0` to `block_q8_1`, `block_q1_0`, `block_q2_0` in ggml-common.h.

use super::PartRole::{HighBits, Min, Quants, Scale, Sums};
use super::PartUnit::{F16, I8, U8, U32};
use super::{Part, TensorType, TensorTypeInfo, Text, TypeStatus};

const D: Part = Part::new("d", 0, 2, F16, Scale, "scale of the block", "整块的缩放");
const M: Part = Part::new("m", 2, 2, F16, Min, "smallest value of the block", "整块的最小值");

const NIBBLES: (&str, &str) = (
    "byte i: low nibble = element i, high nibble = element i+16",
    "第 i 字节：低 4 位是第 i 个元素，高 4 位是第 i+16 个元素",
);
const LOW_NIBBLES: (&str, &str) = (
    "byte i: low nibble = low 4 bits of element i, high nibble = those of element i+16",
    "第 i 字节：低 4 位是第 i 个元素的低 4 位，高 4 位是第 i+16 个元素的低 4 位",
);
const FIFTH: (&str, &str) =
    ("a 32-bit word: bit i = fifth bit of element i", "一个 32 位字：第 i 位是第 i 个元素的第 5 位");

pub(super) const Q4_0: TensorTypeInfo = TensorTypeInfo {
    ty: TensorType::Q4_0,
    name: "Q4_0",
    status: TypeStatus::Current,
    block_elems: 32,
    block_bytes: 18,
    parts: &[D, Part::new("qs", 2, 16, U8, Quants, NIBBLES.0, NIBBLES.1)],
    what: Text::new(
        "32 weights of 4 bits share one scale. The 4-bit number 0..15 is shifted to -8..7 and multiplied \
         by it.",
        "32 个 4 位权重共用一个缩放。4 位数 0..15 平移到 -8..7 后乘以缩放。",
    ),
    formula: "w = d * (q - 8)",
};

pub(super) const Q4_1: TensorTypeInfo = TensorTypeInfo {
    ty: TensorType::Q4_1,
    name: "Q4_1",
    status: TypeStatus::Current,
    block_elems: 32,
    block_bytes: 20,
    parts: &[D, M, Part::new("qs", 4, 16, U8, Quants, NIBBLES.0, NIBBLES.1)],
    what: Text::new(
        "32 weights of 4 bits share a scale and a minimum, so a block need not be centred on zero.",
        "32 个 4 位权重共用一个缩放和一个最小值，因此数值不必以零为中心。",
    ),
    formula: "w = d * q + m",
};

pub(super) const Q5_0: TensorTypeInfo = TensorTypeInfo {
    ty: TensorType::Q5_0,
    name: "Q5_0",
    status: TypeStatus::Current,
    block_elems: 32,
    block_bytes: 22,
    parts: &[
        D,
        Part::new("qh", 2, 4, U32, HighBits, FIFTH.0, FIFTH.1),
        Part::new("qs", 6, 16, U8, Quants, LOW_NIBBLES.0, LOW_NIBBLES.1),
    ],
    what: Text::new(
        "Like Q4_0 with a fifth bit per weight, kept apart in one 32-bit word; 0..31 is shifted to -16..15.",
        "与 Q4_0 相同，但每个权重多一位，集中存放在一个 32 位字里；0..31 平移到 -16..15。",
    ),
    formula: "w = d * (q - 16), q = qs | qh << 4",
};

pub(super) const Q5_1: TensorTypeInfo = TensorTypeInfo {
    ty: TensorType::Q5_1,
    name: "Q5_1",
    status: TypeStatus::Current,
    block_elems: 32,
    block_bytes: 24,
    parts: &[
        D,
        M,
        Part::new("qh", 4, 4, U32, HighBits, FIFTH.0, FIFTH.1),
        Part::new("qs", 8, 16, U8, Quants, LOW_NIBBLES.0, LOW_NIBBLES.1),
    ],
    what: Text::new(
        "Like Q4_1 with a fifth bit per weight, kept apart in one 32-bit word.",
        "与 Q4_1 相同，但每个权重多一位，集中存放在一个 32 位字里。",
    ),
    formula: "w = d * q + m, q = qs | qh << 4",
};

pub(super) const Q8_0: TensorTypeInfo = TensorTypeInfo {
    ty: TensorType::Q8_0,
    name: "Q8_0",
    status: TypeStatus::Current,
    block_elems: 32,
    block_bytes: 34,
    parts: &[D, Part::new("qs", 2, 32, I8, Quants, "byte i = element i", "第 i 字节是第 i 个元素")],
    what: Text::new(
        "32 signed bytes share one scale; close to lossless and quick to decode.",
        "32 个有符号字节共用一个缩放；接近无损，解码快。",
    ),
    formula: "w = d * q",
};

pub(super) const Q8_1: TensorTypeInfo = TensorTypeInfo {
    ty: TensorType::Q8_1,
    name: "Q8_1",
    status: TypeStatus::ComputeOnly,
    block_elems: 32,
    block_bytes: 36,
    parts: &[
        D,
        Part::new("s", 2, 2, F16, Sums, "d times the sum of all quants", "d 乘以全部量化值之和"),
        Part::new("qs", 4, 32, I8, Quants, "byte i = element i", "第 i 字节是第 i 个元素"),
    ],
    what: Text::new(
        "Q8_0 plus the block's sum: the form that activations take while they are multiplied with Q4_1 or \
         Q5_1.",
        "在 Q8_0 上加了块内之和：激活值与 Q4_1、Q5_1 相乘时使用的中间形式。",
    ),
    formula: "w = d * q",
};

pub(super) const Q1_0: TensorTypeInfo = TensorTypeInfo {
    ty: TensorType::Q1_0,
    name: "Q1_0",
    status: TypeStatus::Current,
    block_elems: 128,
    block_bytes: 18,
    parts: &[
        D,
        Part::new(
            "qs",
            2,
            16,
            U8,
            Quants,
            "bit b of byte i = element 8*i+b",
            "第 i 字节的第 b 位是第 8*i+b 个元素",
        ),
    ],
    what: Text::new(
        "One bit per weight: 128 weights share a scale, a set bit is plus the scale, a clear bit minus \
         the scale.",
        "每个权重 1 位：128 个权重共用一个缩放，位为 1 取正缩放，位为 0 取负缩放。",
    ),
    formula: "w = q ? d : -d",
};

pub(super) const Q2_0: TensorTypeInfo = TensorTypeInfo {
    ty: TensorType::Q2_0,
    name: "Q2_0",
    status: TypeStatus::Current,
    block_elems: 64,
    block_bytes: 18,
    parts: &[
        D,
        Part::new(
            "qs",
            2,
            16,
            U8,
            Quants,
            "bits 2k and 2k+1 of byte i = element 4*i+k",
            "第 i 字节的第 2k、2k+1 位是第 4*i+k 个元素",
        ),
    ],
    what: Text::new(
        "Two bits per weight: 64 weights share a scale, and 0..3 stand for -1, 0, 1 and 2 times it.",
        "每个权重 2 位：64 个权重共用一个缩放，0..3 分别表示缩放的 -1、0、1、2 倍。",
    ),
    formula: "w = d * (q - 1)",
};
