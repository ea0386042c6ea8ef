//! DeepSeek 2, 2.5, 3 and R1, Kimi K2, GLM 4.7 Flash: keys and values from a latent vector.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "deepseek2",
    coverage: Partial,
    keys: &[
        RMS,
        "attention.kv_lora_rank",
        "expert_feed_forward_length",
        "expert_shared_count",
        "expert_count",
        "expert_used_count",
    ],
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, ROPE],
    stacks: &[blk(&[ATTN_NORM, OWN, FFN_NORM, GATED_UNLESS_EXPERTS, EXPERTS, SHARED_EXPERT, EXPERT_BIAS])],
};

/// Queries directly or through a latent vector; keys and values in one matrix (old) or in two.
const OWN: &[Row] = &[
    unless(&["attn_q_a.weight"], "attn_q.weight", &[]),
    may("attn_q_a.weight", &[Embd, Key("attention.q_lora_rank")]),
    with("attn_q_a.weight", "attn_q_a_norm.weight", &[Key("attention.q_lora_rank")]),
    with("attn_q_a.weight", "attn_q_b.weight", &[Key("attention.q_lora_rank"), Any]),
    must("attn_kv_a_norm.weight", &[Key("attention.kv_lora_rank")]),
    must("attn_kv_a_mqa.weight", &[Embd, Sum(&[Key("attention.kv_lora_rank"), Key("rope.dimension_count")])]),
    unless(
        &["attn_k_b.weight", "attn_v_b.weight"],
        "attn_kv_b.weight",
        &[Key("attention.kv_lora_rank"), Any],
    ),
    with("attn_v_b.weight", "attn_k_b.weight", &[]),
    with("attn_k_b.weight", "attn_v_b.weight", &[]),
    must("attn_output.weight", &[Any, Embd]),
];
