//! DeepSeek 1 with experts.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "deepseek",
    coverage: Partial,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT],
    stacks: &[blk(&[ATTN_NORM, QKV, ATTN_OUTPUT, FFN_NORM, GATED_UNLESS_EXPERTS, EXPERTS, SHARED_EXPERTS])],
};
