//! Nomic Embed 2: every nth layer has experts, without gates.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "nomic-bert-moe",
    coverage: Partial,
    keys: &[NORM],
    globals: &[EMBEDDING, ENCODER_GLOBALS, CLASSIFIER],
    stacks: &[blk(&[FUSED_QKV, ATTN_OUTPUT, ENCODER_NORMS, OWN])],
};

/// Experts in layers with a router.
const OWN: &[Row] = &[
    unless(&[ROUTER], "ffn_up.weight", &[Embd, Ff]),
    unless(&[ROUTER], "ffn_down.weight", &[Ff, Embd]),
    may(ROUTER, &[Embd, Experts]),
    with(ROUTER, "ffn_up_exps.weight", &[Embd, Any, Experts]),
    with(ROUTER, "ffn_down_exps.weight", &[Any, Embd, Experts]),
];
