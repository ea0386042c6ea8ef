//! ERNIE 4.5 with experts.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "ernie4_5-moe",
    coverage: Partial,
    globals: &[EMBEDDING, OUTPUT_NORM, OUTPUT],
    stacks: &[blk(&[
        ATTN_NORM,
        QKV,
        ATTN_OUTPUT,
        ATTN_OUTPUT_BIAS,
        FFN_NORM,
        GATED_UNLESS_EXPERTS,
        OWN,
        EXPERT_BIAS,
    ])],
};

/// Experts in layers that have a router, one of them for every token where its width is stated.
const OWN: &[Row] = &[
    may(ROUTER, &[Embd, Experts]),
    may_with(ROUTER, "ffn_gate_exps.weight", &[Embd, FfExp, Experts]),
    with(ROUTER, "ffn_up_exps.weight", &[Embd, FfExp, Experts]),
    with(ROUTER, "ffn_down_exps.weight", &[FfExp, Embd, Experts]),
    may_with(ROUTER, "ffn_gate_shexp.weight", &[Embd, Key("expert_shared_feed_forward_length")]),
    may_with(ROUTER, "ffn_up_shexp.weight", &[Embd, Key("expert_shared_feed_forward_length")]),
    may_with(ROUTER, "ffn_down_shexp.weight", &[Key("expert_shared_feed_forward_length"), Embd]),
];
