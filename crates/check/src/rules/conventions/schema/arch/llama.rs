//! Llama, Mistral, Mixtral, SmolLM and the many that were converted to their names.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "llama",
    coverage: Complete,
    keys: &[RMS],
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, ROPE],
    stacks: &[blk(&[
        ATTN_NORM,
        QKV,
        ATTN_OUTPUT,
        ROT_EMBD,
        FFN_NORM,
        GATED_UNLESS_EXPERTS,
        WIDE_EXPERTS,
        SOME_SHARED_EXPERT,
    ])],
};
