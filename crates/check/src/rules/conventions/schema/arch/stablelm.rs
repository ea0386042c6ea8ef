//! StableLM 1.6B, 3B and 12B.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "stablelm",
    coverage: Complete,
    keys: &[NORM],
    globals: &[EMBEDDING, OUTPUT_NORM_BIAS, OUTPUT, ROPE],
    stacks: &[blk(&[ATTN_NORM_BIAS, QKV, SOME_QK_NORM, ATTN_OUTPUT, OWN, GATED])],
};

/// Models whose attention and feed-forward network stand side by side have no second norm.
const OWN: &[Row] = &[may("ffn_norm.weight", &[Embd]), may("ffn_norm.bias", &[Embd])];
