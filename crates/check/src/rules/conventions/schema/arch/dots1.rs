//! dots.llm1.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "dots1",
    coverage: Partial,
    keys: &[RMS, "expert_feed_forward_length"],
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, ROPE],
    stacks: &[blk(&[
        ATTN_NORM,
        QKV,
        QK_NORM,
        ATTN_OUTPUT,
        FFN_NORM,
        GATED_UNLESS_EXPERTS,
        EXPERTS,
        SOME_SHARED_EXPERT,
        EXPERT_BIAS,
    ])],
};
