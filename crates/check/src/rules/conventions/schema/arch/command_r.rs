//! Command R and R+. The output matrix is always the embedding.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "command-r",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM],
    stacks: &[blk(&[ATTN_NORM, QKV, OWN, ATTN_OUTPUT, GATED])],
};

/// Norms of queries and keys, for each head its own, in the models of 64 and more layers.
const OWN: &[Row] = &[
    may_where("block_count>=64", "attn_q_norm.weight", &[HeadK, Heads]),
    may_where("block_count>=64", "attn_k_norm.weight", &[HeadK, Over(&K, &HeadK)]),
];
