//! Ternary types for BitNet-like models: every weight is -1, 0 or 1 times the scale.
//!
//! Source: `block_tq1_0` and `block_tq2_0` in ggml-common.h.

use super::PartRole::{Quants, Scale};
use super::PartUnit::{F16, U8};
use super::{Part, TensorType, TensorTypeInfo, Text, TypeStatus};

pub(super) const TQ1_0: TensorTypeInfo = TensorTypeInfo {
    ty: TensorType::TQ1_0,
    name: "TQ1_0",
    status: TypeStatus::Current,
    block_elems: 256,
    block_bytes: 54,
    parts: &[
        Part::new(
            "qs",
            0,
            48,
            U8,
            Quants,
            "five base-3 digits per byte, first digit most significant: byte i < 32 holds elements i + \
             32n, byte 32+i holds elements 160 + i + 16n (n = 0..4). The byte is the digits' number \
             (0..242) times 256/243, rounded up; digit n is ((byte * 3^n mod 256) * 3) >> 8",
            "每字节 5 个三进制位，首位最高：前 32 字节中第 i 字节存第 i+32n 个元素，第 32+i 字节存第 \
             160+i+16n 个元素（n = 0..4）。字节值是这 5 位组成的数（0..242）乘以 256/243 并向上取整；第 n \
             位等于 ((byte * 3^n mod 256) * 3) >> 8",
        ),
        Part::new(
            "qh",
            48,
            4,
            U8,
            Quants,
            "four base-3 digits per byte, coded as in qs with the fifth digit 0: byte i holds elements \
             240 + i + 4n (n = 0..3)",
            "每字节 4 个三进制位，编码同 qs，第 5 位为 0：第 i 字节存第 240+i+4n 个元素（n = 0..3）",
        ),
        Part::new("d", 52, 2, F16, Scale, "scale of the block", "整块的缩放"),
    ],
    what: Text::new(
        "Ternary weights packed five to a byte in base 3 (3^5 = 243 fits in 256); 256 weights share one \
         scale.",
        "三值权重按三进制每字节存 5 个（3^5 = 243，不超过 256）；256 个权重共用一个缩放。",
    ),
    formula: "w = d * (q - 1)",
};

pub(super) const TQ2_0: TensorTypeInfo = TensorTypeInfo {
    ty: TensorType::TQ2_0,
    name: "TQ2_0",
    status: TypeStatus::Current,
    block_elems: 256,
    block_bytes: 66,
    parts: &[
        Part::new(
            "qs",
            0,
            64,
            U8,
            Quants,
            "byte 32*h+i: bits 2k and 2k+1 = element 128*h + 32*k + i (h = 0..1, k = 0..3)",
            "第 32*h+i 字节：第 2k、2k+1 位是第 128*h+32*k+i 个元素（h = 0..1，k = 0..3）",
        ),
        Part::new("d", 64, 2, F16, Scale, "scale of the block", "整块的缩放"),
    ],
    what: Text::new(
        "Ternary weights in 2 bits each; 256 weights share one scale. Larger than TQ1_0 and cheaper to \
         unpack.",
        "三值权重，每个占 2 位；256 个权重共用一个缩放。比 TQ1_0 大，但解包更省。",
    ),
    formula: "w = d * (q - 1)",
};
