//! StableLM 1.6B, 3B and 12B.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "stablelm",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM_BIAS, OWN_OUTPUT],
    stacks: &[blk(&[ATTN_NORM_BIAS, QKV, ATTN_OUTPUT, OWN, GATED])],
};

/// Some models have norms of queries and keys, for each head its own. Models whose attention and feed-forward network stand side by side have no second norm.
const OWN: &[Row] = &[
    may("attn_q_norm.weight", &[HeadK, Heads]),
    may("attn_k_norm.weight", &[HeadK, Over(&K, &HeadK)]),
    may("ffn_norm.weight", &[Embd]),
    may("ffn_norm.bias", &[Embd]),
];
