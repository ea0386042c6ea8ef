//! Qwen 3.5 with experts: linear attention in three of four layers.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "qwen35moe",
    coverage: Partial,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT],
    stacks: &[blk(&[
        ATTN_NORM,
        DELTA_OR_ATTENTION,
        DELTA_STEERING,
        ALL_LAYERS_ROUTE,
        MERGED_EXPERTS,
        SHARED_EXPERT,
        SHARED_GATE,
    ])],
};
