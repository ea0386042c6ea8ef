//! Architecture names: the values of `general.architecture` that llama.cpp knows.
//!
//! Source: `LLM_ARCH_NAMES` in llama-arch.cpp. A name that is missing here belongs to another program (image
//! models, speech models) or to a newer version; it says nothing about the file being right or wrong.

/// Known architecture names in byte order, without the placeholder `(unknown)`.
pub static ARCHITECTURES: &[&str] = &[
    "afmoe",
    "apertus",
    "arcee",
    "arctic",
    "arwkv7",
    "baichuan",
    "bailingmoe",
    "bailingmoe2",
    "bailingmoe3",
    "bert",
    "bitnet",
    "bloom",
    "chameleon",
    "chatglm",
    "clip",
    "codeshell",
    "cogvlm",
    "cohere2",
    "cohere2moe",
    "command-r",
    "dbrx",
    "deci",
    "deepseek",
    "deepseek2",
    "deepseek2-ocr",
    "deepseek32",
    "deepseek4",
    "dflash",
    "dots1",
    "dots3note",
    "dream",
    "eagle3",
    "ernie4_5",
    "ernie4_5-moe",
    "eurobert",
    "exaone",
    "exaone-moe",
    "exaone4",
    "falcon",
    "falcon-h1",
    "gemma",
    "gemma-embedding",
    "gemma2",
    "gemma3",
    "gemma3n",
    "gemma4",
    "gemma4-assistant",
    "glm-dsa",
    "glm4",
    "glm4moe",
    "glm5-next",
    "gpt-oss",
    "gpt2",
    "gptj",
    "gptneox",
    "granite",
    "granite_swa",
    "granitehybrid",
    "granitemoe",
    "graniteswitch",
    "grok",
    "grovemoe",
    "hrm_text",
    "hunyuan-dense",
    "hunyuan-moe",
    "hunyuan_vl",
    "hy_v3",
    "hy_v4",
    "internlm2",
    "jais",
    "jais2",
    "jamba",
    "jina-bert-v2",
    "jina-bert-v3",
    "kimi-k3",
    "kimi-linear",
    "laguna",
    "lfm2",
    "lfm2moe",
    "llada",
    "llada-moe",
    "llama",
    "llama-embed",
    "llama4",
    "maincoder",
    "mamba",
    "mamba2",
    "maple",
    "mellum",
    "mimo2",
    "minicpm",
    "minicpm3",
    "minimax-01",
    "minimax-m2",
    "minimax-m3",
    "mistral3",
    "mistral4",
    "modern-bert",
    "mpt",
    "muse-glimmer",
    "nanbeige",
    "nemotron",
    "nemotron_h",
    "nemotron_h_moe",
    "neo-bert",
    "nomic-bert",
    "nomic-bert-moe",
    "olmo",
    "olmo2",
    "olmoe",
    "openelm",
    "orion",
    "paddleocr",
    "pangu-embedded",
    "phi2",
    "phi3",
    "phimoe",
    "plamo",
    "plamo2",
    "plamo3",
    "plm",
    "pockettts",
    "qwen",
    "qwen2",
    "qwen2moe",
    "qwen2vl",
    "qwen3",
    "qwen35",
    "qwen35moe",
    "qwen3moe",
    "qwen3next",
    "qwen3tts",
    "qwen3vl",
    "qwen3vlmoe",
    "qwen4exp",
    "refact",
    "rnd1",
    "rwkv6",
    "rwkv6qwen2",
    "rwkv7",
    "seed_oss",
    "smallthinker",
    "smollm3",
    "spark2_5",
    "stablelm",
    "starcoder",
    "starcoder2",
    "step35",
    "t5",
    "t5encoder",
    "talkie",
    "wavtokenizer-dec",
    "xverse",
];

/// Whether llama.cpp knows the architecture. The comparison is exact, as it is there.
pub fn is_known(name: &str) -> bool {
    ARCHITECTURES.binary_search(&name).is_ok()
}

/// Architectures whose models do not rotate (no RoPE), in byte order: they have learned positions, ALiBi, a recurrence, or
/// no positions at all.
///
/// Source: `llama_model_rope_type` in llama-model.cpp, where it answers "none", and two whose graphs never rotate
/// although it names a kind: `bert` and `starcoder`, which add learned positions. `gptj` is not here: it rotates, llama.cpp
/// merely does not run it.
static UNROTATED: &[&str] = &[
    "arwkv7",
    "bert",
    "bloom",
    "clip",
    "gpt2",
    "jais",
    "jamba",
    "jina-bert-v2",
    "kimi-linear",
    "mamba",
    "mamba2",
    "mpt",
    "nemotron_h",
    "nemotron_h_moe",
    "refact",
    "rwkv6",
    "rwkv6qwen2",
    "rwkv7",
    "starcoder",
    "t5",
    "t5encoder",
    "wavtokenizer-dec",
];

/// Whether models of the architecture rotate queries and keys by position (RoPE). One that is not known is taken to: most
/// do.
pub fn rotates(name: &str) -> bool {
    UNROTATED.binary_search(&name).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn architectures_without_rope_are_known_ones() {
        assert!(UNROTATED.is_sorted_by(|a, b| a < b));
        assert!(UNROTATED.iter().all(|name| is_known(name)));
        for name in ["bert", "gpt2", "mamba2", "t5", "rwkv7", "bloom"] {
            assert!(!rotates(name), "{name}");
        }
        for name in ["llama", "nomic-bert", "jina-bert-v3", "starcoder2", "gptj", "falcon-h1", "unheard-of"] {
            assert!(rotates(name), "{name}");
        }
    }

    #[test]
    fn names_are_sorted_and_unique() {
        assert!(ARCHITECTURES.is_sorted_by(|a, b| a < b));
        assert_eq!(ARCHITECTURES.len(), 153);
    }

    #[test]
    fn names_with_and_without_odd_characters_are_found() {
        for name in
            ["llama", "qwen3moe", "gpt-oss", "jina-bert-v2", "nemotron_h", "ernie4_5-moe", "t5", "clip"]
        {
            assert!(is_known(name), "{name}");
        }
        for name in ["", "Llama", "llama ", "(unknown)", "flux", "sd3", "whisper"] {
            assert!(!is_known(name), "{name}");
        }
    }
}
