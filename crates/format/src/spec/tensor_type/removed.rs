//! Ids that once had a block and are now reserved.

use super::{TensorType, TensorTypeInfo, Text, TypeStatus};

const fn gone(ty: TensorType, name: &'static str, what: Text, note: Text) -> TensorTypeInfo {
    TensorTypeInfo {
        ty,
        name,
        status: TypeStatus::Removed { note },
        block_elems: 0,
        block_bytes: 0,
        parts: &[],
        what,
        formula: "",
    }
}

const EARLY: Text = Text::new(
    "A 4-bit type of the first weeks of llama.cpp, gone before GGUF existed.",
    "llama.cpp 早期的 4 位类型，在 GGUF 出现之前就已取消。",
);
const EARLY_NOTE: Text = Text::new(
    "support was removed in 2023; quantize again from the original weights",
    "支持已于 2023 年移除；请从原始权重重新量化",
);
const REPACKED_Q4: Text = Text::new(
    "Q4_0 blocks of several rows interleaved for one kind of processor.",
    "把多行 Q4_0 块交错排列，供特定处理器使用。",
);
const REPACKED_Q4_NOTE: Text = Text::new(
    "no longer stored in files: use Q4_0, which loaders repack at run time",
    "不再存入文件：请用 Q4_0，加载器会在运行时重排",
);
const REPACKED_NL: Text = Text::new(
    "IQ4_NL blocks of several rows interleaved for one kind of processor.",
    "把多行 IQ4_NL 块交错排列，供特定处理器使用。",
);
const REPACKED_NL_NOTE: Text = Text::new(
    "no longer stored in files: use IQ4_NL, which loaders repack at run time",
    "不再存入文件：请用 IQ4_NL，加载器会在运行时重排",
);

pub(super) const Q4_2: TensorTypeInfo = gone(TensorType::Q4_2, "Q4_2", EARLY, EARLY_NOTE);
pub(super) const Q4_3: TensorTypeInfo = gone(TensorType::Q4_3, "Q4_3", EARLY, EARLY_NOTE);
pub(super) const Q4_0_4_4: TensorTypeInfo =
    gone(TensorType::Q4_0_4_4, "Q4_0_4_4", REPACKED_Q4, REPACKED_Q4_NOTE);
pub(super) const Q4_0_4_8: TensorTypeInfo =
    gone(TensorType::Q4_0_4_8, "Q4_0_4_8", REPACKED_Q4, REPACKED_Q4_NOTE);
pub(super) const Q4_0_8_8: TensorTypeInfo =
    gone(TensorType::Q4_0_8_8, "Q4_0_8_8", REPACKED_Q4, REPACKED_Q4_NOTE);
pub(super) const IQ4_NL_4_4: TensorTypeInfo =
    gone(TensorType::IQ4_NL_4_4, "IQ4_NL_4_4", REPACKED_NL, REPACKED_NL_NOTE);
pub(super) const IQ4_NL_4_8: TensorTypeInfo =
    gone(TensorType::IQ4_NL_4_8, "IQ4_NL_4_8", REPACKED_NL, REPACKED_NL_NOTE);
pub(super) const IQ4_NL_8_8: TensorTypeInfo =
    gone(TensorType::IQ4_NL_8_8, "IQ4_NL_8_8", REPACKED_NL, REPACKED_NL_NOTE);
