//! Qwen 1.5 and 2 with experts.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "qwen2moe",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM, OWN_OUTPUT],
    stacks: &[blk(&[
        ATTN_NORM,
        QKV,
        ATTN_OUTPUT,
        FFN_NORM,
        ALL_LAYERS_ROUTE,
        EXPERTS,
        SHARED_EXPERT,
        SHARED_GATE,
    ])],
};
