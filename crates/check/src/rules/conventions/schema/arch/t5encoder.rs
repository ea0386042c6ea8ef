//! The encoder of T5 alone, as image models use it.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "t5encoder",
    coverage: Complete,
    keys: &[RMS, "attention.relative_buckets_count"],
    globals: &[EMBEDDING, OUTPUT, NORMS],
    stacks: &[Stack { prefix: "enc.blk", counts: &["block_count"], rows: &[ENCODER] }],
};

/// The last norm.
const NORMS: &[Row] = &[must("enc.output_norm.weight", &[Embd])];

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
