//! GPT-2.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "gpt2",
    coverage: Complete,
    keys: &[NORM],
    globals: &[EMBEDDING, GLOBALS, OUTPUT_NORM_BIAS, OUTPUT],
    stacks: &[blk(&[ATTN_NORM_BIAS, FUSED_QKV, ATTN_OUTPUT, FFN_NORM_BIAS, UNGATED, OWN])],
};

/// Learned positions.
const GLOBALS: &[Row] = &[must("position_embd.weight", &[Embd, Key("context_length")])];

/// Everything has a bias.
const OWN: &[Row] = &[
    must("attn_qkv.bias", &[Qkv]),
    must("attn_output.bias", &[Embd]),
    must("ffn_up.bias", &[Ff]),
    must("ffn_down.bias", &[Embd]),
];
