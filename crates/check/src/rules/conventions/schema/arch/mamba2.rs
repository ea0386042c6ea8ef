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
    stacks: &[blk(&[ATTN_NORM, OWN])],
};

/// A state space with heads instead of attention. Two tensors have no `.weight` in their names.
const OWN: &[Row] = &[
    must("ssm_in.weight", &[Embd, Any]),
    must("ssm_conv1d.weight", &[Key("ssm.conv_kernel"), Any]),
    must("ssm_conv1d.bias", &[]),
    must("ssm_dt.bias", &[Key("ssm.time_step_rank")]),
    must("ssm_a", &[N(1), Key("ssm.time_step_rank")]),
    must("ssm_d", &[N(1), Key("ssm.time_step_rank")]),
    must("ssm_norm.weight", &[]),
    must("ssm_out.weight", &[Key("ssm.inner_size"), Embd]),
];
