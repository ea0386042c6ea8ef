//! DeciLM and Nemotron NAS: layers without attention or without a feed-forward network.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "deci",
    coverage: Partial,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, ROPE_BY_SCALING],
    stacks: &[blk(&[OWN])],
};

/// What a layer may have, and may lack: attention or one matrix instead of it, a feed-forward network.
const OWN: &[Row] = &[
    may("attn_norm.weight", &[Embd]),
    with("attn_norm.weight", "attn_output.weight", &[Q, Embd]),
    may("attn_q.weight", &[Embd, Q]),
    may("attn_k.weight", &[Embd, K]),
    may("attn_v.weight", &[Embd, V]),
    may("attn_qkv.weight", &[Embd, Qkv]),
    may("ffn_norm.weight", &[Embd]),
    with("ffn_norm.weight", "ffn_gate.weight", &[Embd, Ff]),
    with("ffn_norm.weight", "ffn_up.weight", &[Embd, Ff]),
    with("ffn_norm.weight", "ffn_down.weight", &[Ff, Embd]),
];
