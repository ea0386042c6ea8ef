//! Gemma 3n: embeddings for each layer, alternating updates.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "gemma3n",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, GLOBALS],
    stacks: &[blk(&[ATTN_NORM, QKV, QK_NORM, ATTN_OUTPUT, FFN_NORM, GATED, POST_NORMS, OWN])],
};

/// Width of the embeddings of single layers, which no key tells.
const PER_LAYER: u64 = 256;
const ALL_LAYERS: Dim = Times(PER_LAYER, &Layers);

/// Tensors of all layers together.
const GLOBALS: &[Row] = &[
    must("per_layer_token_embd.weight", &[ALL_LAYERS, Vocab]),
    must("per_layer_model_proj.weight", &[Embd, ALL_LAYERS]),
    must("per_layer_proj_norm.weight", &[N(PER_LAYER)]),
    must("altup_proj.weight", &[Embd, Embd, N(3)]),
    must("altup_unembd_proj.weight", &[Embd, Embd, N(3)]),
];

/// Four streams side by side, and a way around attention of width 64.
const OWN: &[Row] = &[
    must("inp_gate.weight", &[Embd, N(PER_LAYER)]),
    must("proj.weight", &[N(PER_LAYER), Embd]),
    must("post_norm.weight", &[Embd]),
    must("altup_correct_coef.weight", &[N(4), N(4)]),
    must("altup_correct_scale.weight", &[Embd]),
    must("altup_predict_coef.weight", &[N(4), N(16)]),
    must("altup_router.weight", &[Embd, N(4)]),
    must("altup_router_norm.weight", &[Embd]),
    must("laurel_l.weight", &[Embd, N(64)]),
    must("laurel_r.weight", &[N(64), Embd]),
    must("laurel_post_norm.weight", &[Embd]),
];
