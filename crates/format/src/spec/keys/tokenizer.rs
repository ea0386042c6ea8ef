//! `tokenizer.*`: how text becomes token numbers and back, and how a conversation is laid out.

use super::*;

const MODELS: &[KeyValue] = &[
    string(
        "llama",
        "SentencePiece BPE with byte fallback (Llama 1 and 2, Mistral)",
        "SentencePiece BPE，带字节回退（Llama 1/2、Mistral）",
    ),
    string(
        "gpt2",
        "byte-level BPE with merge rules (GPT-2, Llama 3, Qwen)",
        "字节级 BPE，带合并规则（GPT-2、Llama 3、Qwen）",
    ),
    string("bert", "WordPiece (BERT and embedding models)", "WordPiece（BERT 及嵌入模型）"),
    string("t5", "SentencePiece Unigram (T5)", "SentencePiece Unigram（T5）"),
    string("rwkv", "greedy longest match over a trie (RWKV)", "基于字典树的最长匹配（RWKV）"),
    string("plamo2", "PLaMo-2's own table-driven tokenizer", "PLaMo-2 自有的查表分词器"),
    string(
        "gemma4",
        "Gemma 4's BPE with SentencePiece-like spaces",
        "Gemma 4 的 BPE，空格处理类似 SentencePiece",
    ),
    string("hybriddna", "byte-level BPE that treats DNA sequences apart", "字节级 BPE，DNA 序列单独处理"),
    string("whitespace", "byte-level BPE with words split at blanks", "字节级 BPE，按空白切词"),
    string(
        "replit",
        "SentencePiece Unigram as Replit's models use it; known to the specification only",
        "Replit 模型使用的 SentencePiece Unigram；仅见于规范",
    ),
    string("none", "no vocabulary; the model takes and gives embeddings", "无词表；模型直接处理嵌入向量"),
    string("no_vocab", "same as none", "同 none"),
];

const TOKEN_TYPES: &[KeyValue] = &[
    int(1, "NORMAL", "ordinary text", "普通文本"),
    int(2, "UNKNOWN", "stands for what cannot be encoded", "代表无法编码的内容"),
    int(
        3,
        "CONTROL",
        "steers the model, has no text of its own (end of turn)",
        "控制模型，没有自身文本（如轮次结束）",
    ),
    int(
        4,
        "USER_DEFINED",
        "added to the vocabulary afterwards, matched before anything else",
        "后来添加的词元，优先匹配",
    ),
    int(5, "UNUSED", "placeholder without use", "未使用的占位词元"),
    int(6, "BYTE", "one raw byte, for text outside the vocabulary", "单个原始字节，用于词表之外的文本"),
];

