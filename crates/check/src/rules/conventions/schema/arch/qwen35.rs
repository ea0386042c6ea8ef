//! Qwen 3.5, dense: linear attention in three of four layers.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "qwen35",
    coverage: Partial,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT],
    stacks: &[blk(&[ATTN_NORM, DELTA_OR_ATTENTION, DELTA_STEERING, GATED])],
};
