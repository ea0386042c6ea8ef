//! I types: several weights at once are one index into a table of good value patterns (a codebook).
//!
//! Source: `block_iq1_s` to `block_iq4_xs` in ggml-common.h. The codebooks themselves are not part of a file
//! and not of this table.

use super::PartRole::{HighBits, Quants, Scale, Scales, Signs};
use super::PartUnit::{F16, U8, U16, U32};
use super::{Part, TensorType, TensorTypeInfo, Text, TypeStatus};

const D: Part = Part::new("d", 0, 2, F16, Scale, "scale of the block", "整块的缩放");

const SCALES_OF_16: (&str, &str) = (
    "byte j: low nibble = scale of elements 32*j to 32*j+15, high nibble = of 32*j+16 to 32*j+31",
    "第 j 字节：低 4 位是第 32*j 到 32*j+15 个元素的缩放，高 4 位是第 32*j+16 到 32*j+31 个元素的缩放",
);

pub(super) const IQ2_XXS: TensorTypeInfo = TensorTypeInfo {
    ty: TensorType::IQ2_XXS,
    name: "IQ2_XXS",
    status: TypeStatus::Current,
    block_elems: 256,
    block_bytes: 66,
    parts: &[
        D,
        // 16-bit words by declaration. ggml reads the first two as bytes and the other two as one 32-bit word
        // of the host, so no exchange of bytes carries this type to a host of the other byte order faithfully.
        Part::new(
            "qs",
            2,
            64,
            U16,
            Quants,
            "4 words per 32 elements. Words 0 and 1: four 8-bit codebook indices, 8 elements each. Words \
             2 and 3 as one 32-bit number: four 7-bit sign patterns from bit 0 up, and the 4-bit scale s \
             in bits 28..31",
            "每 32 个元素 4 个字。第 0、1 字：4 个 8 位码本索引，每个对应 8 个元素。第 2、3 字合为一个 32 \
             位数：从第 0 位起是 4 个 7 位符号模式，第 28..31 位是 4 位缩放 s",
        ),
    ],
    what: Text::new(
        "Groups of 8 weights are one of 256 patterns with a 7-bit sign pattern (the eighth sign follows \
         by parity); 32 weights share a 4-bit scale.",
        "每 8 个权重取 256 个模式之一，另有 7 位符号模式（第 8 个符号由奇偶性得出）；32 个权重共用一个 4 \
         位缩放。",
    ),
    formula: "w = d * (0.5 + s) / 4 * grid[q] * sign",
};

pub(super) const IQ2_XS: TensorTypeInfo = TensorTypeInfo {
    ty: TensorType::IQ2_XS,
    name: "IQ2_XS",
    status: TypeStatus::Current,
    block_elems: 256,
    block_bytes: 74,
    parts: &[
        D,
        Part::new(
            "qs",
            2,
            64,
            U16,
            Quants,
            "word i, for elements 8*i to 8*i+7: bits 0..8 = codebook index, bits 9..15 = sign pattern",
            "第 i 个字对应第 8*i 到 8*i+7 个元素：第 0..8 位是码本索引，第 9..15 位是符号模式",
        ),
        Part::new("scales", 66, 8, U8, Scales, SCALES_OF_16.0, SCALES_OF_16.1),
    ],
    what: Text::new(
        "Groups of 8 weights are one of 512 patterns with a 7-bit sign pattern; 16 weights share a 4-bit \
         scale.",
        "每 8 个权重取 512 个模式之一，另有 7 位符号模式；16 个权重共用一个 4 位缩放。",
    ),
    formula: "w = d * (0.5 + scale) / 4 * grid[q] * sign",
};

pub(super) const IQ2_S: TensorTypeInfo = TensorTypeInfo {
    ty: TensorType::IQ2_S,
    name: "IQ2_S",
    status: TypeStatus::Current,
    block_elems: 256,
    block_bytes: 82,
    parts: &[
        D,
        Part::new(
            "qs",
            2,
            32,
            U8,
            Quants,
            "byte i = low 8 bits of the codebook index of elements 8*i to 8*i+7",
            "第 i 字节是第 8*i 到 8*i+7 个元素的码本索引的低 8 位",
        ),
        Part::new(
            "signs",
            34,
            32,
            U8,
            Signs,
            "the second half of ggml's qs; bit b of byte i set = element 8*i+b is negative",
            "即 ggml 中 qs 的后半部分；第 i 字节的第 b 位为 1 表示第 8*i+b 个元素为负",
        ),
        Part::new(
            "qh",
            66,
            8,
            U8,
            HighBits,
            "byte j: bits 2k and 2k+1 = upper 2 bits of the index in qs[4*j+k]",
            "第 j 字节：第 2k、2k+1 位是 qs[4*j+k] 所存索引的高 2 位",
        ),
        Part::new("scales", 74, 8, U8, Scales, SCALES_OF_16.0, SCALES_OF_16.1),
    ],
    what: Text::new(
        "Groups of 8 weights are one of 1024 patterns, with a free sign per weight; 16 weights share a \
         4-bit scale.",
        "每 8 个权重取 1024 个模式之一，每个权重有独立的符号位；16 个权重共用一个 4 位缩放。",
    ),
    formula: "w = d * (0.5 + scale) / 4 * grid[qs | qh << 8] * sign",
};