pub(super) const KEYS: &[KeyInfo] = &[
    KeyInfo::new(
        "tokenizer.ggml.model",
        STR,
        "Kind of tokenizer: which algorithm cuts text into tokens.",
        "分词器的种类：用哪种算法把文本切成词元。",
    )
    .values(MODELS),
    KeyInfo::new(
        "tokenizer.ggml.pre",
        STR,
        "Name of the rule that cuts text into words before BPE merges; a wrong one spoils the output \
         without any error.",
        "BPE 合并之前切词规则的名称；写错会悄悄损害输出而不报错。",
    ),
    KeyInfo::new(
        "tokenizer.ggml.tokens",
        STRS,
        "The vocabulary: the text of every token, at the index that is its number.",
        "词表：每个词元的文本，下标即词元编号。",
    ),
    KeyInfo::new(
        "tokenizer.ggml.token_type",
        &[Array(ValueType::INT32)],
        "Kind of each token, parallel to tokens.",
        "每个词元的种类，与 tokens 逐项对应。",
    )
    .values(TOKEN_TYPES),
    KeyInfo::new(
        "tokenizer.ggml.token_type_count",
        U32,
        "Number of segment types (BERT's sentence A and B), the rows of the token_types tensor.",
        "段类型的数量（BERT 的句子 A、B），即 token_types 张量的行数。",
    ),
    KeyInfo::new(
        "tokenizer.ggml.scores",
        &[Array(ValueType::FLOAT32), Array(ValueType::INT32)],
        "Score of each token, parallel to tokens; SentencePiece joins the pieces with the highest score \
         first.",
        "每个词元的得分，与 tokens 逐项对应；SentencePiece 优先合并得分高的片段。",
    ),
    KeyInfo::new(
        "tokenizer.ggml.merges",
        STRS,
        "BPE merge rules, two pieces with a space between, the earliest rule first in rank.",
        "BPE 合并规则，两个片段以空格分隔，越靠前优先级越高。",
    ),
    KeyInfo::new(
        "tokenizer.ggml.added_tokens",
        STRS,
        "Tokens added after training; only in the specification, files mark them in token_type instead.",
        "训练后添加的词元；仅见于规范，实际文件用 token_type 标记。",
    )
    .instead("tokenizer.ggml.token_type"),
    KeyInfo::new(
        "tokenizer.ggml.bos_token_id",
        U32,
        "Number of the token that begins a text.",
        "文本起始词元的编号。",
    ),
    KeyInfo::new(
        "tokenizer.ggml.eos_token_id",
        U32,
        "Number of the token that ends a text; generation stops at it.",
        "文本结束词元的编号；生成到它就停止。",
    ),
    KeyInfo::new(
        "tokenizer.ggml.eot_token_id",
        U32,
        "Number of the token that ends a turn in a conversation.",
        "对话中一轮结束的词元编号。",
    ),
    KeyInfo::new(
        "tokenizer.ggml.eom_token_id",
        U32,
        "Number of the token that ends a message but not the turn, for example before a tool answers.",
        "消息结束但本轮未结束的词元编号，例如等待工具返回时。",
    ),
    KeyInfo::new(
        "tokenizer.ggml.unknown_token_id",
        U32,
        "Number of the token that stands for text outside the vocabulary.",
        "代表词表外文本的词元编号。",
    ),
    KeyInfo::new(
        "tokenizer.ggml.seperator_token_id",
        U32,
        "Number of the token between two texts (BERT's [SEP]); the misspelling is the key that loaders read.",
        "分隔两段文本的词元编号（BERT 的 [SEP]）；加载器读取的正是这个拼错的键名。",
    ),
    KeyInfo::new(
        "tokenizer.ggml.separator_token_id",
        U32,
        "The separator token as the specification spells it; loaders do not read this spelling.",
        "规范中拼写的分隔词元键名；加载器不读取这种拼写。",
    )
    .instead("tokenizer.ggml.seperator_token_id"),
    KeyInfo::new(
        "tokenizer.ggml.padding_token_id",
        U32,
        "Number of the token that fills texts of a batch up to one length.",
        "把一批文本补齐到相同长度的词元编号。",
    ),
    KeyInfo::new(
        "tokenizer.ggml.cls_token_id",
        U32,
        "Number of the token whose output stands for the whole text (BERT's [CLS]).",
        "其输出代表整段文本的词元编号（BERT 的 [CLS]）。",
    ),
    KeyInfo::new(
        "tokenizer.ggml.mask_token_id",
        U32,
        "Number of the token that marks a place to be filled in (masked and diffusion models).",
        "标记待填位置的词元编号（掩码模型和扩散模型）。",
    ),
    KeyInfo::new(
        "tokenizer.ggml.fim_pre_token_id",
        U32,
        "Fill-in-the-middle: token before the code that precedes the gap.",
        "中间填充：标记空缺之前代码的词元。",
    ),
    KeyInfo::new(
        "tokenizer.ggml.fim_suf_token_id",
        U32,
        "Fill-in-the-middle: token before the code that follows the gap.",
        "中间填充：标记空缺之后代码的词元。",
    ),
    KeyInfo::new(
        "tokenizer.ggml.fim_mid_token_id",
        U32,
        "Fill-in-the-middle: token after which the model writes the missing part.",
        "中间填充：模型从该词元之后写出缺失部分。",
    ),
    KeyInfo::new(
        "tokenizer.ggml.fim_pad_token_id",
        U32,
        "Fill-in-the-middle: padding token.",
        "中间填充：补齐用的词元。",
    ),
    KeyInfo::new(
        "tokenizer.ggml.fim_rep_token_id",
        U32,
        "Fill-in-the-middle: token before the name of a repository.",
        "中间填充：标记仓库名的词元。",
    ),
    KeyInfo::new(
        "tokenizer.ggml.fim_sep_token_id",
        U32,
        "Fill-in-the-middle: token between files.",
        "中间填充：分隔文件的词元。",
    ),
    KeyInfo::new(
        "tokenizer.ggml.prefix_token_id",
        U32,
        "Older name of the token before the code that precedes a gap.",
        "标记空缺之前代码的词元，旧键名。",
    )
    .instead("tokenizer.ggml.fim_pre_token_id"),
    KeyInfo::new(
        "tokenizer.ggml.suffix_token_id",
        U32,
        "Older name of the token before the code that follows a gap.",
        "标记空缺之后代码的词元，旧键名。",
    )
    .instead("tokenizer.ggml.fim_suf_token_id"),
    KeyInfo::new(
        "tokenizer.ggml.middle_token_id",
        U32,
        "Older name of the token after which a gap is filled.",
        "从其后开始填补空缺的词元，旧键名。",
    )
    .instead("tokenizer.ggml.fim_mid_token_id"),
    KeyInfo::new(
        "tokenizer.ggml.add_bos_token",
        BOOL,
        "Whether the tokenizer puts the begin-of-text token in front by itself.",
        "分词时是否自动在开头加起始词元。",
    ),
    KeyInfo::new(
        "tokenizer.ggml.add_eos_token",
        BOOL,
        "Whether the tokenizer puts the end-of-text token at the end by itself.",
        "分词时是否自动在末尾加结束词元。",
    ),
    KeyInfo::new(
        "tokenizer.ggml.add_sep_token",
        BOOL,
        "Whether the tokenizer puts the separator token between two texts by itself.",
        "分词时是否自动在两段文本之间加分隔词元。",
    ),
    KeyInfo::new(
        "tokenizer.ggml.add_space_prefix",
        BOOL,
        "Whether a space is put before the text, as SentencePiece does for its first word.",
        "是否在文本前加一个空格，SentencePiece 对首词如此处理。",
    ),
    KeyInfo::new(
        "tokenizer.ggml.remove_extra_whitespaces",
        BOOL,
        "Whether runs of blanks are joined to one before tokenizing.",
        "分词前是否把连续空白合并为一个。",
    ),
    KeyInfo::new(
        "tokenizer.ggml.normalizer.lowercase",
        BOOL,
        "Whether text is turned to lower case first (uncased models).",
        "是否先把文本转为小写（不区分大小写的模型）。",
    ),
    KeyInfo::new(
        "tokenizer.ggml.normalizer.strip_accents",
        BOOL,
        "Whether accents are removed from letters first.",
        "是否先去掉字母上的重音符号。",
    ),
    KeyInfo::new(
        "tokenizer.ggml.precompiled_charsmap",
        &[Array(ValueType::UINT8), Array(ValueType::INT8)],
        "SentencePiece's character normalization table, a little-endian binary blob even in big-endian \
         files.",
        "SentencePiece 的字符规范化表，二进制数据，即使在大端文件中也是小端序。",
    )
    .unit(BYTES),
    KeyInfo::new(
        "tokenizer.ggml.suppress_tokens",
        INTS,
        "Tokens that must never be generated.",
        "禁止生成的词元。",
    ),
    KeyInfo::new(
        "tokenizer.huggingface.json",
        STR,
        "The whole tokenizer.json of the original model, for readers that use the Hugging Face tokenizers \
         library.",
        "原始模型的完整 tokenizer.json，供使用 Hugging Face tokenizers 库的程序读取。",
    ),
    KeyInfo::new(
        "tokenizer.rwkv.world",
        STR,
        "The RWKV World vocabulary as text.",
        "文本形式的 RWKV World 词表。",
    ),
    KeyInfo::new(
        "tokenizer.chat_template",
        STR,
        "Jinja template that turns a list of messages into the prompt the model was trained on.",
        "Jinja 模板，把消息列表排成模型训练时的提示格式。",
    ),
    KeyInfo::new(
        "tokenizer.chat_template.{name}",
        STR,
        "A further chat template for one purpose, such as tool_use.",
        "另一个有特定用途的对话模板，例如 tool_use。",
    ),
    KeyInfo::new(
        "tokenizer.chat_templates",
        STRS,
        "Names of the further chat templates that the file holds.",
        "文件中其他对话模板的名称。",
    ),
];
