//! Nemotron: llama with norms that have biases and without a gate.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "nemotron",
    coverage: Complete,
    keys: &[NORM],
    globals: &[EMBEDDING, OUTPUT_NORM_BIAS, OUTPUT, ROPE],
    stacks: &[blk(&[ATTN_NORM_BIAS, QKV, ATTN_OUTPUT, ROT_EMBD, FFN_NORM_BIAS, UNGATED])],
};
