//! BLOOM.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "bloom",
    coverage: Complete,
    globals: &[EMBEDDING, GLOBALS, OUTPUT_NORM_BIAS, OUTPUT],
    stacks: &[blk(&[
        ATTN_NORM_BIAS,
        FUSED_QKV,
        ATTN_OUTPUT,
        ATTN_OUTPUT_BIAS,
        FFN_NORM_BIAS,
        UNGATED,
        ALL_BIASES,
    ])],
};

/// The norm of the embedding.
const GLOBALS: &[Row] = &[must("token_embd_norm.weight", &[Embd]), must("token_embd_norm.bias", &[Embd])];
