//! `clip.*`: encoders for images and sound and the projector into a text model (mmproj files).

use super::*;

const MERGE: &[KeyValue] = &[
    string("flat", "tiles one after the other", "各图块依次拼接"),
    string(
        "spatial_unpad",
        "tiles put together as a picture, padding removed",
        "各图块按位置拼成整图并去掉填充",
    ),
];

const WINDOW_MODES: &[KeyValue] = &[
    int(-1, "full", "the layer sees everything", "该层看全部内容"),
    int(0, "window", "the layer sees a window (along rows, in images)", "该层只看窗口（图像中沿行）"),
    int(1, "columns", "the layer sees a window along columns", "该层只看沿列的窗口"),
];

pub(super) const KEYS: &[KeyInfo] = &[
    KeyInfo::new(
        "clip.projector_type",
        STR,
        "Which network carries the encoder's output into the text model; it decides the code path.",
        "把编码器输出送入文本模型的网络种类；它决定运行路径。",
    ),
    KeyInfo::new(
        "clip.has_vision_encoder",
        BOOL,
        "Whether the file holds an image encoder.",
        "文件是否包含图像编码器。",
    ),
    KeyInfo::new(
        "clip.has_audio_encoder",
        BOOL,
        "Whether the file holds a sound encoder.",
        "文件是否包含音频编码器。",
    ),
    KeyInfo::new(
        "clip.has_gen_audio_encoder",
        BOOL,
        "Whether the file holds the parts that produce sound.",
        "文件是否包含生成音频的部分。",
    ),
    KeyInfo::new(
        "clip.has_text_encoder",
        BOOL,
        "Whether the file holds CLIP's text encoder; old converters, no longer used.",
        "文件是否包含 CLIP 的文本编码器；旧转换器写入，已不再使用。",
    )
    .instead("clip.has_vision_encoder"),
    KeyInfo::new(
        "clip.has_llava_projector",
        BOOL,
        "Whether the file holds a LLaVA projector; old converters.",
        "文件是否包含 LLaVA 投影器；旧转换器写入。",
    )
    .instead("clip.projector_type"),
    KeyInfo::new(
        "clip.has_minicpmv_projector",
        BOOL,
        "Whether the file holds a MiniCPM-V projector; old converters.",
        "文件是否包含 MiniCPM-V 投影器；旧转换器写入。",
    )
    .instead("clip.projector_type"),
    KeyInfo::new(
        "clip.minicpmv_version",
        I32,
        "Generation of MiniCPM-V, which its preprocessing depends on.",
        "MiniCPM-V 的代次，预处理方式由它决定。",
    ),
    KeyInfo::new(
        "clip.minicpmv_query_num",
        U32,
        "MiniCPM-V: number of query vectors that sum up an image, its tokens in the text.",
        "MiniCPM-V：概括一幅图像的查询向量数，即图像在文本中占的词元数。",
    ),
    KeyInfo::new(
        "clip.use_gelu",
        BOOL,
        "Whether the encoder's activation function is GELU.",
        "编码器的激活函数是否为 GELU。",
    ),
    KeyInfo::new(
        "clip.use_silu",
        BOOL,
        "Whether the encoder's activation function is SiLU.",
        "编码器的激活函数是否为 SiLU。",
    ),
    KeyInfo::new(
        "clip.vision.projector_type",
        STR,
        "Kind of projector for images, in files that also handle sound.",
        "图像投影器的种类，用于同时处理音频的文件。",
    ),
    KeyInfo::new(
        "clip.vision.image_size",
        U32,
        "Side length of the square picture that the encoder was trained on.",
        "编码器训练所用方形图像的边长。",
    )
    .unit(PIXELS),
    KeyInfo::new(
        "clip.vision.patch_size",
        U32,
        "Side length of the squares that a picture is cut into; each becomes one vector.",
        "图像切分成的方块边长；每块对应一个向量。",
    )
    .unit(PIXELS),
    KeyInfo::new(
        "clip.vision.image_min_pixels",
        U32,
        "Smaller pictures are enlarged to at least this many pixels in all.",
        "过小的图像放大到总像素不少于该值。",
    )
    .unit(PIXELS),
    KeyInfo::new(
        "clip.vision.image_max_pixels",
        U32,
        "Larger pictures are reduced to at most this many pixels in all.",
        "过大的图像缩小到总像素不超过该值。",
    )
    .unit(PIXELS),
    KeyInfo::new(
        "clip.vision.preproc_min_tiles",
        U32,
        "Fewest tiles that a picture is cut into before encoding.",
        "编码前图像最少切成的图块数。",
    ),
    KeyInfo::new(
        "clip.vision.preproc_max_tiles",
        U32,
        "Most tiles that a picture is cut into before encoding.",
        "编码前图像最多切成的图块数。",
    ),
    KeyInfo::new(
        "clip.vision.preproc_image_size",
        U32,
        "Longest side that a picture is reduced to before it is cut into tiles.",
        "切块之前图像缩小到的最长边。",
    )
    .unit(PIXELS),
    KeyInfo::new(
        "clip.vision.image_mean",
        F32S,
        "Mean of the red, green and blue channels, subtracted before encoding.",
        "红、绿、蓝通道的均值，编码前减去。",
    ),
    KeyInfo::new(
        "clip.vision.image_std",
        F32S,
        "Standard deviation of the red, green and blue channels, divided by before encoding.",
        "红、绿、蓝通道的标准差，编码前除以它。",
    ),
    KeyInfo::new(
        "clip.vision.image_grid_pinpoints",
        INTS,
        "Sizes, as pairs of width and height, among which the best fit for a picture is chosen (LLaVA 1.6).",
        "候选尺寸（宽高成对），从中为图像选最合适的一个（LLaVA 1.6）。",
    )
    .unit(PIXELS),
    KeyInfo::new(
        "clip.vision.mm_patch_merge_type",
        STR,
        "How the vectors of several tiles are put together (LLaVA 1.6).",
        "多个图块的向量如何合并（LLaVA 1.6）。",
    )
    .values(MERGE),
    KeyInfo::new("clip.vision.embedding_length", U32, "Width of the image encoder.", "图像编码器的宽度。")
        .unit(DIMS),
    KeyInfo::new(
        "clip.vision.feed_forward_length",
        U32,
        "Inner size of the image encoder's feed-forward network.",
        "图像编码器前馈网络的内部维数。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "clip.vision.projection_dim",
        U32,
        "Size of the vectors that the image side hands to the text model.",
        "图像侧交给文本模型的向量维数。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "clip.vision.block_count",
        U32,
        "Number of layers of the image encoder.",
        "图像编码器的层数。",
    )
    .unit(LAYERS),
    KeyInfo::new(
        "clip.vision.attention.head_count",
        U32,
        "Number of attention heads of the image encoder.",
        "图像编码器的注意力头数。",
    )
    .unit(HEADS),
    KeyInfo::new(
        "clip.vision.attention.head_count_kv",
        U32,
        "Number of key and value heads of the image encoder, where they are fewer.",
        "图像编码器的键值头数（少于查询头时）。",
    )
    .unit(HEADS),
    KeyInfo::new(
        "clip.vision.attention.head_dim",
        U32,
        "Size of a head of the image encoder, where heads do not add up to its width.",
        "图像编码器每个头的维数（各头之和不等于宽度时）。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "clip.vision.attention.layer_norm_epsilon",
        F32,
        "Small number that keeps the image encoder's normalization from dividing by zero.",
        "图像编码器归一化中防止除以零的小量。",
    ),
    KeyInfo::new(
        "clip.vision.feature_layer",
        INTS,
        "Layers of the image encoder whose outputs are used, when it is not just the last.",
        "取用输出的图像编码器层（不只最后一层时）。",
    ),
    KeyInfo::new(
        "clip.vision.is_deepstack_layers",
        BOOLS,
        "A flag per layer of the image encoder, true where its output also goes into the text model's \
         first layers.",
        "图像编码器的逐层标志，true 表示其输出也送入文本模型的前几层。",
    ),
    KeyInfo::new(
        "clip.vision.spatial_merge_size",
        U32,
        "Side length of the square of patches that is merged into one token of the text model.",
        "合并为文本模型一个词元的图块方阵的边长。",
    ),
    KeyInfo::new(
        "clip.vision.swiglu_clamp",
        F32,
        "Bound that the image encoder's activations are clamped to.",
        "图像编码器激活值的截断界限。",
    ),
    KeyInfo::new(
        "clip.vision.expert_count_per_layer",
        INTS,
        "Number of experts in each layer of the image encoder; 0 for an ordinary layer.",
        "图像编码器各层的专家数；0 表示普通层。",
    )
    .unit(EXPERTS),
    KeyInfo::new(
        "clip.vision.expert_used_count",
        U32,
        "Number of experts of the image encoder that work on one patch.",
        "处理一个图块时启用的图像编码器专家数。",
    )
    .unit(EXPERTS),
    KeyInfo::new(
        "clip.vision.n_wa_pattern",
        U32,
        "Every n-th layer of the image encoder sees the whole picture, the others a window (Qwen2.5-VL).",
        "图像编码器每 n 层有一层看整幅图，其余只看窗口（Qwen2.5-VL）。",
    )
    .unit(LAYERS),
    KeyInfo::new(
        "clip.vision.wa_layer_indexes",
        INTS,
        "Layers of the image encoder that see the whole picture, when they follow no regular pattern.",
        "看整幅图的图像编码器层号（分布不规则时）。",
    ),
    KeyInfo::new(
        "clip.vision.wa_pattern_mode",
        INTS,
        "Per layer of the image encoder, what attention sees (MiMo-VL).",
        "图像编码器逐层的注意力范围（MiMo-VL）。",
    )
    .values(WINDOW_MODES),
    KeyInfo::new(
        "clip.vision.window_size",
        U32,
        "Size of the window that windowed layers of the image encoder see.",
        "图像编码器窗口层的窗口大小。",
    ),
    KeyInfo::new(
        "clip.vision.projector.scale_factor",
        U32,
        "By how much the projector reduces each side of the grid of vectors (pixel shuffle).",
        "投影器把向量网格每边缩小的倍数（像素重排）。",
    ),
    KeyInfo::new(
        "clip.vision.projector.query_side",
        U32,
        "Granite Vision: side length of the grid of queries that sums up a window.",
        "Granite Vision：概括一个窗口的查询网格边长。",
    ),
    KeyInfo::new(
        "clip.vision.projector.window_side",
        U32,
        "Granite Vision: side length of the window that the queries look at.",
        "Granite Vision：查询所看窗口的边长。",
    ),
    KeyInfo::new(
        "clip.vision.projector.spatial_offsets",
        INTS,
        "Granite Vision: where in a window each projector takes its samples from.",
        "Granite Vision：各投影器在窗口中的取样偏移。",
    ),
    KeyInfo::new(
        "clip.vision.sam.block_count",
        U32,
        "DeepSeek-OCR: number of layers of the SAM encoder before the CLIP one.",
        "DeepSeek-OCR：CLIP 之前的 SAM 编码器层数。",
    )
    .unit(LAYERS),
    KeyInfo::new(
        "clip.vision.sam.embedding_length",
        U32,
        "DeepSeek-OCR: width of the SAM encoder.",
        "DeepSeek-OCR：SAM 编码器的宽度。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "clip.vision.sam.head_count",
        U32,
        "DeepSeek-OCR: number of attention heads of the SAM encoder.",
        "DeepSeek-OCR：SAM 编码器的注意力头数。",
    )
    .unit(HEADS),
    KeyInfo::new(
        "clip.audio.projector_type",
        STR,
        "Kind of projector for sound, in files that also handle images.",
        "音频投影器的种类，用于同时处理图像的文件。",
    ),
    KeyInfo::new(
        "clip.audio.num_mel_bins",
        U32,
        "Number of mel frequency bands that sound is turned into before encoding.",
        "编码前音频转换成的梅尔频带数。",
    ),
    KeyInfo::new("clip.audio.embedding_length", U32, "Width of the sound encoder.", "音频编码器的宽度。")
        .unit(DIMS),
    KeyInfo::new(
        "clip.audio.feed_forward_length",
        U32,
        "Inner size of the sound encoder's feed-forward network.",
        "音频编码器前馈网络的内部维数。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "clip.audio.projection_dim",
        U32,
        "Size of the vectors that the sound side hands to the text model.",
        "音频侧交给文本模型的向量维数。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "clip.audio.block_count",
        U32,
        "Number of layers of the sound encoder.",
        "音频编码器的层数。",
    )
    .unit(LAYERS),
    KeyInfo::new(
        "clip.audio.attention.head_count",
        U32,
        "Number of attention heads of the sound encoder.",
        "音频编码器的注意力头数。",
    )
    .unit(HEADS),
    KeyInfo::new(
        "clip.audio.attention.head_count_kv",
        U32,
        "Number of key and value heads of the sound encoder, where they are fewer.",
        "音频编码器的键值头数（少于查询头时）。",
    )
    .unit(HEADS),
    KeyInfo::new(
        "clip.audio.attention.head_dim",
        U32,
        "Size of a head of the sound encoder, where heads do not add up to its width.",
        "音频编码器每个头的维数（各头之和不等于宽度时）。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "clip.audio.attention.layer_norm_epsilon",
        F32,
        "Small number that keeps the sound encoder's normalization from dividing by zero.",
        "音频编码器归一化中防止除以零的小量。",
    ),
    KeyInfo::new(
        "clip.audio.feature_layer",
        INTS,
        "Layers of the sound encoder whose outputs are used, when it is not just the last.",
        "取用输出的音频编码器层（不只最后一层时）。",
    ),
    KeyInfo::new(
        "clip.audio.subsampling_factor",
        U32,
        "By how much the encoder's first convolutions shorten the sequence of frames.",
        "编码器起始卷积把帧序列缩短的倍数。",
    ),
    KeyInfo::new(
        "clip.audio.chunk_size",
        U32,
        "Number of frames that attention looks at together.",
        "注意力一次处理的帧数。",
    ),
    KeyInfo::new(
        "clip.audio.conv_kernel_size",
        U32,
        "Width of the convolution in the sound encoder's layers (Conformer).",
        "音频编码器各层卷积的宽度（Conformer）。",
    ),
    KeyInfo::new(
        "clip.audio.max_pos_emb",
        U32,
        "Largest relative distance that has a position embedding of its own.",
        "拥有独立位置嵌入的最大相对距离。",
    ),
    KeyInfo::new(
        "clip.audio.wa_pattern_mode",
        INTS,
        "Per layer of the sound encoder, what attention sees (MiMo Audio).",
        "音频编码器逐层的注意力范围（MiMo Audio）。",
    )
    .values(WINDOW_MODES),
    KeyInfo::new(
        "clip.audio.window_size",
        U32,
        "How far to each side windowed layers of the sound encoder look.",
        "音频编码器窗口层向两侧看的范围。",
    ),
    KeyInfo::new(
        "clip.audio.rvq.num_quantizers",
        U32,
        "Number of codebooks that describe a frame one after the other (residual vector quantization).",
        "逐级描述一帧的码本数（残差向量量化）。",
    ),
    KeyInfo::new(
        "clip.audio.rvq.codebook_size",
        INTS,
        "Number of entries in each codebook.",
        "每个码本的条目数。",
    ),
    KeyInfo::new(
        "clip.audio.local_block_count",
        U32,
        "MiMo: number of layers of the small network that works within a group of frames.",
        "MiMo：在帧组内部工作的小网络的层数。",
    )
    .unit(LAYERS),
    KeyInfo::new(
        "clip.audio.local_group_size",
        U32,
        "MiMo: number of frames in a group.",
        "MiMo：每组的帧数。",
    ),
    KeyInfo::new(
        "clip.audio.projector.stack_factor",
        U32,
        "How many neighbouring frames are put side by side into one vector.",
        "把多少个相邻帧并排拼成一个向量。",
    ),
    KeyInfo::new(
        "clip.audio.projector.window_size",
        U32,
        "Number of frames that the projector sums up at a time.",
        "投影器一次概括的帧数。",
    ),
    KeyInfo::new(
        "clip.audio.projector.downsample_rate",
        U32,
        "By how much the projector shortens the sequence of frames.",
        "投影器把帧序列缩短的倍数。",
    ),
    KeyInfo::new(
        "clip.audio.projector.head_count",
        U32,
        "Number of attention heads of the projector.",
        "投影器的注意力头数。",
    )
    .unit(HEADS),
    KeyInfo::new(
        "clip.gen.audio.projector_type",
        STR,
        "Kind of network that turns the text model's output into sound.",
        "把文本模型输出变成声音的网络种类。",
    ),
    KeyInfo::new(
        "clip.gen.audio.model_variant",
        STR,
        "Name of the weights' variant, for settings that the checkpoint does not state.",
        "权重变体的名称，用于检查点未写明的设置。",
    ),
    KeyInfo::new(
        "clip.gen.audio.embedding_length",
        U32,
        "Width of the network that produces sound.",
        "生成音频网络的宽度。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "clip.gen.audio.feed_forward_length",
        U32,
        "Inner size of the sound producer's feed-forward network.",
        "生成音频网络的前馈内部维数。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "clip.gen.audio.projection_dim",
        U32,
        "Size of the vectors between the text model and the sound producer.",
        "文本模型与音频生成网络之间的向量维数。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "clip.gen.audio.block_count",
        U32,
        "Number of layers of the network that produces sound.",
        "生成音频网络的层数。",
    )
    .unit(LAYERS),
    KeyInfo::new(
        "clip.gen.audio.attention.head_count",
        U32,
        "Number of attention heads of the network that produces sound.",
        "生成音频网络的注意力头数。",
    )
    .unit(HEADS),
    KeyInfo::new(
        "clip.gen.audio.attention.head_count_kv",
        U32,
        "Number of key and value heads of the network that produces sound.",
        "生成音频网络的键值头数。",
    )
    .unit(HEADS),
    KeyInfo::new(
        "clip.gen.audio.attention.head_dim",
        U32,
        "Size of a head of the sound producer, where heads do not add up to its width.",
        "音频生成网络每个头的维数（各头之和不等于宽度时）。",
    )
    .unit(DIMS),
    KeyInfo::new(
        "clip.gen.audio.feature_layer",
        INTS,
        "Layers of the sound producer whose outputs are used, when it is not just the last.",
        "取用输出的音频生成网络层（不只最后一层时）。",
    ),
    KeyInfo::new(
        "clip.gen.audio.attention.layer_norm_epsilon",
        F32,
        "Small number that keeps the sound producer's normalization from dividing by zero.",
        "音频生成网络归一化中防止除以零的小量。",
    ),
];
