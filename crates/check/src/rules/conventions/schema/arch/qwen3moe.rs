//! Qwen 3 with experts.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "qwen3moe",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT],
    stacks: &[blk(&[ATTN_NORM, QKV, QK_NORM, ATTN_OUTPUT, FFN_NORM, ALL_LAYERS_ROUTE, EXPERTS])],
};
