//! Hunyuan with experts.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "hunyuan-moe",
    coverage: Complete,
    keys: &[RMS, "expert_feed_forward_length", "expert_count", "expert_used_count"],
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT],
    stacks: &[blk(&[
        ATTN_NORM,
        QKV,
        QK_NORM,
        ATTN_OUTPUT,
        FFN_NORM,
        ALL_LAYERS_ROUTE,
        WIDE_EXPERTS,
        SHARED_EXPERT,
    ])],
};
