//! GLM 4.5, 4.6 and 4.7: experts, a last layer that predicts further tokens.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "glm4moe",
    coverage: Partial,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT],
    stacks: &[blk(&[ATTN_NORM, QKV, ATTN_OUTPUT, OWN, GATED_UNLESS_EXPERTS, EXPERTS, SHARED_EXPERTS, NEXTN])],
};

/// Only the larger models have norms of queries and keys. The norm of the feed-forward network has the name of a norm behind attention.
const OWN: &[Row] = &[
    with(ROUTER, "exp_probs_b.bias", &[Experts]),
    must("post_attention_norm.weight", &[Embd]),
    may("attn_q_norm.weight", &[HeadK]),
    may("attn_k_norm.weight", &[HeadK]),
];
