//! EXAONE 3.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "exaone",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, ROPE_FREQS],
    stacks: &[blk(&[ATTN_NORM, QKV, ATTN_OUTPUT, FFN_NORM, GATED])],
};
