//! Llama 4: experts in every nth layer, one expert for all tokens.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "llama4",
    coverage: Partial,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, ROPE_FREQS],
    stacks: &[blk(&[ATTN_NORM, QKV, ATTN_OUTPUT, FFN_NORM, GATED_UNLESS_EXPERTS, EXPERTS, OWN])],
};

/// The expert that every token passes.
const OWN: &[Row] = &[
    with(ROUTER, "ffn_gate_shexp.weight", &[Embd, FfExp]),
    with(ROUTER, "ffn_up_shexp.weight", &[Embd, FfExp]),
    with(ROUTER, "ffn_down_shexp.weight", &[FfExp, Embd]),
];
