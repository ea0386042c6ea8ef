//! T5, Flan-T5, MADLAD: an encoder and a decoder.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "t5",
    coverage: Complete,
    keys: &[RMS, "attention.relative_buckets_count"],
    globals: &[EMBEDDING, OUTPUT, NORMS],
    stacks: &[
        Stack { prefix: "enc.blk", counts: &["block_count"], rows: &[ENCODER] },
        Stack { prefix: "dec.blk", counts: &["decoder_block_count", "block_count"], rows: &[ENCODER, CROSS] },
    ],
};

/// The last norms.
const NORMS: &[Row] = &[must("enc.output_norm.weight", &[Embd]), must("dec.output_norm.weight", &[Embd])];

/// What encoder layers hold. Only the first layer has the table of relative positions.
const ENCODER: &[Row] = &[
    must("attn_norm.weight", &[Embd]),
    must("attn_q.weight", &[Embd, K]),
    must("attn_k.weight", &[Embd, K]),
    must("attn_v.weight", &[Embd, V]),
    must("attn_o.weight", &[V, Embd]),
    may("attn_rel_b.weight", &[Heads, Key("attention.relative_buckets_count")]),
    must("ffn_norm.weight", &[Embd]),
    may("ffn_gate.weight", &[Embd, Ff]),
    must("ffn_up.weight", &[Embd, Ff]),
    must("ffn_down.weight", &[Ff, Embd]),
];

/// What decoder layers hold beyond that: attention to the encoder.
const CROSS: &[Row] = &[
    must("cross_attn_norm.weight", &[Embd]),
    must("cross_attn_q.weight", &[Embd, K]),
    must("cross_attn_k.weight", &[Embd, K]),
    must("cross_attn_v.weight", &[Embd, V]),
    must("cross_attn_o.weight", &[V, Embd]),
    may("cross_attn_rel_b.weight", &[Heads, Key("attention.relative_buckets_count")]),
];
