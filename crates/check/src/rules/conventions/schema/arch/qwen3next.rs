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
    stacks: &[blk(&[ATTN_NORM, OWN, ALL_LAYERS_ROUTE, EXPERTS])],
};

/// Attention in some layers, a state space in the others.
const OWN: &[Row] = &[
    unless(&["ssm_out.weight", "attn_qkv.weight"], "attn_q.weight", &[Embd, Times(2, &Q)]),
    unless(&["ssm_out.weight", "attn_qkv.weight"], "attn_k.weight", &[Embd, K]),
    unless(&["ssm_out.weight", "attn_qkv.weight"], "attn_v.weight", &[Embd, V]),
    unless(&["ssm_out.weight"], "attn_output.weight", &[O, Embd]),
    may("attn_q_norm.weight", &[HeadK]),
    may("attn_k_norm.weight", &[HeadK]),
    must("post_attention_norm.weight", &[Embd]),
    with("ssm_out.weight", "ssm_conv1d.weight", &[]),
    with("ssm_out.weight", "ssm_norm.weight", &[]),
    with("ssm_out.weight", "ssm_a", &[]),
    may("ssm_out.weight", &[Key("ssm.inner_size"), Embd]),
];
