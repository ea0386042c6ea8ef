//! Types without blocks: every element is a number of its own.

use super::PartUnit::{
    Bf16, F16 as Half, F32 as Single, F64 as Double, I8 as S8, I16 as S16, I32 as S32, I64 as S64,
};
use super::{Part, PartRole, PartUnit, TensorType, TensorTypeInfo, Text, TypeStatus};

const fn value(bytes: u32, unit: PartUnit, en: &'static str, zh: &'static str) -> Part {
    Part::new("value", 0, bytes, unit, PartRole::Value, en, zh)
}

const fn plain(
    ty: TensorType,
    name: &'static str,
    bytes: u32,
    parts: &'static [Part],
    en: &'static str,
    zh: &'static str,
) -> TensorTypeInfo {
    TensorTypeInfo {
        ty,
        name,
        status: TypeStatus::Current,
        block_elems: 1,
        block_bytes: bytes,
        parts,
        what: Text::new(en, zh),
        formula: "w = value",
    }
}

pub(super) const F32: TensorTypeInfo = plain(
    TensorType::F32,
    "F32",
    4,
    &[value(4, Single, "sign 1, exponent 8, mantissa 23 bits", "符号 1 位，指数 8 位，尾数 23 位")],
    "32-bit floating point (IEEE single precision); norms and biases usually stay in it.",
    "32 位浮点数（IEEE 单精度）；归一化权重和偏置通常保持这种类型。",
);

pub(super) const F16: TensorTypeInfo = plain(
    TensorType::F16,
    "F16",
    2,
    &[value(2, Half, "sign 1, exponent 5, mantissa 10 bits", "符号 1 位，指数 5 位，尾数 10 位")],
    "16-bit floating point (IEEE half precision); finite up to 65504.",
    "16 位浮点数（IEEE 半精度）；有限值最大为 65504。",
);

pub(super) const BF16: TensorTypeInfo = plain(
    TensorType::BF16,
    "BF16",
    2,
    &[value(2, Bf16, "sign 1, exponent 8, mantissa 7 bits", "符号 1 位，指数 8 位，尾数 7 位")],
    "bfloat16: the upper 16 bits of a 32-bit float; its range is kept, its precision is not.",
    "bfloat16：取 32 位浮点数的高 16 位；保留范围，舍去精度。",
);

pub(super) const F64: TensorTypeInfo = plain(
    TensorType::F64,
    "F64",
    8,
    &[value(8, Double, "sign 1, exponent 11, mantissa 52 bits", "符号 1 位，指数 11 位，尾数 52 位")],
    "64-bit floating point (IEEE double precision); rare in model files.",
    "64 位浮点数（IEEE 双精度）；模型文件中很少见。",
);

pub(super) const I8: TensorTypeInfo = plain(
    TensorType::I8,
    "I8",
    1,
    &[value(1, S8, "two's complement, 8 bits", "补码，8 位")],
    "8-bit signed integer.",
    "8 位有符号整数。",
);

pub(super) const I16: TensorTypeInfo = plain(
    TensorType::I16,
    "I16",
    2,
    &[value(2, S16, "two's complement, 16 bits", "补码，16 位")],
    "16-bit signed integer.",
    "16 位有符号整数。",
);

pub(super) const I32: TensorTypeInfo = plain(
    TensorType::I32,
    "I32",
    4,
    &[value(4, S32, "two's complement, 32 bits", "补码，32 位")],
    "32-bit signed integer; used for index and lookup tensors.",
    "32 位有符号整数；用于索引和查找表张量。",
);

pub(super) const I64: TensorTypeInfo = plain(
    TensorType::I64,
    "I64",
    8,
    &[value(8, S64, "two's complement, 64 bits", "补码，64 位")],
    "64-bit signed integer.",
    "64 位有符号整数。",
);
