//! Gemma 3n: embeddings for each layer, alternating updates.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "gemma3n",
    coverage: Partial,
    keys: &[RMS],
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, GLOBALS],
    stacks: &[blk(&[ATTN_NORM, OWN, ATTN_OUTPUT, FFN_NORM, GATED, POST_NORMS])],
};

/// Tensors of all layers together.
const GLOBALS: &[Row] = &[
    must("per_layer_token_embd.weight", &[]),
    must("per_layer_model_proj.weight", &[]),
    must("per_layer_proj_norm.weight", &[]),
    must("altup_proj.weight", &[]),
    must("altup_unembd_proj.weight", &[]),
];

/// Layers that share keys and values with an earlier one need none of their own.
const OWN: &[Row] = &[
    must("attn_q.weight", &[Embd, Q]),
    may("attn_k.weight", &[Embd, K]),
    may("attn_v.weight", &[Embd, V]),
    must("attn_q_norm.weight", &[HeadK]),
    may("attn_k_norm.weight", &[HeadK]),
    must("inp_gate.weight", &[]),
    must("proj.weight", &[]),
    must("post_norm.weight", &[Embd]),
    must("altup_correct_coef.weight", &[]),
    must("altup_correct_scale.weight", &[]),
    must("altup_predict_coef.weight", &[]),
    must("altup_router.weight", &[]),
    must("altup_router_norm.weight", &[]),
    must("laurel_l.weight", &[]),
    must("laurel_r.weight", &[]),
    must("laurel_post_norm.weight", &[Embd]),
];
