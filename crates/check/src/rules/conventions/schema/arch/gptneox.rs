//! GPT-NeoX and Pythia.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "gptneox",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM_BIAS, OWN_OUTPUT],
    stacks: &[blk(&[ATTN_NORM_BIAS, FUSED_QKV, ATTN_OUTPUT, FFN_NORM_BIAS, UNGATED, ALL_BIASES])],
};
