//! OLMoE.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "olmoe",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM, OWN_OUTPUT],
    stacks: &[blk(&[ATTN_NORM, QKV, OWN, ATTN_OUTPUT, FFN_NORM, ALL_LAYERS_ROUTE, WIDE_EXPERTS])],
};

/// Norms of all queries and of all keys, of which there are as many.
const OWN: &[Row] = &[must("attn_q_norm.weight", &[Embd]), must("attn_k_norm.weight", &[Embd])];
