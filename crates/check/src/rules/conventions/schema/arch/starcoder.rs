//! StarCoder 1: GPT-2 with one head of keys and values.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "starcoder",
    coverage: Complete,
    globals: &[EMBEDDING, LEARNED_POSITIONS, OUTPUT_NORM_BIAS, OUTPUT],
    stacks: &[blk(&[ATTN_NORM_BIAS, FUSED_QKV, ATTN_OUTPUT, FFN_NORM_BIAS, UNGATED, ALL_BIASES])],
};
