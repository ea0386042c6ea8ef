//! SmolLM3: llama, some layers without rotary embedding.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "smollm3",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT],
    stacks: &[blk(&[ATTN_NORM, QKV, ATTN_OUTPUT, FFN_NORM, GATED])],
};
