//! GLM 4.5, 4.6 and 4.7: experts, a last layer that predicts further tokens.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "glm4moe",
    coverage: Partial,
    keys: &[RMS, "expert_feed_forward_length"],
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, ROPE],
    stacks: &[blk(&[
        ATTN_NORM,
        QKV,
        SOME_QK_NORM,
        ATTN_OUTPUT,
        OWN,
        GATED_UNLESS_EXPERTS,
        EXPERTS,
        SOME_SHARED_EXPERT,
        EXPERT_BIAS,
        NEXTN,
    ])],
};

/// The norm of the feed-forward network has the name of a norm behind attention.
const OWN: &[Row] = &[must("post_attention_norm.weight", &[Embd])];
