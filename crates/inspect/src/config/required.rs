//! What an architecture cannot be loaded without, as data: one row per architecture.
//!
//! Source: the `load_arch_hparams` functions of llama.cpp, where a key is read as required.

/// Keys that every model needs beside `general.architecture` (`{arch}` stands for its value).
pub(super) const GENERIC: &[&str] =
    &["{arch}.context_length", "{arch}.embedding_length", "{arch}.block_count", "tokenizer.ggml.model"];

const RMS: &str = "attention.layer_norm_rms_epsilon";
const NORM: &str = "attention.layer_norm_epsilon";

/// Further required keys, without the `{arch}.` in front.
const BY_ARCHITECTURE: &[(&str, &[&str])] = &[
    ("bert", &[NORM]),
    ("command-r", &[NORM]),
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
    ("falcon", &[NORM]),
    ("gemma", &[RMS]),
    ("gemma2", &[RMS]),
    ("gemma3", &[RMS]),
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
    ("gpt-oss", &[RMS, "expert_feed_forward_length", "attention.sliding_window"]),
    ("gpt2", &[NORM]),
    ("llama", &[RMS]),
    ("mamba", &["ssm.conv_kernel", "ssm.inner_size", "ssm.state_size", "ssm.time_step_rank", RMS]),
    ("mistral3", &[RMS]),
    ("nomic-bert", &[NORM]),
    ("phi2", &[NORM]),
    ("phi3", &[RMS]),
    ("qwen2", &[RMS]),
    ("qwen2moe", &[RMS, "expert_count", "expert_used_count"]),
    ("qwen3", &[RMS]),
    (
        "qwen35",
        &[
            RMS,
            "rope.dimension_sections",
            "ssm.conv_kernel",
            "ssm.inner_size",
            "ssm.state_size",
            "ssm.time_step_rank",
            "ssm.group_count",
        ],
    ),
    ("qwen3moe", &[RMS, "expert_count", "expert_used_count"]),
    ("starcoder2", &[NORM]),
    ("t5", &[RMS, "attention.relative_buckets_count"]),
];

/// The required keys of an architecture, in full; `None` when the table has no row for it.
pub(super) fn of(architecture: &str) -> (Vec<String>, bool) {
    let mut keys: Vec<String> = GENERIC.iter().map(|key| key.replace("{arch}", architecture)).collect();
    let row = BY_ARCHITECTURE.iter().find(|(name, _)| *name == architecture);
    for key in row.map(|(_, keys)| *keys).unwrap_or_default() {
        keys.push(format!("{architecture}.{key}"));
    }
    (keys, row.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ggufkit_format::spec::{arch, keys};

    #[test]
    fn rows_are_known_architectures_and_known_keys_in_order() {
        assert!(BY_ARCHITECTURE.is_sorted_by_key(|(name, _)| *name));
        for (name, extra) in BY_ARCHITECTURE {
            assert!(arch::is_known(name), "{name}");
            for key in *extra {
                assert!(keys::lookup(format!("{name}.{key}").as_bytes()).is_some(), "{key}");
            }
        }
    }
}
