//! Orion: llama with norms that have biases.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "orion",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM_BIAS, OWN_OUTPUT],
    stacks: &[blk(&[ATTN_NORM_BIAS, QKV, ATTN_OUTPUT, FFN_NORM_BIAS, GATED])],
};
