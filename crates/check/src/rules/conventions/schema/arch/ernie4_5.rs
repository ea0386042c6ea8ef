//! ERNIE 4.5, dense.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "ernie4_5",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT],
    stacks: &[blk(&[ATTN_NORM, QKV, ATTN_OUTPUT, ATTN_OUTPUT_BIAS, FFN_NORM, GATED])],
};
