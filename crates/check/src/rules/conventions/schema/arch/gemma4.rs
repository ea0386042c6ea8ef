//! Gemma 4: two sizes of heads, embeddings for each layer, experts in some models.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "gemma4",
    coverage: Partial,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, ROPE_FREQS, GLOBALS],
    stacks: &[blk(&[ATTN_NORM, FFN_NORM, GATED, POST_NORMS, OWN])],
};

/// What makes the embeddings of single layers.
const GLOBALS: &[Row] = &[
    where_(PER_LAYER, "per_layer_token_embd.weight", &[Product(&[Key(PER_LAYER), Layers]), Vocab]),
    where_(PER_LAYER, "per_layer_model_proj.weight", &[Embd, Product(&[Key(PER_LAYER), Layers])]),
    where_(PER_LAYER, "per_layer_proj_norm.weight", &[Key(PER_LAYER)]),
];

const PER_LAYER: &str = "embedding_length_per_layer_input";

/// Heads of the layers with a window are of another size, so shapes of attention are not looked at. Layers that share keys
/// and values with an earlier one need none of their own.
const OWN: &[Row] = &[
    unless(&["attn_qkv.weight"], "attn_q.weight", &[]),
    may("attn_k.weight", &[]),
    may("attn_v.weight", &[]),
    may("attn_qkv.weight", &[]),
    must("attn_q_norm.weight", &[]),
    may("attn_k_norm.weight", &[]),
    must("attn_output.weight", &[]),
    where_(PER_LAYER, "inp_gate.weight", &[Embd, Key(PER_LAYER)]),
    where_(PER_LAYER, "proj.weight", &[Key(PER_LAYER), Embd]),
    where_(PER_LAYER, "post_norm.weight", &[Embd]),
];
