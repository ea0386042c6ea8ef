//! Gemma 1. The output matrix is always the embedding.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "gemma",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM],
    stacks: &[blk(&[ATTN_NORM, QKV, ATTN_OUTPUT, FFN_NORM, GATED])],
};
