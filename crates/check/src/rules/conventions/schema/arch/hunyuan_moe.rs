//! Hunyuan with experts.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "hunyuan-moe",
    coverage: Partial,
    keys: &[RMS],
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, ROPE],
    stacks: &[blk(&[
        ATTN_NORM,
        QKV,
        QK_NORM,
        ATTN_OUTPUT,
        FFN_NORM,
        ALL_LAYERS_ROUTE,
        WIDE_EXPERTS,
        SOME_SHARED_EXPERT,
    ])],
};
