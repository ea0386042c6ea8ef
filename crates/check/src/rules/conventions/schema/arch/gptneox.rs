//! GPT-NeoX and Pythia.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "gptneox",
    coverage: Complete,
    keys: &[NORM],
    globals: &[EMBEDDING, OUTPUT_NORM_BIAS, OUTPUT],
    stacks: &[blk(&[ATTN_NORM_BIAS, FUSED_QKV, ATTN_OUTPUT, FFN_NORM_BIAS, UNGATED, OWN])],
};

/// Everything has a bias.
const OWN: &[Row] = &[
    must("attn_qkv.bias", &[Qkv]),
    must("attn_output.bias", &[Embd]),
    must("ffn_up.bias", &[Ff]),
    must("ffn_down.bias", &[Embd]),
];
