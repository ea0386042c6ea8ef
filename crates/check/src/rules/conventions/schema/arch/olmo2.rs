//! OLMo 2 and 3: norms only behind attention and feed-forward network.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "olmo2",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM, OWN_OUTPUT],
    stacks: &[blk(&[QKV, WIDE_QK_NORM, ATTN_OUTPUT, GATED, POST_NORMS])],
};
