//! DeciLM and Nemotron NAS: layers without attention or without a feed-forward network.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "deci",
    coverage: Partial,
    keys: &[RMS],
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, ROPE],
    stacks: &[blk(&[OWN])],
};

/// What a layer may have, and may lack.
const OWN: &[Row] = &[
    may("attn_norm.weight", &[Embd]),
    may("attn_q.weight", &[Embd, Q]),
    may("attn_k.weight", &[Embd, K]),
    may("attn_v.weight", &[Embd, V]),
    may("ffn_gate.weight", &[Embd, Ff]),
    may("ffn_up.weight", &[Embd, Ff]),
    may("ffn_down.weight", &[Ff, Embd]),
];
