//! The language model of Gemma 3.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "gemma3",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT],
    stacks: &[blk(&[ATTN_NORM, QKV, QK_NORM, ATTN_OUTPUT, FFN_NORM, GATED, POST_NORMS])],
};
