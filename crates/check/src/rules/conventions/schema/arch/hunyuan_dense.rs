//! Hunyuan, dense.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "hunyuan-dense",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT],
    stacks: &[blk(&[ATTN_NORM, QKV, QK_NORM, ATTN_OUTPUT, FFN_NORM, GATED])],
};
