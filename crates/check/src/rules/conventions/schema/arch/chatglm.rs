//! ChatGLM 3, GLM 4 of 2024.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "chatglm",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT],
    stacks: &[blk(&[ATTN_NORM, QKV, ATTN_OUTPUT, FFN_NORM, FUSED_GATE])],
};
