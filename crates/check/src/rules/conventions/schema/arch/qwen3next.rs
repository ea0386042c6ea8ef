//! Qwen 3 Next: linear attention in three of four layers, experts.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "qwen3next",
    coverage: Partial,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT],
    stacks: &[blk(&[
        ATTN_NORM,
        DELTA_OR_ATTENTION,
        OWN,
        ALL_LAYERS_ROUTE,
        MERGED_EXPERTS,
        SHARED_EXPERT,
        SHARED_GATE,
    ])],
};

/// What steers the state of a delta network.
const OWN: &[Row] = &[
    with("ssm_out.weight", "ssm_ba.weight", &[Embd, Times(2, &Key("ssm.time_step_rank"))]),
    may("ssm_in.weight", &[Embd, Any]),
];
