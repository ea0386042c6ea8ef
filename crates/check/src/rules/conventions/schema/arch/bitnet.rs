//! BitNet b1.58: weights of three values, each matrix with its scale.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "bitnet",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM],
    stacks: &[blk(&[ATTN_NORM, ATTN_OUTPUT, FFN_NORM, GATED, OWN])],
};

/// Three matrices without biases; norms inside attention and inside the feed-forward network.
const OWN: &[Row] = &[
    must("attn_q.weight", &[Embd, Q]),
    must("attn_k.weight", &[Embd, K]),
    must("attn_v.weight", &[Embd, V]),
    must("attn_sub_norm.weight", &[Embd]),
    must("ffn_sub_norm.weight", &[Ff]),
];
