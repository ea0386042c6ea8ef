//! Phi 1, 1.5 and 2: attention and feed-forward network side by side.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "phi2",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM_BIAS, GLOBALS],
    stacks: &[blk(&[ATTN_NORM_BIAS, QKV, ATTN_OUTPUT, UNGATED, OWN])],
};

/// The output matrix and its bias.
const GLOBALS: &[Row] = &[must("output.weight", &[Embd, Vocab]), must("output.bias", &[Vocab])];

/// Biases; the norm of the feed-forward network is that of attention.
const OWN: &[Row] =
    &[must("attn_output.bias", &[Embd]), must("ffn_up.bias", &[Ff]), must("ffn_down.bias", &[Embd])];
