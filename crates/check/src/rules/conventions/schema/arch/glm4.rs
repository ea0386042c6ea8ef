//! GLM 4 of 2025: norms behind attention and behind the feed-forward network.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "glm4",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT],
    stacks: &[blk(&[ATTN_NORM, QKV, ATTN_OUTPUT, FFN_NORM, FUSED_GATE, POST_NORMS, NEXTN])],
};
