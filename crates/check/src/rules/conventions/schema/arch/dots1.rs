//! dots.llm1.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "dots1",
    coverage: Partial,
    globals: &[EMBEDDING, OUTPUT_NORM, OWN_OUTPUT],
    stacks: &[blk(&[
        ATTN_NORM,
        QKV,
        QK_NORM,
        ATTN_OUTPUT,
        FFN_NORM,
        GATED_UNLESS_EXPERTS,
        EXPERTS,
        SHARED_EXPERTS,
        EXPERT_BIAS,
    ])],
};