pub(super) const IQ3_XXS: TensorTypeInfo = TensorTypeInfo {
    ty: TensorType::IQ3_XXS,
    name: "IQ3_XXS",
    status: TypeStatus::Current,
    block_elems: 256,
    block_bytes: 98,
    parts: &[
        D,
        Part::new(
            "qs",
            2,
            64,
            U8,
            Quants,
            "byte i = codebook index of elements 4*i to 4*i+3",
            "第 i 字节是第 4*i 到 4*i+3 个元素的码本索引",
        ),
        Part::new(
            "scales_and_signs",
            66,
            32,
            U32,
            Scales,
            "the last third of ggml's qs; word j, for elements 32*j to 32*j+31: four 7-bit sign patterns \
             from bit 0 up, and the 4-bit scale in bits 28..31",
            "即 ggml 中 qs 的最后三分之一；第 j 个字对应第 32*j 到 32*j+31 个元素：从第 0 位起是 4 个 7 位\
             符号模式，第 28..31 位是 4 位缩放",
        ),
    ],
    what: Text::new(
        "Groups of 4 weights are one of 256 patterns, groups of 8 have a 7-bit sign pattern, 32 weights \
         share a 4-bit scale.",
        "每 4 个权重取 256 个模式之一，每 8 个权重有一个 7 位符号模式，32 个权重共用一个 4 位缩放。",
    ),
    formula: "w = d * (0.5 + scale) / 2 * grid[q] * sign",
};

pub(super) const IQ3_S: TensorTypeInfo = TensorTypeInfo {
    ty: TensorType::IQ3_S,
    name: "IQ3_S",
    status: TypeStatus::Current,
    block_elems: 256,
    block_bytes: 110,
    parts: &[
        D,
        Part::new(
            "qs",
            2,
            64,
            U8,
            Quants,
            "byte i = low 8 bits of the codebook index of elements 4*i to 4*i+3",
            "第 i 字节是第 4*i 到 4*i+3 个元素的码本索引的低 8 位",
        ),
        Part::new(
            "qh",
            66,
            8,
            U8,
            HighBits,
            "bit b of byte j = ninth bit of the index in qs[8*j+b]",
            "第 j 字节的第 b 位是 qs[8*j+b] 所存索引的第 9 位",
        ),
        Part::new(
            "signs",
            74,
            32,
            U8,
            Signs,
            "bit b of byte i set = element 8*i+b is negative",
            "第 i 字节的第 b 位为 1 表示第 8*i+b 个元素为负",
        ),
        Part::new(
            "scales",
            106,
            4,
            U8,
            Scales,
            "byte j: low nibble = scale of elements 64*j to 64*j+31, high nibble = of 64*j+32 to 64*j+63",
            "第 j 字节：低 4 位是第 64*j 到 64*j+31 个元素的缩放，高 4 位是第 64*j+32 到 64*j+63 个元素的\
             缩放",
        ),
    ],
    what: Text::new(
        "Groups of 4 weights are one of 512 patterns, with a free sign per weight; 32 weights share a \
         4-bit scale.",
        "每 4 个权重取 512 个模式之一，每个权重有独立的符号位；32 个权重共用一个 4 位缩放。",
    ),
    formula: "w = d * (1 + 2 * scale) * grid[qs | qh << 8] * sign",
};

pub(super) const IQ1_S: TensorTypeInfo = TensorTypeInfo {
    ty: TensorType::IQ1_S,
    name: "IQ1_S",
    status: TypeStatus::Current,
    block_elems: 256,
    block_bytes: 50,
    parts: &[
        D,
        Part::new(
            "qs",
            2,
            32,
            U8,
            Quants,
            "byte i = low 8 bits of the codebook index of elements 8*i to 8*i+7",
            "第 i 字节是第 8*i 到 8*i+7 个元素的码本索引的低 8 位",
        ),
        Part::new(
            "qh",
            34,
            16,
            U16,
            HighBits,
            "word j, for elements 32*j to 32*j+31: bits 3k..3k+2 = upper 3 bits of the index in qs[4*j+k], \
             bits 12..14 = scale, bit 15 set = delta is -0.125",
            "第 j 个字对应第 32*j 到 32*j+31 个元素：第 3k..3k+2 位是 qs[4*j+k] 所存索引的高 3 位，\
             第 12..14 位是缩放，第 15 位为 1 时 delta 为 -0.125",
        ),
    ],
    what: Text::new(
        "Groups of 8 weights are one of 2048 ternary patterns (-1, 0, 1), shifted by plus or minus 1/8; \
         32 weights share a 3-bit scale and the shift.",
        "每 8 个权重取 2048 个三值模式（-1、0、1）之一，再整体偏移正负 1/8；32 个权重共用一个 3 位缩放和偏\
         移方向。",
    ),
    formula: "w = d * (2 * scale + 1) * (grid[q] + delta), delta = +-0.125",
};

