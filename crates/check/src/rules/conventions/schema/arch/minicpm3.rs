//! MiniCPM 3: keys and values from a latent vector.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "minicpm3",
    coverage: Complete,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT, ROPE_FACTORS],
    stacks: &[blk(&[ATTN_NORM, OWN, FFN_NORM, GATED])],
};

const OWN: &[Row] = &[
    must("attn_q_a.weight", &[Embd, Key("attention.q_lora_rank")]),
    must("attn_q_a_norm.weight", &[Key("attention.q_lora_rank")]),
    must("attn_q_b.weight", &[Key("attention.q_lora_rank"), Q]),
    must("attn_kv_a_norm.weight", &[Key("attention.kv_lora_rank")]),
    must("attn_kv_a_mqa.weight", &[Embd, Sum(&[Key("attention.kv_lora_rank"), TURNED])]),
    must("attn_kv_b.weight", &[Key("attention.kv_lora_rank"), KEYS_AND_VALUES]),
    must("attn_output.weight", &[O, Embd]),
];

/// What is turned in a head.
const TURNED: Dim = Key("rope.dimension_count");
const KEYS_AND_VALUES: Dim = Sum(&[Minus(&Q, &Product(&[Heads, TURNED])), O]);
