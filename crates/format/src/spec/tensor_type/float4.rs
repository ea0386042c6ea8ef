//! Four-bit floating-point types: E2M1 values (0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives) under small
//! scales.
//!
//! Source: `block_mxfp4` and `block_nvfp4` in ggml-common.h; OCP microscaling formats for E2M1 and E8M0.

use super::PartRole::{Quants, Scale, Scales};
use super::PartUnit::{E8M0, U8, Ue4m3};
use super::{Part, TensorType, TensorTypeInfo, Text, TypeStatus};

pub(super) const MXFP4: TensorTypeInfo = TensorTypeInfo {
    ty: TensorType::MXFP4,
    name: "MXFP4",
    status: TypeStatus::Current,
    block_elems: 32,
    block_bytes: 17,
    parts: &[
        Part::new(
            "e",
            0,
            1,
            E8M0,
            Scale,
            "scale of the block as a power of two, 2^(e-127); 255 means not a number",
            "整块的缩放，为 2 的幂 2^(e-127)；255 表示非数",
        ),
        Part::new(
            "qs",
            1,
            16,
            U8,
            Quants,
            "byte i: low nibble = element i, high nibble = element i+16; a nibble is sign 1, exponent 2, \
             mantissa 1 bit",
            "第 i 字节：低 4 位是第 i 个元素，高 4 位是第 i+16 个元素；4 位由符号 1 位、指数 2 位、尾数 1 \
             位组成",
        ),
    ],
    what: Text::new(
        "32 four-bit floats share a power-of-two scale of one byte (OCP microscaling); gpt-oss stores its \
         experts in it.",
        "32 个 4 位浮点数共用一个单字节的 2 的幂缩放（OCP 微缩放格式）；gpt-oss 用它存放专家权重。",
    ),
    formula: "w = 2^(e - 127) * e2m1(q)",
};

pub(super) const NVFP4: TensorTypeInfo = TensorTypeInfo {
    ty: TensorType::NVFP4,
    name: "NVFP4",
    status: TypeStatus::Current,
    block_elems: 64,
    block_bytes: 36,
    parts: &[
        Part::new(
            "d",
            0,
            4,
            Ue4m3,
            Scales,
            "byte s = scale of elements 16*s to 16*s+15",
            "第 s 字节是第 16*s 到 16*s+15 个元素的缩放",
        ),
        Part::new(
            "qs",
            4,
            32,
            U8,
            Quants,
            "byte 8*s+i: low nibble = element 16*s+i, high nibble = element 16*s+8+i (i = 0..7)",
            "第 8*s+i 字节：低 4 位是第 16*s+i 个元素，高 4 位是第 16*s+8+i 个元素（i = 0..7）",
        ),
    ],
    what: Text::new(
        "64 four-bit floats in four groups of 16, each group with an 8-bit float scale (NVIDIA). A \
         separate tensor may hold a further scale for the whole matrix.",
        "64 个 4 位浮点数分为 4 组，每组 16 个，各有一个 8 位浮点缩放（NVIDIA）。整个矩阵还可能另有一个缩\
         放，存放在单独的张量里。",
    ),
    formula: "w = ue4m3(d[s]) * e2m1(q)",
};
