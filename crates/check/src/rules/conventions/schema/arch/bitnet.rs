//! BitNet b1.58: weights of three values, each matrix with its scale.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "bitnet",
    coverage: Partial,
    keys: &[RMS],
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, ROPE],
    stacks: &[blk(&[ATTN_NORM, QKV, OWN, FFN_NORM])],
};

/// Norms inside attention and inside the feed-forward network.
const OWN: &[Row] = &[must("attn_sub_norm.weight", &[Embd]), must("ffn_sub_norm.weight", &[Ff])];
