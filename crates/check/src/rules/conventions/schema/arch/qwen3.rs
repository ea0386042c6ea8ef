//! Qwen 3, dense.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "qwen3",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, SCORE],
    stacks: &[blk(&[ATTN_NORM, QKV, QK_NORM, ATTN_OUTPUT, FFN_NORM, GATED])],
};
