//! EXAONE 4: norms only behind attention and feed-forward network.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "exaone4",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, ROPE_FREQS],
    stacks: &[blk(&[QKV, QK_NORM, ATTN_OUTPUT, GATED, POST_NORMS, NEXTN])],
};
