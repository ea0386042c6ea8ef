//! Arcee AFM: llama without a gate.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "arcee",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, ROPE_FREQS],
    stacks: &[blk(&[ATTN_NORM, QKV, ATTN_OUTPUT, FFN_NORM, UNGATED])],
};
