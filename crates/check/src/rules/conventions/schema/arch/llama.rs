//! Llama, Mistral, Mixtral, SmolLM and the many that were converted to their names.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "llama",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, ROPE_BY_SCALING],
    stacks: &[blk(&[ATTN_NORM, QKV, ATTN_OUTPUT, ATTN_OUTPUT_BIAS, FFN_NORM, DENSE_OR_EXPERTS])],
};
