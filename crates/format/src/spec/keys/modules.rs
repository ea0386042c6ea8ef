//! `{arch}.<module>.*`: state-space and other recurrent blocks, and parts that single families have.

use super::*;

pub(super) const KEYS: &[KeyInfo] = &[
    KeyInfo::new(
        "{arch}.ssm.conv_kernel",
        U32,
        "State-space models: width of the short convolution, the number of recent tokens mixed before the \
         state.",
        "状态空间模型：短卷积的宽度，即进入状态前混合的最近词元数。",
    )
    .unit(TOKENS),
    KeyInfo::new(
        "{arch}.ssm.inner_size",
        U32,
        "State-space models: width of the block's inner stream.",
        "状态空间模型：块内部通路的宽度。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.ssm.state_size",
        U32,
        "State-space models: size of the recurrent state per channel; it replaces a cache that grows.",
        "状态空间模型：每个通道循环状态的大小；它代替了不断增长的缓存。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.ssm.time_step_rank",
        U32,
        "State-space models: rank of the step-size projection (Mamba) or number of heads (Mamba-2).",
        "状态空间模型：步长投影的秩（Mamba）或头数（Mamba-2）。",
    ),
    KeyInfo::new(
        "{arch}.ssm.group_count",
        U32,
        "Mamba-2: number of groups of heads that share their input and output projections of the state.",
        "Mamba-2：共享状态输入输出投影的头组数。",
    ),
    KeyInfo::new(
        "{arch}.ssm.dt_b_c_rms",
        BOOL,
        "FalconMamba: whether step size, B and C are normalized first.",
        "FalconMamba：步长、B、C 是否先做归一化。",
    ),
    KeyInfo::new("{arch}.wkv.head_size", U32, "RWKV: size of a head.", "RWKV：每个头的维数。").unit(DIMS),
    KeyInfo::new(
        "{arch}.kda.head_dim",
        U32,
        "Kimi delta attention: size of a head.",
        "Kimi 增量注意力（KDA）：每个头的维数。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.kda.safe_gate",
        BOOL,
        "Kimi delta attention: whether the decay gate is bounded from below.",
        "Kimi 增量注意力：衰减门是否有下界。",
    ),
    KeyInfo::new(
        "{arch}.kda.gate_lower_bound",
        F32,
        "Kimi delta attention: the decay gate's lower bound.",
        "Kimi 增量注意力：衰减门的下界。",
    ),
    KeyInfo::new(
        "{arch}.shortconv.l_cache",
        U32,
        "LFM2: width of the short convolution, whose last inputs are cached.",
        "LFM2：短卷积的宽度，其最近输入被缓存。",
    )
    .unit(TOKENS),
    KeyInfo::new(
        "{arch}.posnet.embedding_length",
        U32,
        "WavTokenizer: width of the network before the decoder.",
        "WavTokenizer：解码器之前网络的宽度。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.posnet.block_count",
        U32,
        "WavTokenizer: number of blocks of the network before the decoder.",
        "WavTokenizer：解码器之前网络的块数。",
    )
    .unit(LAYERS),
    KeyInfo::new(
        "{arch}.convnext.embedding_length",
        U32,
        "WavTokenizer: width of the ConvNeXt decoder.",
        "WavTokenizer：ConvNeXt 解码器的宽度。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.convnext.block_count",
        U32,
        "WavTokenizer: number of blocks of the ConvNeXt decoder.",
        "WavTokenizer：ConvNeXt 解码器的块数。",
    )
    .unit(LAYERS),
    KeyInfo::new(
        "{arch}.classifier.output_labels",
        STRS,
        "Names of a classifier's outputs; their number is the number of outputs.",
        "分类器各输出的名称；名称数即输出数。",
    ),
    KeyInfo::new(
        "{arch}.classifier.pooling_type",
        U32,
        "How token vectors become one vector before the classifier head.",
        "进入分类头之前如何把各词元向量合成一个。",
    )
    .values(super::model::POOLING_TYPES),
    KeyInfo::new(
        "{arch}.hyper_connection.count",
        U32,
        "Number of parallel residual streams that layers read from and write to (hyper-connections).",
        "各层读写的并行残差流数量（超连接）。",
    ),
    KeyInfo::new(
        "{arch}.hyper_connection.sinkhorn_iterations",
        U32,
        "Rounds of normalization that make the mixing matrix between streams doubly stochastic.",
        "使残差流混合矩阵成为双随机矩阵的归一化轮数。",
    ),
    KeyInfo::new(
        "{arch}.hyper_connection.epsilon",
        F32,
        "Small number that keeps the mixing weights' normalization from dividing by zero.",
        "混合权重归一化中防止除以零的小量。",
    ),
    KeyInfo::new(
        "{arch}.hyper_connection.magnitude",
        F32,
        "Factor on the gate that writes a layer's output back to the streams.",
        "把层输出写回残差流的门的系数。",
    ),
    KeyInfo::new(
        "{arch}.hyper_connection.low_rank",
        U32,
        "Size of the bottleneck that computes the mixing weights; absent: none.",
        "计算混合权重所经瓶颈的维数；缺省表示没有瓶颈。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.ple.layers",
        INTS,
        "Layers, counted from 0, that look up embeddings of the last few tokens (n-grams) in a hashed table.",
        "在哈希表中查找最近几个词元（n-gram）嵌入的层，从 0 计。",
    ),
    KeyInfo::new(
        "{arch}.ple.ngram_size",
        U32,
        "Longest run of tokens that is looked up.",
        "所查 n-gram 的最大长度。",
    )
    .unit(TOKENS),
    KeyInfo::new(
        "{arch}.ple.heads_per_ngram",
        U32,
        "Number of hash functions, and so table rows, for each n-gram length.",
        "每种 n-gram 长度的哈希函数数，即所取的表行数。",
    ),
    KeyInfo::new(
        "{arch}.ple.conv_kernel",
        U32,
        "Width of the convolution over the looked-up embeddings.",
        "对查得的嵌入做卷积的宽度。",
    )
    .unit(TOKENS),
    KeyInfo::new(
        "{arch}.ple.layer_multipliers",
        U64S,
        "Multipliers of the n-gram hash, one per position; they exceed 32 bits.",
        "n-gram 哈希的乘数，每个位置一个；超出 32 位。",
    ),
    KeyInfo::new(
        "{arch}.ple.head_offsets",
        U64S,
        "First row of each hash function's part of the table.",
        "每个哈希函数在表中所占部分的起始行。",
    ),
    KeyInfo::new(
        "{arch}.ple.head_vocab_sizes",
        U64S,
        "Number of rows of each hash function's part of the table; the hash is taken modulo it.",
        "每个哈希函数在表中所占的行数；哈希值对它取模。",
    ),
    KeyInfo::new(
        "{arch}.ple.eos_token_id",
        U32,
        "Token that cuts n-grams apart, so that none spans two texts.",
        "切断 n-gram 的词元，使其不跨越两段文本。",
    ),
    KeyInfo::new(
        "{arch}.ple.image_token_id",
        U32,
        "Token that stands at image positions when n-grams are hashed.",
        "计算 n-gram 哈希时图像位置所用的词元。",
    ),
    KeyInfo::new(
        "{arch}.hrm.layers_per_stack",
        U32,
        "HRM: number of layers in each of the two stacks, the slow and the fast one.",
        "HRM：慢、快两个层组各自的层数。",
    )
    .unit(LAYERS),
    KeyInfo::new(
        "{arch}.hrm.h_cycles",
        U32,
        "HRM: how often the slow stack runs.",
        "HRM：慢层组的运行次数。",
    ),
    KeyInfo::new(
        "{arch}.hrm.l_cycles",
        U32,
        "HRM: how often the fast stack runs for each run of the slow one.",
        "HRM：慢层组每运行一次，快层组运行的次数。",
    ),
    KeyInfo::new(
        "{arch}.hrm.prefix_lm",
        BOOL,
        "HRM: whether the tokens of the prompt see each other in both directions.",
        "HRM：提示中的词元是否可以双向互相看到。",
    ),
    KeyInfo::new(
        "{arch}.activation.situ_beta",
        F32,
        "Kimi K3's SiTU activation: where the gate branch saturates.",
        "Kimi K3 的 SiTU 激活函数：门控支路的饱和点。",
    ),
    KeyInfo::new(
        "{arch}.activation.situ_linear_beta",
        F32,
        "Kimi K3's SiTU activation: where the linear branch saturates; 0 means it does not.",
        "Kimi K3 的 SiTU 激活函数：线性支路的饱和点；0 表示不饱和。",
    ),
    KeyInfo::new(
        "{arch}.attn_res.block_size",
        U32,
        "Kimi K3: layers per group whose results later layers can attend to directly; 0 means none.",
        "Kimi K3：每组的层数，后面的层可直接关注各组结果；0 表示不使用。",
    )
    .unit(LAYERS),
    KeyInfo::new(
        "{arch}.adapters.count",
        U32,
        "Granite Switch: number of adapters built into the model.",
        "Granite Switch：内置适配器的数量。",
    ),
    KeyInfo::new(
        "{arch}.adapters.token_ids_activate",
        INTS,
        "Granite Switch: tokens that switch an adapter on, one per adapter.",
        "Granite Switch：启用适配器的词元，每个适配器一个。",
    ),
    KeyInfo::new(
        "{arch}.adapters.token_ids_substitute",
        INTS,
        "Granite Switch: tokens that the network sees in place of the switching ones.",
        "Granite Switch：网络实际看到的、替代切换词元的词元。",
    ),
    KeyInfo::new(
        "{arch}.adapters.lora_rank",
        U32,
        "Granite Switch: largest rank of the built-in adapters.",
        "Granite Switch：内置适配器的最大秩。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.adapters.router_gain",
        F32,
        "Granite Switch: sharpness of the attention head that finds the last switching token.",
        "Granite Switch：寻找最近切换词元的注意力头的锐度。",
    ),
];
