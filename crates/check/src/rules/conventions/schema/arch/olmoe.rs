//! OLMoE.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "olmoe",
    coverage: Complete,
    keys: &[RMS],
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT],
    stacks: &[blk(&[ATTN_NORM, QKV, WIDE_QK_NORM, ATTN_OUTPUT, FFN_NORM, ALL_LAYERS_ROUTE, WIDE_EXPERTS])],
};
