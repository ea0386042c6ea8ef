//! Mamba 1 and Falcon Mamba.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "mamba",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT],
    stacks: &[blk(&[ATTN_NORM, OWN])],
};

/// A state space instead of attention. Two tensors have no `.weight` in their names.
const OWN: &[Row] = &[
    must("ssm_in.weight", &[Embd, Times(2, &Key("ssm.inner_size"))]),
    must("ssm_conv1d.weight", &[Key("ssm.conv_kernel"), Key("ssm.inner_size")]),
    must("ssm_conv1d.bias", &[Key("ssm.inner_size")]),
    must(
        "ssm_x.weight",
        &[Key("ssm.inner_size"), Sum(&[Key("ssm.time_step_rank"), Times(2, &Key("ssm.state_size"))])],
    ),
    must("ssm_dt.weight", &[Key("ssm.time_step_rank"), Key("ssm.inner_size")]),
    must("ssm_dt.bias", &[Key("ssm.inner_size")]),
    must("ssm_a", &[Key("ssm.state_size"), Key("ssm.inner_size")]),
    must("ssm_d", &[Key("ssm.inner_size")]),
    must("ssm_out.weight", &[Key("ssm.inner_size"), Embd]),
];
