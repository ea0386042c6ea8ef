//! InternLM 2 and 2.5: llama without experts.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "internlm2",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM, OWN_OUTPUT],
    stacks: &[blk(&[ATTN_NORM, QKV, ATTN_OUTPUT, FFN_NORM, GATED])],
};
