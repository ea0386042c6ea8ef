//! Granite 4: layers of state spaces and layers of attention.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "granitehybrid",
    coverage: Partial,
    keys: &[RMS, "logit_scale"],
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, ROPE],
    stacks: &[blk(&[ATTN_NORM, OWN, FFN_NORM])],
};

/// A layer has a state space or attention.
const OWN: &[Row] = &[
    may("ssm_out.weight", &[Key("ssm.inner_size"), Embd]),
    with("ssm_out.weight", "ssm_in.weight", &[Embd, Any]),
    with("ssm_out.weight", "ssm_conv1d.weight", &[Key("ssm.conv_kernel"), Any]),
    unless(&["ssm_out.weight", "attn_qkv.weight"], "attn_q.weight", &[Embd, Q]),
    unless(&["ssm_out.weight", "attn_qkv.weight"], "attn_k.weight", &[Embd, K]),
    unless(&["ssm_out.weight", "attn_qkv.weight"], "attn_v.weight", &[Embd, V]),
    unless(&["ssm_out.weight"], "attn_output.weight", &[O, Embd]),
];
