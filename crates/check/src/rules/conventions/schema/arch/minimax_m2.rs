//! MiniMax M2.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "minimax-m2",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM, OWN_OUTPUT],
    stacks: &[blk(&[
        ATTN_NORM,
        QKV,
        WIDE_QK_NORM,
        ATTN_OUTPUT,
        FFN_NORM,
        ALL_LAYERS_ROUTE,
        WIDE_EXPERTS,
        OWN,
    ])],
};

/// What is added to the router's choice.
const OWN: &[Row] = &[must("exp_probs_b.bias", &[Experts])];
