//! File types (`general.file_type`, llama.cpp's `LLAMA_FTYPE`): which recipe the whole file was quantized
//! with.
//!
//! A file type describes a mix: `MOSTLY_Q4_K_M` files hold several tensor types. Do not confuse these numbers
//! with ggml's own `ggml_ftype`, which differs above 10 and is found in whisper.cpp-style files.

use core::fmt;

use super::{Lang, Text};

/// The value of `general.file_type`, as stored in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileType(pub u32);

/// What is known about one file type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileTypeInfo {
    /// The id.
    pub ty: FileType,
    /// Full name without the `LLAMA_FTYPE_` prefix: `ALL_F32`, `MOSTLY_Q4_K_M`.
    pub name: &'static str,
    /// `true` if llama.cpp no longer writes or accepts it.
    pub removed: bool,
    /// What a file of this type contains.
    pub meaning: Text,
}

impl FileTypeInfo {
    /// The name that file names and users use: `F32`, `Q4_K_M`.
    pub fn short_name(&self) -> &'static str {
        self.name.strip_prefix("MOSTLY_").or_else(|| self.name.strip_prefix("ALL_")).unwrap_or(self.name)
    }
}

impl FileType {
    /// Flag that llama.cpp adds (bit 10) when the key is missing and the type was guessed from the tensors.
    ///
    /// It is a runtime mark; in a file it shows that a loader's value was written back.
    pub const GUESSED: u32 = 1024;

    /// The id without the [`GUESSED`](Self::GUESSED) flag.
    pub const fn base(self) -> Self {
        Self(self.0 & !Self::GUESSED)
    }

    /// Whether the [`GUESSED`](Self::GUESSED) flag is set.
    pub const fn is_guessed(self) -> bool {
        self.0 & Self::GUESSED != 0
    }

    /// The table row, the guessed flag ignored. `None` for unknown ids.
    pub fn info(self) -> Option<&'static FileTypeInfo> {
        FILE_TYPES.get(usize::try_from(self.base().0).ok()?)
    }

    /// Full name: `MOSTLY_Q4_K_M`. The guessed flag is ignored.
    pub fn name(self) -> Option<&'static str> {
        self.info().map(|i| i.name)
    }

    /// Short name: `Q4_K_M`, `F16`, `F32`. The guessed flag is ignored.
    pub fn short_name(self) -> Option<&'static str> {
        self.info().map(FileTypeInfo::short_name)
    }

    /// Whether the id once existed and is no longer accepted.
    pub fn is_removed(self) -> bool {
        self.info().is_some_and(|i| i.removed)
    }

    /// The file type with this full or short name; upper and lower case are the same.
    pub fn from_name(name: &str) -> Option<Self> {
        FILE_TYPES
            .iter()
            .find(|i| i.name.eq_ignore_ascii_case(name) || i.short_name().eq_ignore_ascii_case(name))
            .map(|i| i.ty)
    }

    /// What a file of this type contains. `None` for unknown ids.
    pub fn meaning(self, lang: Lang) -> Option<&'static str> {
        self.info().map(|i| i.meaning.get(lang))
    }
}

impl fmt::Display for FileType {
    /// `Q4_K_M`, `Q4_K_M (guessed)`, `Q4_2 (removed)` or `unknown(99)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.info() {
            Some(info) => {
                f.write_str(info.short_name())?;
                if info.removed {
                    f.write_str(" (removed)")?;
                }
                if self.is_guessed() {
                    f.write_str(" (guessed)")?;
                }
                Ok(())
            }
            None => write!(f, "unknown({})", self.0),
        }
    }
}

const fn row(id: u32, name: &'static str, en: &'static str, zh: &'static str) -> FileTypeInfo {
    FileTypeInfo { ty: FileType(id), name, removed: false, meaning: Text::new(en, zh) }
}

const fn gone(id: u32, name: &'static str, en: &'static str, zh: &'static str) -> FileTypeInfo {
    FileTypeInfo { ty: FileType(id), name, removed: true, meaning: Text::new(en, zh) }
}

