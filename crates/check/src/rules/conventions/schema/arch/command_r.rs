//! Command R and R+. The output matrix is always the embedding.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "command-r",
    coverage: Complete,
    keys: &[NORM, "logit_scale"],
    globals: &[EMBEDDING, OUTPUT_NORM],
    stacks: &[blk(&[ATTN_NORM, QKV, SOME_QK_NORM, ATTN_OUTPUT, GATED])],
};
