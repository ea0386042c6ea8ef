//! EmbeddingGemma.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "gemma-embedding",
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, OWN],
    ..super::gemma3::SCHEMA
};

/// Layers behind the pooling.
const OWN: &[Row] = &[
    may("dense_2.weight", &[Embd, Key("dense_2_feat_out")]),
    may("dense_3.weight", &[Key("dense_3_feat_in"), Embd]),
];
