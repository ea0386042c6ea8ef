//! `{arch}.rope.*`: rotary position embedding and how it is stretched to longer contexts.

use super::*;

const SCALING: &[KeyValue] = &[
    string("none", "positions are used as they are", "位置不做缩放"),
    string("linear", "positions are divided by the factor", "位置除以缩放因子"),
    string("yarn", "YaRN: low frequencies are stretched, high ones kept", "YaRN：拉伸低频，保留高频"),
    string(
        "longrope",
        "LongRoPE: a factor for every frequency, stored as tensors",
        "LongRoPE：每个频率一个因子，存放在张量里",
    ),
];

pub(super) const KEYS: &[KeyInfo] = &[
    KeyInfo::new(
        "{arch}.rope.dimension_count",
        U32,
        "How many dimensions of a head are rotated by position; the rest carry no position.",
        "每个头中按位置旋转的维数；其余维度不带位置信息。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.rope.dimension_count_swa",
        U32,
        "Rotated dimensions in the sliding-window layers, where they differ.",
        "滑动窗口层中旋转的维数（与其他层不同时）。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.rope.dimension_sections",
        INTS,
        "How the rotated dimensions are shared among the axes of a position (time, height, width), for \
         images and video.",
        "旋转维度在位置各轴（时间、高、宽）之间的分配，用于图像和视频。",
    ),
    KeyInfo::new(
        "{arch}.rope.freq_base",
        F32,
        "Base of the rotation frequencies; larger values make positions far apart easier to tell.",
        "旋转频率的底数；越大越便于区分相距很远的位置。",
    ),
    KeyInfo::new(
        "{arch}.rope.freq_base_swa",
        F32,
        "Base of the rotation frequencies in the sliding-window layers.",
        "滑动窗口层的旋转频率底数。",
    ),
    KeyInfo::new(
        "{arch}.rope.scale_linear",
        F32,
        "Linear stretch of positions; older than the scaling keys.",
        "位置的线性拉伸倍数；早于 scaling 系列键。",
    )
    .instead("{arch}.rope.scaling.factor"),
    KeyInfo::new(
        "{arch}.rope.scaling.type",
        STR,
        "Method by which the context was stretched beyond the length of the first training.",
        "把上下文扩展到初始训练长度之外所用的方法。",
    )
    .values(SCALING),
    KeyInfo::new(
        "{arch}.rope.scaling.factor",
        F32,
        "By how much the context was stretched.",
        "上下文扩展的倍数。",
    ),
    KeyInfo::new(
        "{arch}.rope.scaling.alpha",
        F32,
        "NTK-aware alpha: the frequency base is enlarged by a power of it.",
        "NTK 感知缩放的 alpha：按其幂次放大频率底数。",
    ),
    KeyInfo::new(
        "{arch}.rope.scaling.attn_factor",
        F32,
        "Factor on the attention scores that makes up for the stretching.",
        "补偿扩展影响的注意力分数系数。",
    ),
    KeyInfo::new(
        "{arch}.rope.scaling.original_context_length",
        U32,
        "Context length before stretching; YaRN and LongRoPE compute from it.",
        "扩展之前的上下文长度；YaRN 和 LongRoPE 以它为依据。",
    )
    .unit(TOKENS),
    KeyInfo::new(
        "{arch}.rope.scaling.finetuned",
        BOOL,
        "Whether the model was trained further after the stretching.",
        "扩展之后是否继续训练过。",
    ),
    KeyInfo::new(
        "{arch}.rope.scaling.yarn_log_multiplier",
        F32,
        "YaRN: how the attention factor grows with the logarithm of the stretch (DeepSeek's mscale).",
        "YaRN：注意力系数随扩展倍数对数增长的比例（DeepSeek 的 mscale）。",
    ),
    KeyInfo::new(
        "{arch}.rope.scaling.yarn_ext_factor",
        F32,
        "YaRN: share of extrapolation against interpolation.",
        "YaRN：外推相对于内插的比重。",
    ),
    KeyInfo::new(
        "{arch}.rope.scaling.yarn_attn_factor",
        F32,
        "YaRN: factor on the attention scores.",
        "YaRN：注意力分数的系数。",
    ),
    KeyInfo::new(
        "{arch}.rope.scaling.yarn_beta_fast",
        F32,
        "YaRN: dimensions that turn more often than this within the original context are kept.",
        "YaRN：在原上下文内转动圈数多于该值的维度保持不变。",
    ),
    KeyInfo::new(
        "{arch}.rope.scaling.yarn_beta_slow",
        F32,
        "YaRN: dimensions that turn less often than this within the original context are stretched fully.",
        "YaRN：在原上下文内转动圈数少于该值的维度完全拉伸。",
    ),
];
