//! Command R7B, Command A, Aya 2. The output matrix is always the embedding.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "cohere2",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM],
    stacks: &[blk(&[ATTN_NORM, QKV, ATTN_OUTPUT, GATED])],
};