/// Every file type, each at the index of its id (0 to 41).
///
/// "Mostly" in the names leaves out small tensors: one-dimensional ones such as norms stay F32.
pub static FILE_TYPES: &[FileTypeInfo] = &[
    row(0, "ALL_F32", "All tensors are 32-bit floats.", "所有张量都是 32 位浮点数。"),
    row(1, "MOSTLY_F16", "Matrices are 16-bit floats (IEEE half).", "矩阵为 16 位浮点数（IEEE 半精度）。"),
    row(
        2,
        "MOSTLY_Q4_0",
        "4-bit, one scale per 32 weights; simple and fast, less accurate than the K types.",
        "4 位，每 32 个权重一个缩放；简单快速，精度不如 K 系列。",
    ),
    row(
        3,
        "MOSTLY_Q4_1",
        "4-bit, a scale and a minimum per 32 weights.",
        "4 位，每 32 个权重一个缩放和一个最小值。",
    ),
    gone(
        4,
        "MOSTLY_Q4_1_SOME_F16",
        "Q4_1 with token embeddings and output in F16; retired before GGUF became common.",
        "Q4_1，但词嵌入和输出层为 F16；在 GGUF 普及之前已弃用。",
    ),
    gone(5, "MOSTLY_Q4_2", "An early 4-bit type; support was removed.", "早期的 4 位类型，支持已移除。"),
    gone(6, "MOSTLY_Q4_3", "An early 4-bit type; support was removed.", "早期的 4 位类型，支持已移除。"),
    row(
        7,
        "MOSTLY_Q8_0",
        "8-bit, one scale per 32 weights; nearly lossless.",
        "8 位，每 32 个权重一个缩放；几乎无损。",
    ),
    row(8, "MOSTLY_Q5_0", "5-bit, one scale per 32 weights.", "5 位，每 32 个权重一个缩放。"),
    row(
        9,
        "MOSTLY_Q5_1",
        "5-bit, a scale and a minimum per 32 weights.",
        "5 位，每 32 个权重一个缩放和一个最小值。",
    ),
    row(
        10,
        "MOSTLY_Q2_K",
        "2-bit K type, with more bits for the tensors that suffer most.",
        "2 位 K 系列，对误差最敏感的张量使用更多位。",
    ),
    row(
        11,
        "MOSTLY_Q3_K_S",
        "3-bit K type, small: Q3_K almost everywhere.",
        "3 位 K 系列小号：几乎全部用 Q3_K。",
    ),
    row(
        12,
        "MOSTLY_Q3_K_M",
        "3-bit K type, medium: some attention and feed-forward tensors use more bits.",
        "3 位 K 系列中号：部分注意力和前馈张量使用更多位。",
    ),
    row(
        13,
        "MOSTLY_Q3_K_L",
        "3-bit K type, large: more tensors are raised to 5 bits.",
        "3 位 K 系列大号：更多张量提升到 5 位。",
    ),
    row(
        14,
        "MOSTLY_Q4_K_S",
        "4-bit K type, small: Q4_K almost everywhere.",
        "4 位 K 系列小号：几乎全部用 Q4_K。",
    ),
    row(
        15,
        "MOSTLY_Q4_K_M",
        "4-bit K type, medium: Q4_K with Q6_K for the most sensitive tensors; the usual choice.",
        "4 位 K 系列中号：以 Q4_K 为主，最敏感的张量用 Q6_K；最常用的选择。",
    ),
    row(
        16,
        "MOSTLY_Q5_K_S",
        "5-bit K type, small: Q5_K almost everywhere.",
        "5 位 K 系列小号：几乎全部用 Q5_K。",
    ),
    row(
        17,
        "MOSTLY_Q5_K_M",
        "5-bit K type, medium: Q5_K with Q6_K for the most sensitive tensors.",
        "5 位 K 系列中号：以 Q5_K 为主，最敏感的张量用 Q6_K。",
    ),
    row(18, "MOSTLY_Q6_K", "6-bit K type; close to Q8_0 in quality.", "6 位 K 系列；质量接近 Q8_0。"),
    row(
        19,
        "MOSTLY_IQ2_XXS",
        "About 2.06 bits per weight from a codebook; needs an importance matrix.",
        "码本量化，每权重约 2.06 位；需要重要性矩阵。",
    ),
    row(
        20,
        "MOSTLY_IQ2_XS",
        "About 2.31 bits per weight from a codebook; needs an importance matrix.",
        "码本量化，每权重约 2.31 位；需要重要性矩阵。",
    ),
    row(
        21,
        "MOSTLY_Q2_K_S",
        "2-bit K type, small: fewer tensors are raised than in Q2_K.",
        "2 位 K 系列小号：提升位数的张量比 Q2_K 少。",
    ),
    row(
        22,
        "MOSTLY_IQ3_XS",
        "A mix of IQ3_XXS and IQ3_S, about 3.3 bits per weight.",
        "IQ3_XXS 与 IQ3_S 的混合，每权重约 3.3 位。",
    ),
    row(23, "MOSTLY_IQ3_XXS", "About 3.06 bits per weight from a codebook.", "码本量化，每权重约 3.06 位。"),
    row(
        24,
        "MOSTLY_IQ1_S",
        "About 1.56 bits per weight from a ternary codebook; quality drops clearly.",
        "三值码本量化，每权重约 1.56 位；质量明显下降。",
    ),
    row(
        25,
        "MOSTLY_IQ4_NL",
        "4-bit with an uneven value table, one scale per 32 weights.",
        "4 位非均匀取值表，每 32 个权重一个缩放。",
    ),
    row(
        26,
        "MOSTLY_IQ3_S",
        "About 3.44 bits per weight from a codebook with a sign bit per weight.",
        "码本量化，每权重带符号位，约 3.44 位。",
    ),
    row(
        27,
        "MOSTLY_IQ3_M",
        "IQ3_S with more bits for sensitive tensors, about 3.66 bits per weight.",
        "以 IQ3_S 为主，敏感张量使用更多位，每权重约 3.66 位。",
    ),
    row(
        28,
        "MOSTLY_IQ2_S",
        "IQ2_XS blocks with more bits for sensitive tensors, about 2.5 bits per weight.",
        "以 IQ2_XS 块为主，敏感张量使用更多位，每权重约 2.5 位。",
    ),
    row(
        29,
        "MOSTLY_IQ2_M",
        "IQ2_S blocks with more bits for sensitive tensors, about 2.7 bits per weight.",
        "以 IQ2_S 块为主，敏感张量使用更多位，每权重约 2.7 位。",
    ),
    row(
        30,
        "MOSTLY_IQ4_XS",
        "4.25 bits per weight: the value table of IQ4_NL in blocks of 256.",
        "每权重 4.25 位：把 IQ4_NL 的取值表用于 256 元素的块。",
    ),
    row(
        31,
        "MOSTLY_IQ1_M",
        "About 1.75 bits per weight from a ternary codebook.",
        "三值码本量化，每权重约 1.75 位。",
    ),
    row(
        32,
        "MOSTLY_BF16",
        "Matrices are bfloat16: the range of a 32-bit float with 8 significant bits.",
        "矩阵为 bfloat16：范围同 32 位浮点数，有效位 8 位。",
    ),
    gone(
        33,
        "MOSTLY_Q4_0_4_4",
        "Q4_0 rearranged for ARM; removed, use Q4_0, which loaders rearrange by themselves.",
        "为 ARM 重排的 Q4_0；已移除，请用 Q4_0，加载器会自行重排。",
    ),
    gone(
        34,
        "MOSTLY_Q4_0_4_8",
        "Q4_0 rearranged for ARM with i8mm; removed, use Q4_0.",
        "为支持 i8mm 的 ARM 重排的 Q4_0；已移除，请用 Q4_0。",
    ),
    gone(
        35,
        "MOSTLY_Q4_0_8_8",
        "Q4_0 rearranged for ARM with SVE; removed, use Q4_0.",
        "为支持 SVE 的 ARM 重排的 Q4_0；已移除，请用 Q4_0。",
    ),
    row(
        36,
        "MOSTLY_TQ1_0",
        "Ternary weights, five to a byte, 1.69 bits per weight; for BitNet-like models.",
        "三值权重，每字节 5 个，每权重 1.69 位；用于 BitNet 类模型。",
    ),
    row(
        37,
        "MOSTLY_TQ2_0",
        "Ternary weights in 2 bits each; larger than TQ1_0 and faster.",
        "三值权重，每个 2 位；比 TQ1_0 大，但更快。",
    ),
    row(
        38,
        "MOSTLY_MXFP4_MOE",
        "Expert tensors in MXFP4 (4-bit floats with a shared power-of-two scale), the rest in Q8_0.",
        "专家张量用 MXFP4（4 位浮点，共享 2 的幂缩放），其余为 Q8_0。",
    ),
    row(
        39,
        "MOSTLY_NVFP4",
        "NVIDIA's 4-bit floats with an 8-bit float scale per 16 weights.",
        "NVIDIA 的 4 位浮点，每 16 个权重一个 8 位浮点缩放。",
    ),
    row(
        40,
        "MOSTLY_Q1_0",
        "1 bit per weight: plus or minus one scale per 128 weights.",
        "每权重 1 位：每 128 个权重共用一个缩放，只取正负。",
    ),
    row(
        41,
        "MOSTLY_Q2_0",
        "2 bits per weight, one scale per 64 weights.",
        "每权重 2 位，每 64 个权重一个缩放。",
    ),
];

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn rows_stand_at_their_id() {
        assert_eq!(FILE_TYPES.len(), 42);
        for (i, row) in FILE_TYPES.iter().enumerate() {
            assert_eq!(row.ty.0 as usize, i);
            assert_eq!(FileType::from_name(row.name), Some(row.ty));
            assert_eq!(FileType::from_name(&row.short_name().to_lowercase()), Some(row.ty));
            assert!(!row.meaning.en.is_empty() && !row.meaning.zh.is_empty());
        }
    }

    #[test]
    fn names_of_well_known_ids() {
        for (id, name, short) in [
            (0, "ALL_F32", "F32"),
            (1, "MOSTLY_F16", "F16"),
            (2, "MOSTLY_Q4_0", "Q4_0"),
            (7, "MOSTLY_Q8_0", "Q8_0"),
            (10, "MOSTLY_Q2_K", "Q2_K"),
            (15, "MOSTLY_Q4_K_M", "Q4_K_M"),
            (18, "MOSTLY_Q6_K", "Q6_K"),
            (22, "MOSTLY_IQ3_XS", "IQ3_XS"),
            (26, "MOSTLY_IQ3_S", "IQ3_S"),
            (28, "MOSTLY_IQ2_S", "IQ2_S"),
            (30, "MOSTLY_IQ4_XS", "IQ4_XS"),
            (32, "MOSTLY_BF16", "BF16"),
            (36, "MOSTLY_TQ1_0", "TQ1_0"),
            (38, "MOSTLY_MXFP4_MOE", "MXFP4_MOE"),
            (41, "MOSTLY_Q2_0", "Q2_0"),
        ] {
            assert_eq!(FileType(id).name(), Some(name));
            assert_eq!(FileType(id).short_name(), Some(short));
        }
        let removed = FILE_TYPES.iter().filter(|r| r.removed).map(|r| r.ty.0);
        assert!(removed.eq([4, 5, 6, 33, 34, 35]));
    }

    #[test]
    fn guessed_flag_is_shown_and_ignored_in_lookups() {
        let ty = FileType(1024 + 15);
        assert!(ty.is_guessed());
        assert_eq!(ty.base(), FileType(15));
        assert_eq!(ty.short_name(), Some("Q4_K_M"));
        assert_eq!(ty.to_string(), "Q4_K_M (guessed)");
        assert_eq!(FileType(5).to_string(), "Q4_2 (removed)");
        assert_eq!(FileType(42).to_string(), "unknown(42)");
        assert_eq!(FileType(u32::MAX).name(), None);
    }
}
