//! `{arch}.attention.*`: heads, head sizes, windows, norms and the compressed and sparse variants.

use super::*;

pub(super) const KEYS: &[KeyInfo] = &[
    KeyInfo::new(
        "{arch}.attention.head_count",
        U32_OR_INTS,
        "Number of query heads, for all layers or per layer; 0 marks a layer without attention.",
        "查询头的数量，可统一或逐层给出；0 表示该层没有注意力。",
    )
    .unit(HEADS),
    KeyInfo::new(
        "{arch}.attention.head_count_kv",
        U32_OR_INTS,
        "Number of key and value heads; fewer than query heads means grouped-query attention and a \
         smaller cache. Absent: as many as query heads.",
        "键和值的头数；少于查询头即分组查询注意力，缓存更小。缺省与查询头相同。",
    )
    .unit(HEADS),
    KeyInfo::new(
        "{arch}.attention.max_alibi_bias",
        F32,
        "Largest ALiBi bias, for models that mark distance by a penalty instead of rotation.",
        "ALiBi 的最大偏置；这类模型用距离惩罚代替旋转位置编码。",
    ),
    KeyInfo::new(
        "{arch}.attention.clamp_kqv",
        F32,
        "Queries, keys and values are clamped to plus or minus this.",
        "查询、键、值被限制在正负该值之内。",
    ),
    KeyInfo::new(
        "{arch}.attention.key_length",
        U32,
        "Size of a query or key head; absent: embedding length divided by heads.",
        "查询头或键头的维数；缺省为嵌入维数除以头数。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.attention.value_length",
        U32,
        "Size of a value head; absent: embedding length divided by heads.",
        "值头的维数；缺省为嵌入维数除以头数。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.attention.key_length_mla",
        U32,
        "Multi-head latent attention: real size of a key head after decompression; key_length is then \
         that of the compressed cache.",
        "多头潜在注意力（MLA）：解压后键头的真实维数；此时 key_length 是压缩缓存的维数。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.attention.value_length_mla",
        U32,
        "Multi-head latent attention: real size of a value head after decompression.",
        "多头潜在注意力（MLA）：解压后值头的真实维数。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.attention.key_length_swa",
        U32,
        "Size of a key head in the sliding-window layers, where it differs.",
        "滑动窗口层的键头维数（与其他层不同时）。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.attention.value_length_swa",
        U32,
        "Size of a value head in the sliding-window layers, where it differs.",
        "滑动窗口层的值头维数（与其他层不同时）。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.attention.key_length_mla_swa",
        U32,
        "Decompressed key head size in sliding-window layers that also compress (MLA).",
        "同时使用 MLA 的滑动窗口层解压后的键头维数。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.attention.value_length_mla_swa",
        U32,
        "Decompressed value head size in sliding-window layers that also compress (MLA).",
        "同时使用 MLA 的滑动窗口层解压后的值头维数。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.attention.kv_lora_rank_swa",
        U32,
        "Size of the compressed key-value state in the sliding-window layers.",
        "滑动窗口层中压缩后键值状态的维数。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.attention.layer_norm_epsilon",
        F32,
        "Small number that keeps layer normalization from dividing by zero.",
        "层归一化中防止除以零的小量。",
    ),
    KeyInfo::new(
        "{arch}.attention.layer_norm_rms_epsilon",
        F32,
        "Small number that keeps RMS normalization from dividing by zero.",
        "RMS 归一化中防止除以零的小量。",
    ),
    KeyInfo::new(
        "{arch}.attention.group_norm_epsilon",
        F32,
        "Small number that keeps group normalization from dividing by zero.",
        "组归一化中防止除以零的小量。",
    ),
    KeyInfo::new(
        "{arch}.attention.group_norm_groups",
        U32,
        "Number of groups that group normalization splits the channels into.",
        "组归一化划分通道的组数。",
    ),
    KeyInfo::new(
        "{arch}.attention.causal",
        BOOL,
        "Whether a token sees only earlier ones; false for encoders such as BERT.",
        "词元是否只能看到之前的词元；BERT 等编码器为 false。",
    ),
    KeyInfo::new(
        "{arch}.attention.q_lora_rank",
        U32,
        "Size of the bottleneck through which queries are computed (MLA).",
        "计算查询所经低秩瓶颈的维数（MLA）。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.attention.kv_lora_rank",
        U32,
        "Size of the compressed state that keys and values are restored from, which is what the cache \
         holds (MLA).",
        "还原键和值的压缩状态维数，缓存中存放的就是它（MLA）。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.attention.decay_lora_rank",
        U32,
        "RWKV-7: size of the bottleneck that computes how fast the state decays.",
        "RWKV-7：计算状态衰减速度所经瓶颈的维数。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.attention.iclr_lora_rank",
        U32,
        "RWKV-7: size of the bottleneck for the in-context learning rate.",
        "RWKV-7：计算上下文内学习率所经瓶颈的维数。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.attention.value_residual_mix_lora_rank",
        U32,
        "RWKV-7: size of the bottleneck that mixes in the first layer's values.",
        "RWKV-7：混入首层值所经瓶颈的维数。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.attention.gate_lora_rank",
        U32,
        "RWKV-7: size of the bottleneck of the output gate.",
        "RWKV-7：输出门所经瓶颈的维数。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.attention.relative_buckets_count",
        U32,
        "T5: number of distance classes that relative position biases exist for.",
        "T5：相对位置偏置的距离分桶数。",
    ),
    KeyInfo::new(
        "{arch}.attention.sliding_window",
        U32,
        "How far back a windowed layer looks; 0 means no window.",
        "滑动窗口层向前回看的范围；0 表示不使用窗口。",
    )
    .unit(TOKENS),
    KeyInfo::new(
        "{arch}.attention.sliding_window_pattern",
        &[
            Array(ValueType::BOOL),
            Scalar(ValueType::UINT32),
            Array(ValueType::UINT32),
            Array(ValueType::INT32),
        ],
        "Which layers are windowed: a flag per layer, or a number n when every n-th layer sees everything.",
        "哪些层使用窗口：逐层给出标志；或给出 n，表示每 n 层有一层看全部内容。",
    ),
    KeyInfo::new(
        "{arch}.attention.recurrent_layers",
        BOOLS,
        "Hybrid models: a flag per layer, true where a recurrent block stands in for attention.",
        "混合模型：逐层标志，true 表示该层用循环块代替注意力。",
    ),
    KeyInfo::new(
        "{arch}.attention.rope_pattern",
        BOOLS,
        "A flag per layer, true where positions are rotated in; the other layers have no position encoding.",
        "逐层标志，true 表示该层使用旋转位置编码；其余层不带位置编码。",
    ),
    KeyInfo::new(
        "{arch}.attention.scale",
        F32,
        "Factor on the attention scores in place of one over the root of the head size.",
        "注意力分数的系数，代替头维数平方根的倒数。",
    ),
    KeyInfo::new(
        "{arch}.attention.output_scale",
        F32,
        "Grok: factor on the scores before they are soft-capped.",
        "Grok：分数在软截断之前的系数。",
    ),
    KeyInfo::new(
        "{arch}.attention.value_scale",
        F32,
        "Factor on what attention returns (or folded into the values).",
        "注意力结果的系数（也可并入值中）。",
    ),
    KeyInfo::new(
        "{arch}.attention.temperature_length",
        U32,
        "Position beyond which the attention is sharpened step by step for long texts.",
        "超过该位置后，为长文本逐步锐化注意力。",
    )
    .unit(TOKENS),
    KeyInfo::new(
        "{arch}.attention.temperature_scale",
        F32,
        "How strongly attention is sharpened with the logarithm of the position (Llama 4, Mistral).",
        "注意力随位置对数锐化的强度（Llama 4、Mistral）。",
    ),
    KeyInfo::new(
        "{arch}.attention.shared_kv_layers",
        U32,
        "Number of last layers that have no keys and values of their own and reuse an earlier layer's \
         (Gemma 3n, Gemma 4).",
        "末尾若干层没有自己的键值，复用较早层的键值（Gemma 3n、Gemma 4）。",
    )
    .unit(LAYERS),
    KeyInfo::new(
        "{arch}.attention.output_group_count",
        U32,
        "DeepSeek-V4: number of groups that the output projection is split into.",
        "DeepSeek-V4：输出投影拆分成的组数。",
    ),
    KeyInfo::new(
        "{arch}.attention.output_lora_rank",
        U32,
        "DeepSeek-V4: size of the bottleneck in the output projection.",
        "DeepSeek-V4：输出投影所经瓶颈的维数。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.attention.compress_ratios",
        INTS,
        "Per layer, how many tokens are pooled into one cache entry; 0 means none are.",
        "逐层给出多少个词元合并为一个缓存项；0 表示不合并。",
    ),
    KeyInfo::new(
        "{arch}.attention.compress_rope_freq_base",
        F32,
        "Base of the rotation frequencies for pooled cache entries.",
        "合并后缓存项使用的旋转频率底数。",
    ),
    KeyInfo::new(
        "{arch}.attention.indexer.head_count",
        U32,
        "Sparse attention: heads of the small indexer that picks which tokens to attend to.",
        "稀疏注意力：索引器（挑选要关注的词元）的头数。",
    )
    .unit(HEADS),
    KeyInfo::new(
        "{arch}.attention.indexer.key_length",
        U32,
        "Sparse attention: size of an indexer head.",
        "稀疏注意力：索引器每个头的维数。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.attention.indexer.top_k",
        U32,
        "Sparse attention: how many tokens the indexer lets through; block-wise indexers (MiniMax) count \
         blocks.",
        "稀疏注意力：索引器放行的词元数；按块索引的模型（MiniMax）以块计。",
    ),
    KeyInfo::new(
        "{arch}.attention.indexer.block_size",
        U32,
        "Block-sparse attention: tokens per block that is picked or dropped as a whole.",
        "块稀疏注意力：整体取舍的每块词元数。",
    )
    .unit(TOKENS),
    KeyInfo::new(
        "{arch}.attention.indexer.local_blocks",
        U32,
        "Block-sparse attention: how many nearest blocks are always kept.",
        "块稀疏注意力：始终保留的最近块数。",
    ),
    KeyInfo::new(
        "{arch}.attention.indexer.types",
        BOOLS,
        "A flag per layer, true where the layer has an indexer of its own; others reuse the last one's \
         choice.",
        "逐层标志，true 表示该层有自己的索引器；其余层沿用上一个索引器的选择。",
    ),
    KeyInfo::new(
        "{arch}.attention.indexer.kpool",
        U32,
        "How many neighbouring keys the indexer pools into one before scoring.",
        "索引器打分前把多少个相邻的键合并为一个。",
    )
    .unit(TOKENS),
    KeyInfo::new(
        "{arch}.attention.indexer.kpool_select_tail",
        BOOL,
        "Whether the newest tokens that do not fill a pool yet are always attended to.",
        "尚未凑满一组的最新词元是否始终被关注。",
    ),
];
