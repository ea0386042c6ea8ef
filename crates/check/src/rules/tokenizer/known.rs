//! Names that llama.cpp knows: those of `src/llama-vocab.cpp` in commit 0c1e57098.

/// When llama.cpp had the names below.
pub(crate) const AS_OF: &str = "November 2026";

/// Values of `tokenizer.ggml.model` that llama.cpp loads; `test` is that of its own tests.
pub(crate) const MODELS: &[&str] = &[
    "llama",
    "gpt2",
    "bert",
    "t5",
    "rwkv",
    "plamo2",
    "gemma4",
    "hybriddna",
    "whitespace",
    "none",
    "no_vocab",
    "test",
];

/// Models without tokens of their own.
pub(crate) fn has_no_vocabulary(model: &str) -> bool {
    matches!(model, "none" | "no_vocab")
}

/// Models whose words are cut by the rule that `tokenizer.ggml.pre` names.
pub(crate) fn reads_pre(model: &str) -> bool {
    matches!(model, "gpt2" | "hybriddna" | "whitespace")
}

/// Models that join pieces by `tokenizer.ggml.merges`.
pub(crate) fn reads_merges(model: &str) -> bool {
    reads_pre(model) || model == "gemma4"
}

/// The value of `tokenizer.ggml.pre` whose merge rules follow from the vocabulary.
pub(crate) const WITHOUT_MERGES: &str = "kimi-k2";

/// Whether llama.cpp knows a value of `tokenizer.ggml.pre`.
pub(crate) fn is_pre(name: &[u8]) -> bool {
    PRE.binary_search_by(|known| known.as_bytes().cmp(name)).is_ok()
}

/// Values of `tokenizer.ggml.pre` that llama.cpp compares with when it loads a byte-pair vocabulary. Sorted.
pub(crate) const PRE: &[&str] = &[
    "a.x-4.0",
    "afmoe",
    "bailingmoe",
    "bailingmoe2",
    "bloom",
    "chameleon",
    "chatglm-bpe",
    "codeshell",
    "cohere2moe",
    "command-r",
    "dbrx",
    "deepseek-coder",
    "deepseek-llm",
    "deepseek-r1-qwen",
    "deepseek-v3",
    "default",
    "exaone",
    "exaone-moe",
    "exaone4",
    "f2llmv2",
    "falcon",
    "falcon-h1",
    "falcon3",
    "gemma4",
    "gigachat",
    "glm4",
    "glm5",
    "gpt-2",
    "gpt-4o",
    "gpt3-finnish",
    "granite-docling",
    "granite-embed-multi-311m",
    "granite-embed-multi-97m",
    "grok-2",
    "hunyuan",
    "hunyuan-dense",
    "hy_v4",
    "jais",
    "jais-2",
    "jina-de",
    "jina-es",
    "jina-v1-en",
    "jina-v2-code",
    "jina-v2-de",
    "jina-v2-es",
    "jina-v5-nano",
    "joyai-llm",
    "kanana2",
    "kimi-k2",
    "kormo",
    "laguna",
    "lfm2",
    "llada-moe",
    "llama-bpe",
    "llama-v3",
    "llama3",
    "llama4",
    "megrez",
    "mellum",
    "mellum2",
    "midm-2.0",
    "minerva-7b",
    "minicpm5",
    "minimax-m2",
    "modern-bert",
    "mpt",
    "olmo",
    "phi-2",
    "pixtral",
    "poro-chat",
    "qwen2",
    "qwen35",
    "refact",
    "roberta-bpe",
    "sarvam-moe",
    "seed-coder",
    "smaug-bpe",
    "smollm",
    "solar-open",
    "spark2_5",
    "stablelm2",
    "starcoder",
    "superbpe",
    "talkie",
    "tekken",
    "tiny_aya",
    "trillion",
    "ufakzeka",
    "viking",
    "whitespace",
    "youtu",
];

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_sorted_so_that_they_can_be_searched() {
        assert!(super::PRE.is_sorted());
    }

    #[test]
    fn new_names_are_known() {
        for name in ["glm4", "glm5", "qwen35", "youtu"] {
            assert!(super::PRE.binary_search(&name).is_ok(), "{name}");
        }
    }
}
