//! T5, Flan-T5, MADLAD: an encoder and a decoder.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "t5",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT, T5_NORM, DECODER_NORM],
    stacks: &[
        Stack { prefix: "enc.blk", counts: &["block_count"], rows: &[T5_LAYER] },
        Stack {
            prefix: "dec.blk",
            counts: &["decoder_block_count", "block_count"],
            rows: &[T5_LAYER, CROSS],
        },
    ],
};

/// The last norm of the decoder.
const DECODER_NORM: &[Row] = &[must("dec.output_norm.weight", &[Embd])];

/// What decoder layers hold beyond that: attention to the encoder.
const CROSS: &[Row] = &[
    must("cross_attn_norm.weight", &[Embd]),
    must("cross_attn_q.weight", &[Embd, K]),
    must("cross_attn_k.weight", &[Embd, K]),
    must("cross_attn_v.weight", &[Embd, V]),
    must("cross_attn_o.weight", &[V, Embd]),
    may("cross_attn_rel_b.weight", &[Heads, Key("attention.relative_buckets_count")]),
];
