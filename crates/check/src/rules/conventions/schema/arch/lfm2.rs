//! LFM 2: short convolutions in some layers, attention in the others.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "lfm2",
    coverage: Partial,
    keys: &[RMS, "shortconv.l_cache"],
    globals: &[EMBEDDING, OUTPUT],
    stacks: &[blk(&[ATTN_NORM, OWN, FFN_NORM])],
};

/// A layer has a convolution or attention.
const OWN: &[Row] = &[
    unless(&["shortconv.conv.weight"], "attn_q.weight", &[Embd, Q]),
    unless(&["shortconv.conv.weight"], "attn_k.weight", &[Embd, K]),
    unless(&["shortconv.conv.weight"], "attn_v.weight", &[Embd, V]),
    unless(&["shortconv.conv.weight"], "attn_output.weight", &[O, Embd]),
    may("shortconv.conv.weight", &[]),
    with("shortconv.conv.weight", "shortconv.in_proj.weight", &[]),
    with("shortconv.conv.weight", "shortconv.out_proj.weight", &[]),
    may("ffn_gate.weight", &[Embd, Any]),
    may("ffn_up.weight", &[Embd, Any]),
    may("ffn_down.weight", &[Any, Embd]),
];
