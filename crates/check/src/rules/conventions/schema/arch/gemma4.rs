//! Gemma 4: two sizes of heads, embeddings for each layer, experts in some models.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "gemma4",
    coverage: Partial,
    keys: &[
        RMS,
        "attention.sliding_window",
        "attention.sliding_window_pattern",
        "embedding_length_per_layer_input",
        "attention.key_length_swa",
        "attention.value_length_swa",
    ],
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, ROPE],
    stacks: &[blk(&[ATTN_NORM, OWN])],
};

/// Heads of the layers with a window are of another size, so shapes are not looked at.
const OWN: &[Row] = &[
    must("attn_q.weight", &[]),
    may("attn_k.weight", &[]),
    may("attn_v.weight", &[]),
    must("attn_output.weight", &[]),
    may("ffn_norm.weight", &[Embd]),
    may("post_attention_norm.weight", &[Embd]),
    may("post_ffw_norm.weight", &[Embd]),
];
