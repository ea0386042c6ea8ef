//! Llama 4: experts in every nth layer, one expert for all tokens.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "llama4",
    coverage: Complete,
    keys: &[RMS, "expert_feed_forward_length", "interleave_moe_layer_step"],
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, ROPE],
    stacks: &[blk(&[
        ATTN_NORM,
        QKV,
        ATTN_OUTPUT,
        ROT_EMBD,
        FFN_NORM,
        GATED_UNLESS_EXPERTS,
        EXPERTS,
        SHARED_EXPERT,
    ])],
};