pub(super) const IQ1_M: TensorTypeInfo = TensorTypeInfo {
    ty: TensorType::IQ1_M,
    name: "IQ1_M",
    status: TypeStatus::Current,
    block_elems: 256,
    block_bytes: 56,
    parts: &[
        Part::new(
            "qs",
            0,
            32,
            U8,
            Quants,
            "byte i = low 8 bits of the codebook index of elements 8*i to 8*i+7",
            "第 i 字节是第 8*i 到 8*i+7 个元素的码本索引的低 8 位",
        ),
        Part::new(
            "qh",
            32,
            16,
            U8,
            HighBits,
            "nibble i (low nibble first), for elements 8*i to 8*i+7: bits 0..2 = upper 3 bits of the \
             index, bit 3 set = delta is -0.125",
            "第 i 个半字节（低 4 位在先）对应第 8*i 到 8*i+7 个元素：第 0..2 位是索引的高 3 位，第 3 位为 \
             1 时 delta 为 -0.125",
        ),
        Part::new(
            "scales",
            48,
            8,
            U16,
            Scales,
            "word j: bits 3k..3k+2 = scale of the 16 elements from 64*j + 16*k (k = 0..3); bits 12..15 = \
             bits 4j..4j+3 of the block's f16 scale d, which has no member of its own",
            "第 j 个字：第 3k..3k+2 位是从第 64*j+16*k 个元素起 16 个元素的缩放（k = 0..3）；第 12..15 位\
             是整块 f16 缩放 d 的第 4j..4j+3 位，d 没有单独的成员",
        ),
    ],
    what: Text::new(
        "IQ1_S with a scale per 16 weights and a shift per 8. The block's f16 scale is spread over the \
         top nibbles of the four scale words.",
        "在 IQ1_S 基础上，每 16 个权重一个缩放，每 8 个权重一个偏移方向。整块的 f16 缩放拆散在 4 个缩放字\
         的最高 4 位里。",
    ),
    formula: "w = d * (2 * scale + 1) * (grid[q] + delta), delta = +-0.125",
};

pub(super) const IQ4_NL: TensorTypeInfo = TensorTypeInfo {
    ty: TensorType::IQ4_NL,
    name: "IQ4_NL",
    status: TypeStatus::Current,
    block_elems: 32,
    block_bytes: 18,
    parts: &[
        D,
        Part::new(
            "qs",
            2,
            16,
            U8,
            Quants,
            "byte i: low nibble = element i, high nibble = element i+16",
            "第 i 字节：低 4 位是第 i 个元素，高 4 位是第 i+16 个元素",
        ),
    ],
    what: Text::new(
        "32 four-bit weights share a scale; the 16 codes stand for unevenly spaced values from -127 to \
         113, denser near zero.",
        "32 个 4 位权重共用一个缩放；16 个编码对应 -127 到 113 之间不等距的值，靠近零处更密。",
    ),
    formula: "w = d * values[q]",
};

pub(super) const IQ4_XS: TensorTypeInfo = TensorTypeInfo {
    ty: TensorType::IQ4_XS,
    name: "IQ4_XS",
    status: TypeStatus::Current,
    block_elems: 256,
    block_bytes: 136,
    parts: &[
        D,
        Part::new(
            "scales_h",
            2,
            2,
            U16,
            Scales,
            "bits 2j and 2j+1 = upper 2 bits of the scale of elements 32*j to 32*j+31",
            "第 2j、2j+1 位是第 32*j 到 32*j+31 个元素的缩放的高 2 位",
        ),
        Part::new(
            "scales_l",
            4,
            4,
            U8,
            Scales,
            "nibble j (low nibble first) = low 4 bits of the scale of elements 32*j to 32*j+31; the 6-bit \
             scale is biased by 32",
            "第 j 个半字节（低 4 位在先）是第 32*j 到 32*j+31 个元素的缩放的低 4 位；6 位缩放带 32 的偏移",
        ),
        Part::new(
            "qs",
            8,
            128,
            U8,
            Quants,
            "byte 16*j+i: low nibble = element 32*j + i, high nibble = element 32*j + 16 + i (j = 0..7)",
            "第 16*j+i 字节：低 4 位是第 32*j+i 个元素，高 4 位是第 32*j+16+i 个元素（j = 0..7）",
        ),
    ],
    what: Text::new(
        "The value table of IQ4_NL in blocks of 256: 8 sub-blocks of 32 with signed 6-bit scales.",
        "把 IQ4_NL 的取值表用于 256 元素的块：8 个子块，每块 32 个权重，配有符号的 6 位缩放。",
    ),
    formula: "w = d * ((scales_l | scales_h << 4) - 32) * values[q]",
};
