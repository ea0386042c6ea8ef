//! StarCoder 2.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "starcoder2",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM_BIAS, OUTPUT],
    stacks: &[blk(&[ATTN_NORM_BIAS, QKV, ATTN_OUTPUT, FFN_NORM_BIAS, UNGATED, OWN])],
};

/// Biases.
const OWN: &[Row] =
    &[must("attn_output.bias", &[Embd]), must("ffn_up.bias", &[Ff]), must("ffn_down.bias", &[Embd])];
