//! `{arch}.*` without a sub-namespace: the sizes of the network, experts, scales, and switches of single
//! families.

use super::*;

/// Shared with `{arch}.classifier.pooling_type`.
pub(super) const POOLING_TYPES: &[KeyValue] = &[
    int(0, "NONE", "an embedding for every token", "每个词元各有一个嵌入"),
    int(1, "MEAN", "the average over all tokens", "所有词元的平均"),
    int(2, "CLS", "the first token's embedding", "取第一个词元的嵌入"),
    int(3, "LAST", "the last token's embedding", "取最后一个词元的嵌入"),
    int(
        4,
        "RANK",
        "a relevance score from a classifier head (rerankers)",
        "由分类头给出的相关性得分（重排序模型）",
    ),
];

const GATING: &[KeyValue] = &[
    int(0, "NONE", "not stated; the architecture's default applies", "未说明，采用架构默认值"),
    int(1, "SOFTMAX", "softmax over all experts", "对所有专家做 softmax"),
    int(2, "SIGMOID", "sigmoid for each expert alone", "对每个专家单独做 sigmoid"),
    int(3, "SOFTMAX_WEIGHT", "softmax over the chosen experts' weights only", "只对选中专家的权重做 softmax"),
    int(
        4,
        "SQRT_SOFTPLUS",
        "square root of softplus for each expert alone",
        "对每个专家单独做 softplus 再开平方",
    ),
];

const ACTIVATIONS: &[KeyValue] = &[
    string("gelu", "GELU, gated", "GELU（带门控）"),
    string("geglu", "GELU, gated", "GELU（带门控）"),
    string("silu", "SiLU, gated", "SiLU（带门控）"),
    string("swish", "another name for silu", "silu 的另一名称"),
    string("swiglu", "SiLU, gated", "SiLU（带门控）"),
    string("relu", "ReLU", "ReLU"),
    string("reglu", "ReLU, gated", "ReLU（带门控）"),
];

