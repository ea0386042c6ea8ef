//! gpt-oss: experts in MXFP4, a sink for each head, biases everywhere.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "gpt-oss",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM, OWN_OUTPUT],
    stacks: &[blk(&[ATTN_NORM, QKV, ATTN_OUTPUT, ALL_LAYERS_ROUTE, EXPERTS, OWN])],
};

/// The norm of the feed-forward network has the name of a norm behind attention.
const OWN: &[Row] = &[
    must("attn_output.bias", &[Embd]),
    must("post_attention_norm.weight", &[Embd]),
    must("attn_sinks.weight", &[Heads]),
    must("ffn_gate_inp.bias", &[Experts]),
    must("ffn_gate_exps.bias", &[FfExp, Experts]),
    must("ffn_up_exps.bias", &[FfExp, Experts]),
    must("ffn_down_exps.bias", &[Embd, Experts]),
];
