//! Phi 3, 3.5 and 4: gate and input of the feed-forward network are one matrix.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "phi3",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, ROPE_FACTORS],
    stacks: &[blk(&[ATTN_NORM, QKV, ATTN_OUTPUT, FFN_NORM, FUSED_GATE])],
};
