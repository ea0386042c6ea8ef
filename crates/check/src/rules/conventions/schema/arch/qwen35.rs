//! Qwen 3.5, dense: linear attention in three of four layers.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "qwen35",
    coverage: Partial,
    keys: &[
        RMS,
        "rope.dimension_sections",
        "ssm.conv_kernel",
        "ssm.inner_size",
        "ssm.state_size",
        "ssm.time_step_rank",
        "ssm.group_count",
    ],
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT],
    stacks: &[blk(&[ATTN_NORM, DELTA_OR_ATTENTION, OWN, GATED])],
};

/// What steers the state of a delta network.
const OWN: &[Row] = &[
    with("ssm_out.weight", "ssm_beta.weight", &[Embd, Key("ssm.time_step_rank")]),
    with("ssm_out.weight", "ssm_alpha.weight", &[Embd, Key("ssm.time_step_rank")]),
];
