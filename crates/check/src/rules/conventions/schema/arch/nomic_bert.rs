//! Nomic Embed 1 and 1.5: BERT with rotary embedding and a gate.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "nomic-bert",
    coverage: Partial,
    keys: &[NORM],
    globals: &[EMBEDDING, ENCODER_GLOBALS, CLASSIFIER],
    stacks: &[blk(&[FUSED_QKV, ATTN_OUTPUT, GATED, ENCODER_NORMS])],
};
