//! LFM 2: short convolutions in some layers, attention in the others.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "lfm2",
    coverage: Partial,
    globals: &[EMBEDDING, OUTPUT, GLOBALS],
    stacks: &[blk(&[ATTN_NORM, OWN, FFN_NORM])],
};

/// A layer has a convolution or attention.
const OWN: &[Row] = &[
    unless(&["shortconv.conv.weight"], "attn_q.weight", &[Embd, Q]),
    unless(&["shortconv.conv.weight"], "attn_k.weight", &[Embd, K]),
    unless(&["shortconv.conv.weight"], "attn_v.weight", &[Embd, V]),
    unless(&["shortconv.conv.weight"], "attn_output.weight", &[Q, Embd]),
    unless(&["shortconv.conv.weight"], "attn_q_norm.weight", &[HeadK]),
    unless(&["shortconv.conv.weight"], "attn_k_norm.weight", &[HeadK]),
    may("attn_q.bias", &[Q]),
    may("attn_k.bias", &[K]),
    may("attn_v.bias", &[V]),
    may("shortconv.conv.weight", &[Key("shortconv.l_cache"), Embd]),
    with("shortconv.conv.weight", "shortconv.in_proj.weight", &[Embd, Times(3, &Embd)]),
    with("shortconv.conv.weight", "shortconv.out_proj.weight", &[Embd, Embd]),
    must("ffn_gate.weight", &[Embd, Ff]),
    must("ffn_up.weight", &[Embd, Ff]),
    must("ffn_down.weight", &[Ff, Embd]),
];

/// The last norm has the name of a norm of the embedding.
const GLOBALS: &[Row] =
    &[must("token_embd_norm.weight", &[Embd]), may("dense_2.weight", &[Embd, Any]), may("dense_2.bias", &[])];
