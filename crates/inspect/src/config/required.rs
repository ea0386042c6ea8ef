//! What an architecture cannot be loaded without, as data: one row per architecture.
//!
//! This is the one table of such keys: whoever shows a configuration and whoever judges a file ask here. Source: the
//! `load_arch_hparams` functions of llama.cpp, where a key is read as required. The judge's models are loaded without each
//! key in turn by `tests/oracle/loaders.py --load`.

/// Keys that every model needs beside `general.architecture`.
const GENERIC: &[&str] = &["context_length", "embedding_length", "block_count", "tokenizer.ggml.model"];

const RMS: &str = "attention.layer_norm_rms_epsilon";
const NORM: &str = "attention.layer_norm_epsilon";

/// Of models whose layers all have experts.
const EXPERTS: &[&str] = &[RMS, "expert_count", "expert_used_count"];

/// Of encoders in the manner of BERT.
const ENCODER: &[&str] = &[NORM, "tokenizer.ggml.token_type_count"];

/// Of a state space with heads, or of a gated delta network.
const STATE_SPACE: &[&str] =
    &[RMS, "ssm.conv_kernel", "ssm.inner_size", "ssm.state_size", "ssm.time_step_rank", "ssm.group_count"];

/// The same, where the rotary embedding is in sections.
const SECTIONED_STATE_SPACE: &[&str] = &[
    RMS,
    "rope.dimension_sections",
    "ssm.conv_kernel",
    "ssm.inner_size",
    "ssm.state_size",
    "ssm.time_step_rank",
    "ssm.group_count",
];

/// Further required keys: without the `{arch}.` in front, or whole where they begin with `tokenizer.`. Sorted.
const BY_ARCHITECTURE: &[(&str, &[&str])] = &[
    ("arcee", &[RMS]),
    ("baichuan", &[RMS]),
    ("bert", ENCODER),
    ("bitnet", &[RMS]),
    ("bloom", &[NORM]),
    ("chatglm", &[RMS]),
    ("cohere2", &[NORM, "logit_scale", "attention.sliding_window"]),
    ("command-r", &[NORM]),
    ("deci", &[RMS]),
    ("deepseek", &[RMS, "expert_feed_forward_length", "expert_shared_count"]),
    (
        "deepseek2",
        &[
            RMS,
            "attention.kv_lora_rank",
            "expert_feed_forward_length",
            "expert_shared_count",
            "expert_count",
            "expert_used_count",
        ],
    ),
    ("dots1", &[RMS, "expert_feed_forward_length", "expert_shared_count"]),
    ("ernie4_5", &[RMS]),
    ("ernie4_5-moe", &[RMS, "expert_feed_forward_length", "interleave_moe_layer_step"]),
    ("exaone", &[RMS]),
    ("exaone4", &[RMS]),
    ("falcon", &[NORM]),
    ("gemma", &[RMS]),
    ("gemma-embedding", &[RMS, "attention.sliding_window"]),
    ("gemma2", &[RMS]),
    ("gemma3", &[RMS]),
    ("gemma3n", &[RMS, "attention.sliding_window"]),
    (
        "gemma4",
        &[
            RMS,
            "attention.sliding_window",
            "attention.sliding_window_pattern",
            "embedding_length_per_layer_input",
            "attention.key_length_swa",
            "attention.value_length_swa",
        ],
    ),
    ("glm4", &[RMS]),
    ("glm4moe", &[RMS, "expert_feed_forward_length", "expert_shared_count"]),
    ("gpt-oss", &[RMS, "expert_feed_forward_length", "attention.sliding_window"]),
    ("gpt2", &[NORM]),
    ("gptneox", &[NORM, "use_parallel_residual"]),
    ("granite", &[RMS, "logit_scale"]),
    ("granitehybrid", STATE_SPACE),
    ("granitemoe", &[RMS, "logit_scale"]),
    ("hunyuan-dense", &[RMS]),
    ("hunyuan-moe", &[RMS, "expert_feed_forward_length", "expert_count", "expert_used_count"]),
    ("internlm2", &[RMS]),
    ("lfm2", &[RMS, "shortconv.l_cache"]),
    ("llama", &[RMS]),
    ("llama4", &[RMS, "expert_feed_forward_length", "interleave_moe_layer_step"]),
    ("mamba", &[RMS, "ssm.conv_kernel", "ssm.inner_size", "ssm.state_size", "ssm.time_step_rank"]),
    ("mamba2", STATE_SPACE),
    ("minicpm", &[RMS]),
    ("minicpm3", &[RMS, "attention.q_lora_rank", "attention.kv_lora_rank"]),
    ("minimax-m2", &[RMS, "expert_feed_forward_length", "expert_count", "expert_used_count"]),
    ("mistral3", &[RMS]),
    ("nemotron", &[NORM]),
    ("nomic-bert", ENCODER),
    ("nomic-bert-moe", ENCODER),
    ("olmo", &[NORM]),
    ("olmo2", &[RMS]),
    ("olmoe", &[RMS]),
    ("orion", &[NORM]),
    ("phi2", &[NORM]),
    ("phi3", &[RMS]),
    ("qwen2", &[RMS]),
    ("qwen2moe", EXPERTS),
    ("qwen2vl", &["rope.dimension_sections"]),
    ("qwen3", &[RMS]),
    ("qwen35", SECTIONED_STATE_SPACE),
    ("qwen35moe", SECTIONED_STATE_SPACE),
    ("qwen3moe", EXPERTS),
    ("qwen3next", STATE_SPACE),
    ("qwen3vl", &[RMS, "rope.dimension_sections"]),
    ("qwen3vlmoe", &[RMS, "rope.dimension_sections", "expert_count", "expert_used_count"]),
    ("seed_oss", &[RMS]),
    ("smollm3", &[RMS]),
    ("stablelm", &[NORM]),
    ("starcoder", &[NORM]),
    ("starcoder2", &[NORM]),
    ("t5", &[RMS, "attention.relative_buckets_count"]),
    ("t5encoder", &[RMS, "attention.relative_buckets_count"]),
    ("xverse", &[RMS]),
];

