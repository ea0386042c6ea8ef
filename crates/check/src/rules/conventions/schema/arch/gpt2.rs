//! GPT-2.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "gpt2",
    coverage: Complete,
    globals: &[EMBEDDING, LEARNED_POSITIONS, OUTPUT_NORM_BIAS, OUTPUT],
    stacks: &[blk(&[ATTN_NORM_BIAS, FUSED_QKV, ATTN_OUTPUT, FFN_NORM_BIAS, UNGATED, ALL_BIASES])],
};
