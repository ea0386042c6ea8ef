//! Granite 4: layers of state spaces and layers of attention.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "granitehybrid",
    coverage: Partial,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, ROPE_FREQS],
    stacks: &[blk(&[ATTN_NORM, STATE_SPACE_OR_ATTENTION, ATTN_OUTPUT_BIAS, FFN_NORM, DENSE_OR_EXPERTS])],
};
