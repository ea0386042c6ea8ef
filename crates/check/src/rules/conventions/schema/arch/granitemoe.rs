//! Granite with experts.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "granitemoe",
    coverage: Complete,
    keys: &[RMS, "logit_scale"],
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, ROPE],
    stacks: &[blk(&[
        ATTN_NORM,
        QKV,
        ATTN_OUTPUT,
        ROT_EMBD,
        FFN_NORM,
        ALL_LAYERS_ROUTE,
        WIDE_EXPERTS,
        SOME_SHARED_EXPERT,
    ])],
};
