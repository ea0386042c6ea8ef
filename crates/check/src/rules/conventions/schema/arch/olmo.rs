//! OLMo 1: norms without weights.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "olmo",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT],
    stacks: &[blk(&[QKV, ATTN_OUTPUT, GATED])],
};
