//! Nomic Embed 2: every nth layer has experts, without gates.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "nomic-bert-moe",
    coverage: Partial,
    globals: &[EMBEDDING, ENCODER_GLOBALS],
    stacks: &[blk(&[QKV, ATTN_OUTPUT, ATTN_OUTPUT_BIAS, ENCODER_NORMS, OWN])],
};

/// Experts in layers with a router.
const OWN: &[Row] = &[
    unless(&[ROUTER], "ffn_up.weight", &[Embd, Ff]),
    unless(&[ROUTER], "ffn_down.weight", &[Ff, Embd]),
    may_with("ffn_up.weight", "ffn_up.bias", &[Ff]),
    may_with("ffn_down.weight", "ffn_down.bias", &[Embd]),
    may(ROUTER, &[Embd, Experts]),
    with(ROUTER, "ffn_up_exps.weight", &[Embd, Ff, Experts]),
    with(ROUTER, "ffn_down_exps.weight", &[Ff, Embd, Experts]),
];
