//! Nomic Embed 1 and 1.5: BERT with rotary embedding and a gate.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "nomic-bert",
    coverage: Complete,
    globals: &[EMBEDDING, ENCODER_GLOBALS],
    stacks: &[blk(&[QKV, ATTN_OUTPUT, GATED, ENCODER_BIASES, ENCODER_NORMS])],
};
