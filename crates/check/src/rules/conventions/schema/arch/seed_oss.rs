//! Seed-OSS: the norm of the feed-forward network has the name of a norm behind attention.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "seed_oss",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT],
    stacks: &[blk(&[ATTN_NORM, QKV, ATTN_OUTPUT, OWN, GATED])],
};

const OWN: &[Row] = &[must("post_attention_norm.weight", &[Embd])];
