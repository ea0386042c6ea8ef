//! MiniMax M2.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "minimax-m2",
    coverage: Partial,
    keys: &[RMS, "expert_feed_forward_length"],
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, ROPE],
    stacks: &[blk(&[
        ATTN_NORM,
        QKV,
        WIDE_QK_NORM,
        ATTN_OUTPUT,
        FFN_NORM,
        ALL_LAYERS_ROUTE,
        EXPERTS,
        EXPERT_BIAS,
    ])],
};
