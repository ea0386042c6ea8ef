//! Arcee AFM: llama without a gate.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "arcee",
    coverage: Complete,
    keys: &[RMS],
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, ROPE],
    stacks: &[blk(&[ATTN_NORM, QKV, ATTN_OUTPUT, ROT_EMBD, FFN_NORM, UNGATED])],
};