pub(super) const KEYS: &[KeyInfo] = &[
    KeyInfo::new(
        "{arch}.context_length",
        U32,
        "Length of text that the model was trained for; prompt and answer together should stay below it.",
        "模型训练时的上下文长度；提示与回答合计不宜超过它。",
    )
    .unit(TOKENS),
    KeyInfo::new(
        "{arch}.embedding_length",
        U32,
        "Size of the vector that represents a token between layers (hidden size).",
        "层间表示一个词元的向量维数（隐藏层大小）。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.embedding_length_out",
        U32,
        "Size of the output vector, where it differs from the hidden size.",
        "输出向量的维数（与隐藏层大小不同时）。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.embedding_length_per_layer_input",
        U32,
        "Size of the extra embedding that every layer receives for each token (Gemma 3n, Gemma 4).",
        "每层为每个词元额外输入的嵌入维数（Gemma 3n、Gemma 4）。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.features_length",
        U32,
        "Size of the acoustic features that go into the decoder (WavTokenizer).",
        "输入解码器的声学特征维数（WavTokenizer）。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.block_count",
        U32,
        "Number of layers (transformer blocks); their tensors are named blk.0 and so on.",
        "层数（Transformer 块数）；各层张量名为 blk.0 等。",
    )
    .unit(LAYERS),
    KeyInfo::new(
        "{arch}.leading_dense_block_count",
        U32,
        "Number of first layers that have an ordinary feed-forward network instead of experts.",
        "开头若干层使用普通前馈网络而非专家。",
    )
    .unit(LAYERS),
    KeyInfo::new(
        "{arch}.vocab_size",
        U32,
        "Number of tokens in the vocabulary, the rows of the embedding tensor.",
        "词表中的词元数，即嵌入张量的行数。",
    )
    .unit(TOKENS),
    KeyInfo::new(
        "{arch}.feed_forward_length",
        U32_OR_INTS,
        "Inner size of the feed-forward network, for all layers or per layer.",
        "前馈网络的内部维数，可统一或逐层给出。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.expert_feed_forward_length",
        U32_OR_INTS,
        "Inner size of one expert, for all layers or per layer.",
        "单个专家的内部维数，可统一或逐层给出。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.expert_shared_feed_forward_length",
        U32,
        "Inner size of the shared expert that every token passes through.",
        "每个词元都经过的共享专家的内部维数。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.expert_chunk_feed_forward_length",
        U32,
        "Inner size of the small experts that a group of experts has in common (GroveMoE).",
        "一组专家共用的小专家的内部维数（GroveMoE）。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.expert_count",
        U32,
        "Number of experts per layer; the file holds all of them.",
        "每层的专家数；文件包含全部专家。",
    )
    .unit(EXPERTS),
    KeyInfo::new(
        "{arch}.expert_used_count",
        U32_OR_INTS,
        "Number of experts that work on one token; it sets the speed, expert_count the size.",
        "处理一个词元时启用的专家数；它决定速度，expert_count 决定大小。",
    )
    .unit(EXPERTS),
    KeyInfo::new(
        "{arch}.expert_shared_count",
        U32,
        "Number of shared experts that every token passes through.",
        "每个词元都经过的共享专家数。",
    )
    .unit(EXPERTS),
    KeyInfo::new(
        "{arch}.expert_group_count",
        U32,
        "Number of groups that the experts are divided into for routing.",
        "路由时专家划分成的组数。",
    ),
    KeyInfo::new(
        "{arch}.expert_group_used_count",
        U32,
        "Number of groups that experts are chosen from for one token.",
        "为一个词元选择专家时所用的组数。",
    ),
    KeyInfo::new(
        "{arch}.expert_weights_scale",
        F32,
        "Factor on the experts' weights after routing.",
        "路由后专家权重的系数。",
    ),
    KeyInfo::new(
        "{arch}.expert_weights_norm",
        BOOL,
        "Whether the chosen experts' weights are scaled to add up to one.",
        "选中专家的权重是否归一化为总和 1。",
    ),
    KeyInfo::new(
        "{arch}.expert_gating_func",
        U32,
        "How the router's scores become weights.",
        "路由得分转换为权重的方式。",
    )
    .values(GATING),
    KeyInfo::new(
        "{arch}.expert_group_scale",
        F32,
        "Factor on the output of the experts that a group has in common (GroveMoE).",
        "组内共用专家输出的系数（GroveMoE）。",
    ),
    KeyInfo::new(
        "{arch}.experts_per_group",
        U32,
        "Number of experts in a group that has a common small expert (GroveMoE).",
        "共用一个小专家的每组专家数（GroveMoE）。",
    )
    .unit(EXPERTS),
    KeyInfo::new(
        "{arch}.expert_latent_length",
        U32,
        "Size to which the hidden state is reduced before it enters the experts (Kimi K3).",
        "隐藏状态进入专家之前压缩到的维数（Kimi K3）。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.moe_latent_size",
        U32,
        "Size to which the hidden state is reduced before it enters the experts (Nemotron-H).",
        "隐藏状态进入专家之前压缩到的维数（Nemotron-H）。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.moe_every_n_layers",
        U32,
        "Every n-th layer has experts, the others an ordinary feed-forward network (Nomic).",
        "每 n 层有一层使用专家，其余为普通前馈网络（Nomic）。",
    )
    .unit(LAYERS),
    KeyInfo::new(
        "{arch}.interleave_moe_layer_step",
        U32,
        "Distance between layers with experts (Llama 4, ERNIE); 1 means every layer.",
        "专家层之间的间隔（Llama 4、ERNIE）；1 表示每层都是。",
    )
    .unit(LAYERS),
    KeyInfo::new(
        "{arch}.hash_layer_count",
        U32,
        "Number of first layers whose experts are chosen by a fixed table of token numbers instead of a \
         router (DeepSeek-V4).",
        "开头若干层按词元编号查固定表选择专家，而非使用路由器（DeepSeek-V4）。",
    )
    .unit(LAYERS),
    KeyInfo::new(
        "{arch}.nextn_predict_layers",
        U32,
        "Number of extra layers at the end that predict further tokens (multi-token prediction); \
         block_count includes them.",
        "末尾用于多词元预测（MTP）的额外层数；block_count 已包含它们。",
    )
    .unit(LAYERS),
    KeyInfo::new(
        "{arch}.n_deepstack_layers",
        U32,
        "Number of first layers that image features are added to again (Qwen3-VL DeepStack).",
        "再次注入图像特征的开头层数（Qwen3-VL 的 DeepStack）。",
    )
    .unit(LAYERS),
    KeyInfo::new(
        "{arch}.deepstack_mapping",
        INTS,
        "Per layer, which set of image features is added there; -1 for none (Granite Vision).",
        "逐层给出注入哪一组图像特征；-1 表示不注入（Granite Vision）。",
    ),
    KeyInfo::new(
        "{arch}.pooling_type",
        U32,
        "How the token vectors of an embedding model become one vector.",
        "嵌入模型如何把各词元的向量合成一个。",
    )
    .values(POOLING_TYPES),
    KeyInfo::new(
        "{arch}.logit_scale",
        F32,
        "Factor on the final scores of the tokens.",
        "词元最终得分的系数。",
    ),
    KeyInfo::new(
        "{arch}.attn_logit_softcapping",
        F32,
        "Attention scores are squeezed smoothly into plus or minus this (Gemma 2, Grok).",
        "注意力分数被平滑压缩到正负该值之内（Gemma 2、Grok）。",
    ),
    KeyInfo::new(
        "{arch}.router_logit_softcapping",
        F32,
        "Router scores are squeezed smoothly into plus or minus this (Grok).",
        "路由得分被平滑压缩到正负该值之内（Grok）。",
    ),
    KeyInfo::new(
        "{arch}.final_logit_softcapping",
        F32,
        "Final scores are squeezed smoothly into plus or minus this (Gemma).",
        "最终得分被平滑压缩到正负该值之内（Gemma）。",
    ),
    KeyInfo::new(
        "{arch}.decoder_start_token_id",
        U32,
        "Token that an encoder-decoder model's answer begins with (T5).",
        "编码器-解码器模型生成时的起始词元（T5）。",
    ),
    KeyInfo::new(
        "{arch}.decoder_block_count",
        U32,
        "Number of decoder layers, where it differs from the encoder's (T5).",
        "解码器层数（与编码器不同时，T5）。",
    )
    .unit(LAYERS),
    KeyInfo::new(
        "{arch}.use_parallel_residual",
        BOOL,
        "Whether attention and feed-forward both work on the layer's input instead of one after the other \
         (GPT-NeoX, Falcon).",
        "注意力与前馈是否并行作用于层输入，而非先后进行（GPT-NeoX、Falcon）。",
    ),
    KeyInfo::new(
        "{arch}.tensor_data_layout",
        STR,
        "Note on how query and key rows were rearranged at conversion, such as Meta AI original pth.",
        "说明转换时查询和键的行如何重排，例如 Meta AI original pth。",
    ),
    KeyInfo::new(
        "{arch}.swin_norm",
        BOOL,
        "Whether normalization comes after attention and feed-forward instead of before (Chameleon).",
        "归一化是否放在注意力和前馈之后而非之前（Chameleon）。",
    ),
    KeyInfo::new(
        "{arch}.residual_scale",
        F32,
        "Factor on what each layer adds to the hidden state (Granite, MiniCPM).",
        "每层加到隐藏状态上的增量系数（Granite、MiniCPM）。",
    ),
    KeyInfo::new(
        "{arch}.embedding_scale",
        F32,
        "Factor on the token embeddings before the first layer.",
        "进入第一层之前词元嵌入的系数。",
    ),
    KeyInfo::new(
        "{arch}.hidden_activation",
        STR,
        "Activation function of the feed-forward network.",
        "前馈网络的激活函数。",
    )
    .values(ACTIVATIONS),
    KeyInfo::new(
        "{arch}.swiglu_clamp_exp",
        F32S,
        "Per layer, bound that the experts' activations are clamped to; 0 means none.",
        "逐层给出专家激活值的截断界限；0 表示不截断。",
    ),
    KeyInfo::new(
        "{arch}.swiglu_clamp_shexp",
        F32S,
        "Per layer, bound that the shared expert's activations are clamped to; 0 means none.",
        "逐层给出共享专家激活值的截断界限；0 表示不截断。",
    ),
    KeyInfo::new(
        "{arch}.activation_sparsity_scale",
        F32S,
        "Per layer, how many standard deviations above the mean an activation must be to survive (Gemma 3n).",
        "逐层给出激活值须高出均值多少个标准差才保留（Gemma 3n）。",
    ),
    KeyInfo::new(
        "{arch}.full_attention_interval",
        U32,
        "Hybrid models: every n-th layer has full attention, the others a recurrent block (Qwen3-Next).",
        "混合模型：每 n 层有一层使用完整注意力，其余为循环块（Qwen3-Next）。",
    )
    .unit(LAYERS),
    KeyInfo::new(
        "{arch}.rescale_every_n_layers",
        U32,
        "RWKV: every n layers the hidden state is halved so that 16-bit floats do not overflow.",
        "RWKV：每 n 层把隐藏状态减半，避免 16 位浮点溢出。",
    )
    .unit(LAYERS),
    KeyInfo::new(
        "{arch}.time_mix_extra_dim",
        U32,
        "RWKV-6: size of the bottleneck that decides how a token is mixed with the one before.",
        "RWKV-6：决定词元与前一词元混合比例的瓶颈维数。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.time_decay_extra_dim",
        U32,
        "RWKV-6: size of the bottleneck that decides how fast the state fades.",
        "RWKV-6：决定状态衰减速度的瓶颈维数。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.token_shift_count",
        U32,
        "RWKV: how many previous-token states a layer keeps (one for each part that mixes with the token \
         before).",
        "RWKV：每层保存多少份前一词元的状态（每个与前一词元混合的部分一份）。",
    ),
    KeyInfo::new(
        "{arch}.num_loops",
        U32,
        "How often the stack of layers is run through, with the same weights each time (Nanbeige).",
        "整组层以相同权重重复运行的次数（Nanbeige）。",
    ),
    KeyInfo::new(
        "{arch}.skip_loop_final_norm",
        BOOL,
        "Whether the final normalization is left out between the runs of a looped stack (Nanbeige).",
        "循环各轮之间是否省略最终归一化（Nanbeige）。",
    ),
    KeyInfo::new(
        "{arch}.altup.active_idx",
        U32,
        "Gemma 3n AltUp: which of the parallel hidden states a layer computes in full.",
        "Gemma 3n 的 AltUp：并行隐藏状态中由该层完整计算的那一份。",
    ),
    KeyInfo::new(
        "{arch}.altup.num_inputs",
        U32,
        "Gemma 3n AltUp: number of parallel hidden states.",
        "Gemma 3n 的 AltUp：并行隐藏状态的份数。",
    ),
    KeyInfo::new(
        "{arch}.dense_2_feat_in",
        U32,
        "Input size of the first dense layer after pooling (sentence-transformers).",
        "池化后第一个全连接层的输入维数（sentence-transformers）。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.dense_2_feat_out",
        U32,
        "Output size of the first dense layer after pooling.",
        "池化后第一个全连接层的输出维数。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.dense_3_feat_in",
        U32,
        "Input size of the second dense layer after pooling.",
        "池化后第二个全连接层的输入维数。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.dense_3_feat_out",
        U32,
        "Output size of the second dense layer after pooling; the length of the embedding.",
        "池化后第二个全连接层的输出维数，即嵌入向量的长度。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.target_layers",
        INTS,
        "Draft models: layers of the target model whose hidden states the draft reads (EAGLE-3, DFlash).",
        "草稿模型：读取目标模型哪些层的隐藏状态（EAGLE-3、DFlash）。",
    ),
    KeyInfo::new(
        "{arch}.target_hidden_size",
        U32,
        "Draft models: hidden size of the target model.",
        "草稿模型：目标模型的隐藏层大小。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "{arch}.norm_before_residual",
        BOOL,
        "EAGLE-3: whether the residual is taken after the normalization instead of before.",
        "EAGLE-3：残差是否取自归一化之后而非之前。",
    ),
    KeyInfo::new(
        "{arch}.norm_before_fc",
        BOOL,
        "EAGLE-3: whether the target's features are normalized before they are projected.",
        "EAGLE-3：目标模型的特征在投影之前是否先归一化。",
    ),
    KeyInfo::new(
        "{arch}.block_size",
        U32,
        "DFlash: how many tokens are drafted at once.",
        "DFlash：一次起草的词元数。",
    )
    .unit(TOKENS),
    KeyInfo::new(
        "{arch}.conv_kernel_size",
        U32,
        "DFlash 2: width of the convolution over neighbouring draft positions.",
        "DFlash 2：对相邻草稿位置做卷积的宽度。",
    ),
    KeyInfo::new(
        "{arch}.conv_group_size",
        U32,
        "DFlash 2: channels that are convolved together.",
        "DFlash 2：一起卷积的通道数。",
    ),
    KeyInfo::new(
        "{arch}.selector_rank",
        U32,
        "DFlash 2: rank of the factors that score which token follows which.",
        "DFlash 2：为前后词元搭配打分的低秩因子的秩。",
    ),
    KeyInfo::new(
        "{arch}.selector_top_k",
        U32,
        "DFlash 2: candidates per position that the selector chooses among.",
        "DFlash 2：选择器在每个位置考虑的候选数。",
    ),
    KeyInfo::new(
        "{arch}.sample_from_anchor",
        BOOL,
        "DSpark draft: whether the first slot of a block, at the last accepted token, already drafts a \
         token.",
        "DSpark 草稿：块的首个位置（最后接受的词元处）是否就起草一个词元。",
    ),
    KeyInfo::new(
        "{arch}.has_confidence_head",
        BOOL,
        "DSpark draft: whether a head is present that says how far the draft can be trusted.",
        "DSpark 草稿：是否带有判断草稿可信程度的输出头。",
    ),
];