/// The required keys of an architecture, in full, and whether the table has a row for it.
pub(super) fn of(architecture: &str) -> (Vec<String>, bool) {
    let own = row(architecture);
    let keys = GENERIC.iter().chain(own.unwrap_or_default()).map(|key| full(architecture, key));
    (keys.collect(), own.is_some())
}

/// Whether a key with the architecture in front is required.
pub(super) fn needs(architecture: &str, suffix: &[u8]) -> bool {
    let own = row(architecture).unwrap_or_default();
    GENERIC.iter().chain(own).any(|key| key.as_bytes() == suffix)
}

fn row(architecture: &str) -> Option<&'static [&'static str]> {
    BY_ARCHITECTURE.iter().find(|(name, _)| *name == architecture).map(|(_, keys)| *keys)
}

fn full(architecture: &str, key: &str) -> String {
    if key.starts_with("tokenizer.") { key.to_owned() } else { format!("{architecture}.{key}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ggufkit_format::spec::{arch, keys};

    #[test]
    fn rows_are_known_architectures_and_known_keys_in_order() {
        assert!(BY_ARCHITECTURE.is_sorted_by_key(|(name, _)| *name));
        for (name, _) in BY_ARCHITECTURE {
            assert!(arch::is_known(name), "{name}");
            for key in of(name).0 {
                assert!(keys::lookup(key.as_bytes()).is_some(), "{key}");
                let suffix = key.strip_prefix(&format!("{name}.")).unwrap_or(&key);
                assert!(needs(name, suffix.as_bytes()), "{key}");
            }
            assert!(!needs(name, b"vocab_size"));
        }
    }
}
