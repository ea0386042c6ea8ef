//! The encoder of T5 alone, as image models use it.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "t5encoder",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT, T5_NORM],
    stacks: &[Stack { prefix: "enc.blk", counts: &["block_count"], rows: &[T5_LAYER] }],
};
