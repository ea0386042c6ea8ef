//! Qwen 1.5, 2 and 2.5.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "qwen2",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, OUTPUT_BIAS],
    stacks: &[blk(&[ATTN_NORM, QKV, ATTN_OUTPUT, FFN_NORM, GATED])],
};
