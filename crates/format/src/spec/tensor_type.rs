//! Types of tensor data (`ggml_type`): ids, block geometry, and what the bytes of a block mean.
//!
//! Source: `ggml_type` in ggml.h for the ids, the `block_*` structs in ggml-common.h for sizes and order of
//! members, the reference codecs for how bits are packed.
//!
//! The tables of the families live in the submodules; this file holds the types and the lookups. Decoding
//! values is not done here.

mod codebook;
mod float4;
mod k_quant;
mod plain;
mod removed;
mod simple;
mod ternary;

use core::fmt;

use super::Text;

/// The id of a tensor's type, as stored in a tensor-info record.
///
/// Any number is representable: forks use ids that ggml does not define, and they show as `unknown(156)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TensorType(pub u32);

macro_rules! ids {
    ($($name:ident = $id:literal),* $(,)?) => {
        #[allow(non_upper_case_globals)]
        impl TensorType {
            $(
                #[doc = concat!("ggml type ", stringify!($id), ", `", stringify!($name), "`.")]
                pub const $name: Self = Self($id);
            )*
        }
    };
}

ids! {
    F32 = 0, F16 = 1, Q4_0 = 2, Q4_1 = 3, Q4_2 = 4, Q4_3 = 5, Q5_0 = 6, Q5_1 = 7, Q8_0 = 8, Q8_1 = 9,
    Q2_K = 10, Q3_K = 11, Q4_K = 12, Q5_K = 13, Q6_K = 14, Q8_K = 15,
    IQ2_XXS = 16, IQ2_XS = 17, IQ3_XXS = 18, IQ1_S = 19, IQ4_NL = 20, IQ3_S = 21, IQ2_S = 22, IQ4_XS = 23,
    I8 = 24, I16 = 25, I32 = 26, I64 = 27, F64 = 28, IQ1_M = 29, BF16 = 30,
    Q4_0_4_4 = 31, Q4_0_4_8 = 32, Q4_0_8_8 = 33, TQ1_0 = 34, TQ2_0 = 35,
    IQ4_NL_4_4 = 36, IQ4_NL_4_8 = 37, IQ4_NL_8_8 = 38, MXFP4 = 39, NVFP4 = 40, Q1_0 = 41, Q2_0 = 42,
}

impl TensorType {
    /// Number of ids that ggml has assigned (`GGML_TYPE_COUNT`), removed ones included.
    pub const COUNT: u32 = 43;

    /// The table row of this type, found by index. `None` for ids that ggml never assigned.
    pub fn info(self) -> Option<&'static TensorTypeInfo> {
        TENSOR_TYPES.get(usize::try_from(self.0).ok()?)
    }

    /// Name as gguf-py spells it, `Q4_K`; removed types have their old name.
    pub fn name(self) -> Option<&'static str> {
        self.info().map(|i| i.name)
    }

    /// The type with this name; upper and lower case are the same (`q4_K`, `Q4_k`).
    pub fn from_name(name: &str) -> Option<Self> {
        TENSOR_TYPES.iter().find(|i| i.name.eq_ignore_ascii_case(name)).map(|i| i.ty)
    }
}

impl fmt::Display for TensorType {
    /// `Q4_K`, `Q4_2 (removed)` or `unknown(156)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.info() {
            Some(TensorTypeInfo { name, status: TypeStatus::Removed { .. }, .. }) => {
                write!(f, "{name} (removed)")
            }
            Some(info) => f.pad(info.name),
            None => write!(f, "unknown({})", self.0),
        }
    }
}

/// Whether files may hold a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeStatus {
    /// In use for stored tensors.
    Current,
    /// An intermediate of matrix multiplication; ggml defines its block but does not store weights in it.
    ComputeOnly,
    /// The id is reserved and its block no longer defined; ggml refuses such tensors.
    Removed {
        /// What happened to it and what to use instead.
        note: Text,
    },
}

/// What a member of a block is made of. Decides which bytes are exchanged between byte orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PartUnit {
    /// IEEE 754 binary16, 2 bytes.
    F16,
    /// bfloat16: the upper half of a binary32, 2 bytes.
    Bf16,
    /// IEEE 754 binary32, 4 bytes.
    F32,
    /// IEEE 754 binary64, 8 bytes.
    F64,
    /// Single bytes, often with several packed values in each.
    U8,
    /// Signed bytes.
    I8,
    /// Unsigned 2-byte words.
    U16,
    /// Signed 2-byte words.
    I16,
    /// Unsigned 4-byte words. Also where ggml declares bytes but loads them as one word of the host's byte
    /// order: `qh` of Q5_0 and Q5_1, the scales and signs of IQ3_XXS.
    U32,
    /// Signed 4-byte words.
    I32,
    /// Signed 8-byte words.
    I64,
    /// One byte that is an exponent: `2^(e - 127)` (OCP microscaling).
    E8M0,
    /// One byte that is an unsigned float with 4 exponent bits (bias 7) and 3 mantissa bits.
    Ue4m3,
}

