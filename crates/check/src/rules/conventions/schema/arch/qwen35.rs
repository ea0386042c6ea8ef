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
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, ROPE],
    stacks: &[blk(&[ATTN_NORM, OWN, GATED])],
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
