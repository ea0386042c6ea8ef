//! Nomic Embed 2: every nth layer has experts, without gates.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "nomic-bert-moe",
    coverage: Partial,
    keys: &[NORM],
    globals: &[EMBEDDING, GLOBALS, CLASSIFIER],
    stacks: &[blk(&[FUSED_QKV, ATTN_OUTPUT, OWN])],
};

/// Around the layers of an encoder.
const GLOBALS: &[Row] = &[
    must("token_embd_norm.weight", &[Embd]),
    must("token_embd_norm.bias", &[Embd]),
    may("token_types.weight", &[Embd, Key("tokenizer.ggml.token_type_count")]),
];

/// Norms come behind attention and behind the feed-forward network.
const OWN: &[Row] = &[
    must("attn_output_norm.weight", &[Embd]),
    must("attn_output_norm.bias", &[Embd]),
    must("layer_output_norm.weight", &[Embd]),
    must("layer_output_norm.bias", &[Embd]),
    unless(&[ROUTER], "ffn_up.weight", &[Embd, Ff]),
    unless(&[ROUTER], "ffn_down.weight", &[Ff, Embd]),
    may(ROUTER, &[Embd, Experts]),
    with(ROUTER, "ffn_up_exps.weight", &[Embd, Any, Experts]),
    with(ROUTER, "ffn_down_exps.weight", &[Any, Embd, Experts]),
];
