//! Qwen 3 Next: linear attention in three of four layers, experts.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "qwen3next",
    coverage: Partial,
    keys: &[
        RMS,
        "ssm.conv_kernel",
        "ssm.inner_size",
        "ssm.state_size",
        "ssm.time_step_rank",
        "ssm.group_count",
    ],
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, ROPE],
    stacks: &[blk(&[ATTN_NORM, DELTA_OR_ATTENTION, ALL_LAYERS_ROUTE, EXPERTS])],
};
