//! Nemotron: llama with norms that have biases and without a gate.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "nemotron",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM_BIAS, OWN_OUTPUT],
    stacks: &[blk(&[ATTN_NORM_BIAS, QKV, ATTN_OUTPUT, ATTN_OUTPUT_BIAS, FFN_NORM_BIAS, UNGATED, OWN])],
};

/// Biases.
const OWN: &[Row] = &[may("ffn_up.bias", &[Ff]), may("ffn_down.bias", &[Embd])];
