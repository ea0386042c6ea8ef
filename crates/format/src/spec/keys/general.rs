//! `general.*`: what the file is, who made it, from what, under which licence.

use super::*;

const FILE_KINDS: &[KeyValue] = &[
    string("model", "a model with weights", "带权重的模型"),
    string("adapter", "a LoRA adapter that is applied to a base model", "用于基座模型的 LoRA 适配器"),
    string(
        "imatrix",
        "an importance matrix, statistics that guide quantization",
        "重要性矩阵，即指导量化的统计数据",
    ),
    string(
        "mmproj",
        "an encoder and projector that lets a text model see or hear",
        "让文本模型能看图或听声音的编码器与投影器",
    ),
    string("clip-vision", "older name for mmproj", "mmproj 的旧称"),
];

const MIROSTAT: &[KeyValue] = &[
    int(0, "off", "not used", "不使用"),
    int(1, "v1", "Mirostat", "Mirostat"),
    int(2, "v2", "Mirostat 2.0", "Mirostat 2.0"),
];

pub(super) const KEYS: &[KeyInfo] = &[
    KeyInfo::new(
        "general.architecture",
        STR,
        "Which model family the weights belong to; it names the prefix of the model's own keys and \
         decides which code runs it.",
        "权重所属的模型架构；它决定模型专属键的前缀，也决定由哪段代码运行。",
    ),
    KeyInfo::new(
        "general.type",
        STR,
        "What kind of file this is: a model, or something that goes with one.",
        "文件的种类：模型本身，或配合模型使用的文件。",
    )
    .values(FILE_KINDS),
    KeyInfo::new(
        "general.quantization_version",
        U32,
        "Version of the quantized block formats (currently 2); it changes when a block's layout changes.",
        "量化块格式的版本（目前为 2）；块布局变化时才会改变。",
    ),
    KeyInfo::new(
        "general.alignment",
        U32,
        "Every tensor's data starts at a multiple of this many bytes; 32 if the key is absent, and a \
         power of two for llama.cpp.",
        "每个张量的数据都从该字节数的整数倍处开始；缺省为 32，llama.cpp 要求是 2 的幂。",
    )
    .unit(BYTES),
    KeyInfo::new(
        "general.padding",
        STR,
        "Room in the head that ggufkit keeps: spaces that say nothing, and let the next change of the metadata \
         leave the data where it is. `gguf unset FILE general.padding` takes it out.",
        "ggufkit 在头部中留出的空间：无含义的空格，使下次修改元数据时不必移动张量数据。\
         可用 `gguf unset FILE general.padding` 去掉。",
    ),
    KeyInfo::new(
        "general.file_type",
        U32,
        "The quantization recipe of most tensors (15 is Q4_K_M, for example); a label, the tensors' own \
         types are what counts.",
        "大多数张量采用的量化方案（例如 15 表示 Q4_K_M）；仅为标签，实际以各张量自身的类型为准。",
    ),
    KeyInfo::new(
        "general.tensor_extra.name",
        STRS,
        "Names of tensors that carry extra options; the parallel arrays under general.tensor_extra hold \
         the options.",
        "带有附加选项的张量名；选项放在 general.tensor_extra 下的平行数组里。",
    ),
    KeyInfo::new(
        "general.tensor_extra.prec_a4",
        STRICT_BOOLS,
        "For each tensor of general.tensor_extra.name: whether activations may be cut to 4 bits when \
         multiplied with it.",
        "与 general.tensor_extra.name 逐项对应：该张量参与乘法时，激活值能否降到 4 位。",
    ),
    KeyInfo::new(
        "general.sampling.sequence",
        STR,
        "Order in which the samplers are applied, as recommended by the model's authors.",
        "模型作者推荐的采样器执行顺序。",
    ),
    KeyInfo::new(
        "general.sampling.top_k",
        I32,
        "Recommended top-k: only this many most likely tokens stay in the draw.",
        "推荐的 top-k：只保留概率最高的这么多个词元参与抽样。",
    )
    .unit(TOKENS),
    KeyInfo::new(
        "general.sampling.top_p",
        F32,
        "Recommended top-p: the draw keeps the likeliest tokens whose probabilities add up to this.",
        "推荐的 top-p：保留概率从高到低累计达到该值的词元。",
    ),
    KeyInfo::new(
        "general.sampling.min_p",
        F32,
        "Recommended min-p: tokens below this fraction of the likeliest one's probability are dropped.",
        "推荐的 min-p：概率低于最高概率乘以该值的词元被丢弃。",
    ),
    KeyInfo::new(
        "general.sampling.xtc_probability",
        F32,
        "Recommended chance that the XTC sampler (which removes the most obvious tokens) acts at a step.",
        "推荐的 XTC 采样器（剔除最显而易见的词元）在每一步生效的概率。",
    ),
    KeyInfo::new(
        "general.sampling.xtc_threshold",
        F32,
        "Recommended probability above which XTC counts a token as obvious.",
        "推荐的 XTC 阈值：概率高于它的词元被视为显而易见。",
    ),
    KeyInfo::new(
        "general.sampling.temp",
        F32,
        "Recommended temperature: below 1 the output is more predictable, above 1 more varied.",
        "推荐的温度：小于 1 输出更确定，大于 1 更多样。",
    ),
    KeyInfo::new(
        "general.sampling.penalty_last_n",
        I32,
        "How many recent tokens the repetition penalty looks at.",
        "重复惩罚回看的最近词元数。",
    )
    .unit(TOKENS),
    KeyInfo::new(
        "general.sampling.penalty_repeat",
        F32,
        "Recommended repetition penalty; 1 is none, larger values make repeats less likely.",
        "推荐的重复惩罚；1 表示不惩罚，越大越不容易重复。",
    ),
    KeyInfo::new(
        "general.sampling.mirostat",
        I32,
        "Whether to use Mirostat, which steers the text's surprise level, and which version.",
        "是否使用 Mirostat（控制文本意外程度的采样法）及其版本。",
    )
    .values(MIROSTAT),
    KeyInfo::new(
        "general.sampling.mirostat_tau",
        F32,
        "Mirostat's target surprise (cross-entropy).",
        "Mirostat 的目标意外程度（交叉熵）。",
    ),
    KeyInfo::new(
        "general.sampling.mirostat_eta",
        F32,
        "Mirostat's learning rate: how fast it corrects towards the target.",
        "Mirostat 的学习率：向目标修正的快慢。",
    ),
    KeyInfo::new("general.name", STR, "Name of the model for people to read.", "供人阅读的模型名称。"),
    KeyInfo::new("general.author", STR, "Who made the model.", "模型作者。"),
    KeyInfo::new("general.version", STR, "Version of the model, such as v1.1.", "模型版本，例如 v1.1。"),
    KeyInfo::new("general.organization", STR, "Organization that released the model.", "发布模型的组织。"),
    KeyInfo::new(
        "general.finetune",
        STR,
        "What the base model was tuned for, such as Instruct or Chat.",
        "在基座模型上的微调用途，例如 Instruct、Chat。",
    ),
    KeyInfo::new(
        "general.basename",
        STR,
        "Name of the model family without size, version and tuning.",
        "模型系列名，不含规模、版本和微调信息。",
    ),
    KeyInfo::new("general.description", STR, "Free text about the model.", "关于模型的自由描述。"),
    KeyInfo::new(
        "general.quantized_by",
        STR,
        "Who quantized this file, often not the author of the model.",
        "量化此文件的人，往往不是模型作者。",
    ),
    KeyInfo::new(
        "general.size_label",
        STR,
        "Size class for names, such as 7B or 8x7B (experts times size).",
        "用于命名的规模标签，例如 7B 或 8x7B（专家数乘规模）。",
    ),
    KeyInfo::new(
        "general.license",
        STR,
        "Licence as an SPDX expression, such as apache-2.0.",
        "许可证的 SPDX 表达式，例如 apache-2.0。",
    ),
    KeyInfo::new(
        "general.license.name",
        STR,
        "Licence name for people to read, for licences without an SPDX id.",
        "供人阅读的许可证名称，用于没有 SPDX 标识的许可证。",
    ),
    KeyInfo::new("general.license.link", STR, "Where the licence text can be read.", "许可证全文的链接。"),
    KeyInfo::new("general.url", STR, "Home page of this model or its paper.", "本模型的主页或论文链接。"),
    KeyInfo::new(
        "general.doi",
        STR,
        "Digital object identifier of the model's publication.",
        "模型出版物的 DOI。",
    ),
    KeyInfo::new(
        "general.uuid",
        STR,
        "Identifier that tells this model from all others.",
        "唯一标识该模型的 UUID。",
    ),
    KeyInfo::new("general.repo_url", STR, "Repository that this model comes from.", "本模型所在的仓库。"),
    KeyInfo::new(
        "general.source.url",
        STR,
        "Home page of the model that this file was converted from.",
        "转换前原始模型的主页。",
    ),
    KeyInfo::new(
        "general.source.doi",
        STR,
        "Digital object identifier of the model that this file was converted from.",
        "转换前原始模型的 DOI。",
    ),
    KeyInfo::new(
        "general.source.uuid",
        STR,
        "Identifier of the model that this file was converted from.",
        "转换前原始模型的 UUID。",
    ),
    KeyInfo::new(
        "general.source.repo_url",
        STR,
        "Repository of the model that this file was converted from.",
        "转换前原始模型的仓库。",
    ),
    KeyInfo::new(
        "general.source.huggingface.repository",
        STR,
        "Hugging Face repository of the original model; an older way to say it.",
        "原始模型的 Hugging Face 仓库；较早的写法。",
    )
    .instead("general.source.repo_url"),
    KeyInfo::new(
        "general.base_model.count",
        U32,
        "Number of models that this one was tuned or merged from; their details follow under \
         general.base_model.{i}.",
        "微调或合并所依据的模型数量；各模型的信息在 general.base_model.{i} 下。",
    ),
    KeyInfo::new(
        "general.base_model.{i}.name",
        STR,
        "Name of a model that this one was made from.",
        "所依据模型的名称。",
    ),
    KeyInfo::new(
        "general.base_model.{i}.author",
        STR,
        "Author of a model that this one was made from.",
        "所依据模型的作者。",
    ),
    KeyInfo::new(
        "general.base_model.{i}.version",
        STR,
        "Version of a model that this one was made from.",
        "所依据模型的版本。",
    ),
    KeyInfo::new(
        "general.base_model.{i}.organization",
        STR,
        "Organization behind a model that this one was made from.",
        "所依据模型的发布组织。",
    ),
    KeyInfo::new(
        "general.base_model.{i}.description",
        STR,
        "Description of a model that this one was made from.",
        "所依据模型的描述。",
    ),
    KeyInfo::new(
        "general.base_model.{i}.url",
        STR,
        "Home page of a model that this one was made from.",
        "所依据模型的主页。",
    ),
    KeyInfo::new(
        "general.base_model.{i}.doi",
        STR,
        "Digital object identifier of a model that this one was made from.",
        "所依据模型的 DOI。",
    ),
    KeyInfo::new(
        "general.base_model.{i}.uuid",
        STR,
        "Identifier of a model that this one was made from.",
        "所依据模型的 UUID。",
    ),
    KeyInfo::new(
        "general.base_model.{i}.repo_url",
        STR,
        "Repository of a model that this one was made from.",
        "所依据模型的仓库。",
    ),
    KeyInfo::new(
        "general.dataset.count",
        U32,
        "Number of datasets that the model was trained on; their details follow under general.dataset.{i}.",
        "训练所用数据集的数量；各数据集的信息在 general.dataset.{i} 下。",
    ),
    KeyInfo::new("general.dataset.{i}.name", STR, "Name of a training dataset.", "训练数据集的名称。"),
    KeyInfo::new("general.dataset.{i}.author", STR, "Author of a training dataset.", "训练数据集的作者。"),
    KeyInfo::new("general.dataset.{i}.version", STR, "Version of a training dataset.", "训练数据集的版本。"),
    KeyInfo::new(
        "general.dataset.{i}.organization",
        STR,
        "Organization behind a training dataset.",
        "训练数据集的发布组织。",
    ),
    KeyInfo::new(
        "general.dataset.{i}.description",
        STR,
        "Description of a training dataset.",
        "训练数据集的描述。",
    ),
    KeyInfo::new("general.dataset.{i}.url", STR, "Home page of a training dataset.", "训练数据集的主页。"),
    KeyInfo::new(
        "general.dataset.{i}.doi",
        STR,
        "Digital object identifier of a training dataset.",
        "训练数据集的 DOI。",
    ),
    KeyInfo::new("general.dataset.{i}.uuid", STR, "Identifier of a training dataset.", "训练数据集的 UUID。"),
    KeyInfo::new(
        "general.dataset.{i}.repo_url",
        STR,
        "Repository of a training dataset.",
        "训练数据集的仓库。",
    ),
    KeyInfo::new(
        "general.tags",
        STRS,
        "Search words for the model, such as text-generation.",
        "模型的检索标签，例如 text-generation。",
    ),
    KeyInfo::new(
        "general.languages",
        STRS,
        "Languages that the model speaks, as ISO 639 codes.",
        "模型支持的语言，使用 ISO 639 代码。",
    ),
    KeyInfo::new(
        "general.datasets",
        STRS,
        "Training datasets as links or names; an older way to say it.",
        "训练数据集的链接或名称；较早的写法。",
    )
    .instead("general.dataset.{i}.name"),
];
