//! Falcon 7B, 40B and 180B: attention and feed-forward network side by side.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "falcon",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM_BIAS, OUTPUT],
    stacks: &[blk(&[ATTN_NORM_BIAS, FUSED_QKV, ATTN_OUTPUT, UNGATED, OWN])],
};

/// The larger models have a norm of their own for the feed-forward network.
const OWN: &[Row] = &[may("attn_norm_2.weight", &[Embd]), may("attn_norm_2.bias", &[Embd])];
