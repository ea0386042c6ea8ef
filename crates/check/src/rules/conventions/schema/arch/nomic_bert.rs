//! Nomic Embed 1 and 1.5: BERT with rotary embedding and a gate.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "nomic-bert",
    coverage: Partial,
    keys: &[NORM],
    globals: &[EMBEDDING, GLOBALS, CLASSIFIER],
    stacks: &[blk(&[FUSED_QKV, ATTN_OUTPUT, GATED, OWN])],
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
];
