//! Mamba 2 and Codestral Mamba.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "mamba2",
    coverage: Complete,
    keys: &[
        RMS,
        "ssm.conv_kernel",
        "ssm.inner_size",
        "ssm.state_size",
        "ssm.time_step_rank",
        "ssm.group_count",
    ],
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT],
    stacks: &[blk(&[ATTN_NORM, STATE_SPACE])],
};
