//! Which tensors are quantized at all: matrices, but not those that are small and sensitive.

use super::facts::{Facts, Shape};
use super::parts::contains;

/// Names that keep their type.
const WHOLE: &[&[u8]] = &[b"position_embd.weight", b"token_types.weight"];

/// What is in names that keep their type.
const WITHIN: &[&[u8]] = &[
    b"_norm.weight",
    // Which expert is asked.
    b"ffn_gate_inp.weight",
    b"ffn_gate_tid2eid.weight",
    b"altup",
    b"laurel",
    b"per_layer_model_proj",
    b"ssm_conv1d",
    b"shortconv.conv.weight",
    b"indexer.k_proj.weight",
    b"indexer.q_proj.weight",
    b"time_mix_first.weight",
    b"time_mix_w0.weight",
    b"time_mix_w1.weight",
    b"time_mix_w2.weight",
    b"time_mix_v0.weight",
    b"time_mix_v1.weight",
    b"time_mix_v2.weight",
    b"time_mix_a0.weight",
    b"time_mix_a1.weight",
    b"time_mix_a2.weight",
    b"time_mix_g1.weight",
    b"time_mix_g2.weight",
    b"time_mix_decay_w1.weight",
    b"time_mix_decay_w2.weight",
    b"time_mix_lerp_fused.weight",
    b"attn_rel_b.weight",
    // Of pictures and sounds.
    b".position_embd",
    b"sam.pos_embd",
    b"sam.neck.",
    b"sam.net_",
    b".rel_pos",
    b".patch_embd",
    b".patch_merger",
    b"a.rvq.codebook",
    b"mm.a.code_embd",
];

/// The same for models of one architecture.
const OF_ARCHITECTURE: &[(&str, &[&[u8]])] = &[(
    "glm5-next",
    &[
        b"hc_",
        b"indexer.attn_q_b",
        b"indexer.attn_k",
        b"indexer.proj",
        b"indexer_compressor_gate",
        b"indexer_compressor_ape",
        b"ssm_f_a.weight",
        b"ssm_f_b.weight",
        b"ssm_g_a.weight",
        b"ssm_g_b.weight",
        b"ssm_beta.weight",
        b"attn_kv_a_mqa.weight",
        b"attn_k_b.weight",
        b"attn_v_b.weight",
    ],
)];

/// Whether a mixture may change the type of a tensor.
pub(super) fn is_eligible(facts: &Facts, shape: &Shape<'_>) -> bool {
    let name = shape.name;
    let own = OF_ARCHITECTURE.iter().filter(|(architecture, _)| facts.is(architecture));
    shape.rank() >= 2
        && name.ends_with(b"weight")
        && !WHOLE.contains(&name)
        && !WITHIN.iter().chain(own.flat_map(|(_, words)| *words)).any(|word| contains(name, word))
}
