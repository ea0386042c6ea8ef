//! DeepSeek 2, 2.5, 3 and R1, Kimi K2, GLM 4.7 Flash: keys and values from a latent vector.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "deepseek2",
    coverage: Partial,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT],
    stacks: &[blk(&[
        ATTN_NORM,
        OWN,
        FFN_NORM,
        GATED_UNLESS_EXPERTS,
        MERGED_EXPERTS,
        SHARED_EXPERTS,
        EXPERT_BIAS,
    ])],
};

/// Queries directly or through a latent vector; keys and values in one matrix (old) or in two.
const OWN: &[Row] = &[
    where_not(LATENT, "attn_q.weight", &[Embd, QUERIES]),
    where_(LATENT, "attn_q_a.weight", &[Embd, Key(LATENT)]),
    where_(LATENT, "attn_q_a_norm.weight", &[Key(LATENT)]),
    where_(LATENT, "attn_q_b.weight", &[Key(LATENT), QUERIES]),
    must("attn_kv_a_norm.weight", &[Key("attention.kv_lora_rank")]),
    must("attn_kv_a_mqa.weight", &[Embd, Sum(&[Key("attention.kv_lora_rank"), Key("rope.dimension_count")])]),
    where_not(SPLIT, "attn_kv_b.weight", &[Key("attention.kv_lora_rank"), KEYS_AND_VALUES]),
    where_(SPLIT, "attn_k_b.weight", &[PLAIN, Key("attention.kv_lora_rank"), Heads]),
    where_(SPLIT, "attn_v_b.weight", &[Key("attention.kv_lora_rank"), MlaV, Heads]),
    must("attn_output.weight", &[Product(&[Heads, MlaV]), Embd]),
];

/// What tells that queries go through a latent vector.
const LATENT: &str = "attention.q_lora_rank";
/// What tells that keys and values are two matrices.
const SPLIT: &str = "attention.key_length_mla";
const QUERIES: Dim = Product(&[Heads, MlaK]);
/// What is not turned in a head.
const PLAIN: Dim = Minus(&MlaK, &Key("rope.dimension_count"));
const KEYS_AND_VALUES: Dim = Product(&[Heads, Sum(&[PLAIN, MlaV])]);
