//! Namespaces with few keys: shards, quantization notes, adapters, importance matrices, control vectors, and
//! what models or third parties write without an architecture in front.

use super::*;

const ADAPTER_KINDS: &[KeyValue] = &[string(
    "lora",
    "low-rank adapter: pairs of thin matrices that are added to weights",
    "低秩适配器：成对的窄矩阵，乘积叠加到权重上",
)];

pub(super) const KEYS: &[KeyInfo] = &[
    KeyInfo::new(
        "split.no",
        U16,
        "Number of this shard, counted from 0 (file names count from 1).",
        "本分片的序号，从 0 开始（文件名从 1 开始）。",
    ),
    KeyInfo::new(
        "split.count",
        U16,
        "Number of shards that make up the model; 0 or 1 means the file is whole.",
        "组成模型的分片总数；0 或 1 表示文件是完整的。",
    ),
    KeyInfo::new(
        "split.tensors.count",
        I32,
        "Number of tensors in all shards together, so that a missing shard is noticed.",
        "所有分片的张量总数，用于发现缺失的分片。",
    ),
    KeyInfo::new(
        "quantize.imatrix.file",
        STR,
        "Importance matrix that the quantization was guided by (its path, cut to 127 bytes).",
        "量化所依据的重要性矩阵（文件路径，最多 127 字节）。",
    ),
    KeyInfo::new(
        "quantize.imatrix.dataset",
        STR,
        "Text that the importance matrix was computed from (its path, cut to 127 bytes).",
        "计算重要性矩阵所用的文本（文件路径，最多 127 字节）。",
    ),
    KeyInfo::new(
        "quantize.imatrix.entries_count",
        U32_OR_I32,
        "Number of tensors that the importance matrix covers.",
        "重要性矩阵覆盖的张量数。",
    ),
    KeyInfo::new(
        "quantize.imatrix.chunks_count",
        U32_OR_I32,
        "Number of text chunks that went into the importance matrix; more means steadier statistics.",
        "计算重要性矩阵所用的文本块数；越多统计越稳定。",
    ),
    KeyInfo::new("adapter.type", STR, "Kind of adapter.", "适配器的种类。").values(ADAPTER_KINDS),
    KeyInfo::new(
        "adapter.lora.alpha",
        F32,
        "LoRA strength: the product of the two matrices is scaled by alpha divided by the rank.",
        "LoRA 强度：两个矩阵的乘积按 alpha 除以秩来缩放。",
    ),
    KeyInfo::new(
        "adapter.lora.task_name",
        STR,
        "Task that the adapter is for, to tell several adapters apart.",
        "适配器的用途，用于区分多个适配器。",
    ),
    KeyInfo::new(
        "adapter.lora.prompt_prefix",
        STR,
        "Text to put before the prompt when the adapter is used.",
        "使用该适配器时加在提示前面的文本。",
    ),
    KeyInfo::new(
        "adapter.alora.invocation_tokens",
        U32S,
        "Tokens from which on an activated LoRA takes effect; what comes before is computed without it.",
        "激活式 LoRA（aLoRA）从这些词元起生效；之前的内容按基座模型计算。",
    ),
    KeyInfo::new(
        "imatrix.datasets",
        STRS,
        "Texts that the importance matrix was computed from.",
        "计算重要性矩阵所用的文本。",
    ),
    KeyInfo::new(
        "imatrix.chunk_count",
        U32,
        "Number of text chunks that were run through the model.",
        "已送入模型计算的文本块数。",
    ),
    KeyInfo::new("imatrix.chunk_size", U32, "Length of a chunk.", "每个文本块的长度。").unit(TOKENS),
    KeyInfo::new(
        "controlvector.model_hint",
        STR,
        "Architecture of the model that the control vector was made for.",
        "控制向量所针对的模型架构。",
    ),
    KeyInfo::new(
        "controlvector.layer_count",
        I32,
        "Number of layers of that model; the vector has a direction for each but the first.",
        "该模型的层数；除第一层外，每层有一个方向向量。",
    )
    .unit(LAYERS),
    KeyInfo::new(
        "diffusion.shift_logits",
        BOOL,
        "Diffusion language models: whether the logits at a position predict the next position, as in \
         ordinary models, or the position itself.",
        "扩散语言模型：某位置的 logits 是像普通模型那样预测下一位置，还是预测该位置本身。",
    ),
    KeyInfo::new(
        "xielu.alpha_p",
        F32_OR_F32S,
        "xIELU activation: curvature for positive inputs, per layer.",
        "xIELU 激活函数：正半轴的曲率，逐层。",
    ),
    KeyInfo::new(
        "xielu.alpha_n",
        F32_OR_F32S,
        "xIELU activation: curvature for negative inputs, per layer.",
        "xIELU 激活函数：负半轴的曲率，逐层。",
    ),
    KeyInfo::new(
        "xielu.beta",
        F32_OR_F32S,
        "xIELU activation: slope at zero, per layer.",
        "xIELU 激活函数：零点处的斜率，逐层。",
    ),
    KeyInfo::new(
        "xielu.eps",
        F32_OR_F32S,
        "xIELU activation: bound near zero that keeps the negative branch stable, per layer.",
        "xIELU 激活函数：零点附近保证负半轴数值稳定的界限，逐层。",
    ),
    KeyInfo::new(
        "chisel.pad",
        STR,
        "Room in the head that another editor keeps; the same as general.padding.",
        "另一款编辑器在头部中留出的空间；与 general.padding 相同。",
    ),
    KeyInfo::new(
        "comfy.gguf.orig_shape.{name}",
        INTS,
        "Image-model files of ComfyUI: the shape that a tensor had before it was flattened for quantization.",
        "ComfyUI 的图像模型文件：张量在为量化而展平之前的形状。",
    ),
];
