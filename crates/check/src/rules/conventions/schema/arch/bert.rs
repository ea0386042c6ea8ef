//! BERT and its kin: BGE, E5, GTE, MiniLM, XLM-RoBERTa.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "bert",
    coverage: Partial,
    keys: &[NORM, "tokenizer.ggml.token_type_count"],
    globals: &[EMBEDDING, GLOBALS, CLASSIFIER],
    stacks: &[blk(&[QKV, ATTN_OUTPUT, UNGATED, OWN])],
};

/// Around the layers of an encoder.
const GLOBALS: &[Row] = &[
    must("token_embd_norm.weight", &[Embd]),
    must("token_embd_norm.bias", &[Embd]),
    may("token_types.weight", &[Embd, Key("tokenizer.ggml.token_type_count")]),
    must("position_embd.weight", &[Embd, Key("context_length")]),
];

/// Norms come behind attention and behind the feed-forward network.
const OWN: &[Row] = &[
    must("attn_output_norm.weight", &[Embd]),
    must("attn_output_norm.bias", &[Embd]),
    must("layer_output_norm.weight", &[Embd]),
    must("layer_output_norm.bias", &[Embd]),
    must("ffn_up.bias", &[Ff]),
    must("ffn_down.bias", &[Embd]),
];
