//! Mamba 2 and Codestral Mamba.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "mamba2",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT],
    stacks: &[blk(&[ATTN_NORM, STATE_SPACE])],
};