impl PartUnit {
    /// The unit in one word: `f16`, `u8`, `e8m0`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::U8 => "u8",
            Self::I8 => "i8",
            Self::U16 => "u16",
            Self::I16 => "i16",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::E8M0 => "e8m0",
            Self::Ue4m3 => "ue4m3",
        }
    }

    /// Bytes of one unit: the width that is reversed when a file changes byte order (1 = nothing to do).
    pub const fn width(self) -> u32 {
        match self {
            Self::U8 | Self::I8 | Self::E8M0 | Self::Ue4m3 => 1,
            Self::F16 | Self::Bf16 | Self::U16 | Self::I16 => 2,
            Self::F32 | Self::U32 | Self::I32 => 4,
            Self::F64 | Self::I64 => 8,
        }
    }
}

/// What a member of a block is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PartRole {
    /// The value itself (types without blocks).
    Value,
    /// The factor of the whole block.
    Scale,
    /// The offset of the whole block, or the factor of its sub-blocks' offsets.
    Min,
    /// Factors (and offsets) of the sub-blocks.
    Scales,
    /// The quantized values, or their lower bits, or indices into a codebook.
    Quants,
    /// Upper bits that complete the quantized values or indices.
    HighBits,
    /// Signs of the values.
    Signs,
    /// Sums that speed up a dot product and add nothing to the value.
    Sums,
}

/// One member of a block: a run of bytes with one purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Name as in the `block_*` struct: `d`, `dmin`, `scales`, `qs`, `qh`, …
    pub name: &'static str,
    /// First byte, counted from the start of the block.
    pub offset: u32,
    /// Number of bytes.
    pub bytes: u32,
    /// What the bytes are made of.
    pub unit: PartUnit,
    /// What it is for.
    pub role: PartRole,
    /// How elements map to its bits. Elements are counted from 0 within the block; nibbles and bits from the
    /// least significant end.
    pub bits: Text,
}

impl Part {
    const fn new(
        name: &'static str,
        offset: u32,
        bytes: u32,
        unit: PartUnit,
        role: PartRole,
        en: &'static str,
        zh: &'static str,
    ) -> Self {
        Part { name, offset, bytes, unit, role, bits: Text::new(en, zh) }
    }
}

/// What is known about one tensor type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TensorTypeInfo {
    /// The id.
    pub ty: TensorType,
    /// Name as gguf-py spells it.
    pub name: &'static str,
    /// Whether files may hold it.
    pub status: TypeStatus,
    /// Elements per block; a row's length must be a multiple of it. 0 for removed types.
    pub block_elems: u32,
    /// Bytes per block. 0 for removed types.
    pub block_bytes: u32,
    /// The members of a block in memory order, covering every byte once. Empty for removed types.
    pub parts: &'static [Part],
    /// What the type is and how its values come about.
    pub what: Text,
    /// The value of an element in terms of the parts' names; `w` is the weight, `q` the element's quantized
    /// value. Empty for removed types.
    pub formula: &'static str,
}

impl TensorTypeInfo {
    /// Bits per element, block overhead included. 0 for removed types.
    pub fn bits_per_weight(&self) -> f64 {
        if self.block_elems == 0 {
            return 0.0;
        }
        f64::from(self.block_bytes) * 8.0 / f64::from(self.block_elems)
    }

    /// Whether elements share a block (`Q4_K`), as opposed to standing alone (`F16`, `I32`).
    pub const fn is_quantized(&self) -> bool {
        self.block_elems > 1
    }

    /// Whether every element is a number of its own, readable without a codec.
    pub const fn is_plain(&self) -> bool {
        self.block_elems == 1
    }

    /// Whether the id is reserved and its block no longer defined.
    pub const fn is_removed(&self) -> bool {
        matches!(self.status, TypeStatus::Removed { .. })
    }
}

/// Every id that ggml has assigned, each at the index of its id.
pub static TENSOR_TYPES: &[TensorTypeInfo] = &[
    plain::F32,
    plain::F16,
    simple::Q4_0,
    simple::Q4_1,
    removed::Q4_2,
    removed::Q4_3,
    simple::Q5_0,
    simple::Q5_1,
    simple::Q8_0,
    simple::Q8_1,
    k_quant::Q2_K,
    k_quant::Q3_K,
    k_quant::Q4_K,
    k_quant::Q5_K,
    k_quant::Q6_K,
    k_quant::Q8_K,
    codebook::IQ2_XXS,
    codebook::IQ2_XS,
    codebook::IQ3_XXS,
    codebook::IQ1_S,
    codebook::IQ4_NL,
    codebook::IQ3_S,
    codebook::IQ2_S,
    codebook::IQ4_XS,
    plain::I8,
    plain::I16,
    plain::I32,
    plain::I64,
    plain::F64,
    codebook::IQ1_M,
    plain::BF16,
    removed::Q4_0_4_4,
    removed::Q4_0_4_8,
    removed::Q4_0_8_8,
    ternary::TQ1_0,
    ternary::TQ2_0,
    removed::IQ4_NL_4_4,
    removed::IQ4_NL_4_8,
    removed::IQ4_NL_8_8,
    float4::MXFP4,
    float4::NVFP4,
    simple::Q1_0,
    simple::Q2_0,
];

#[cfg(test)]
mod tests;
