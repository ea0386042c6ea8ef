//! Groups of tensors that many architectures share.

use super::Dim::{Any, Embd, Experts, Ff, FfExp, HeadK, K, Key, O, Q, Qkv, Times, V, Vocab};
use super::{Need, Row, may, must, unless, with};

pub(super) const RMS: &str = "attention.layer_norm_rms_epsilon";
pub(super) const NORM: &str = "attention.layer_norm_epsilon";

/// The embedding of tokens.
pub(super) const EMBEDDING: &[Row] = &[must("token_embd.weight", &[Embd, Vocab])];

/// The last norm.
pub(super) const OUTPUT_NORM: &[Row] = &[must("output_norm.weight", &[Embd])];

/// The last norm with its bias.
pub(super) const OUTPUT_NORM_BIAS: &[Row] =
    &[must("output_norm.weight", &[Embd]), must("output_norm.bias", &[Embd])];

/// The output matrix; the embedding serves where it is absent.
pub(super) const OUTPUT: &[Row] = &[may("output.weight", &[Embd, Vocab]), may("output.bias", &[Vocab])];

/// Tables of rotary embeddings.
pub(super) const ROPE: &[Row] = &[
    may("rope_freqs.weight", &[]),
    may("rope_factors_long.weight", &[]),
    may("rope_factors_short.weight", &[]),
];

/// Heads of models that classify or rank.
pub(super) const CLASSIFIER: &[Row] =
    &[may("cls.weight", &[]), may("cls.output.weight", &[]), may("cls.norm.weight", &[])];

/// The norm before attention.
pub(super) const ATTN_NORM: &[Row] = &[must("attn_norm.weight", &[Embd])];

/// The norm before attention with its bias.
pub(super) const ATTN_NORM_BIAS: &[Row] =
    &[must("attn_norm.weight", &[Embd]), must("attn_norm.bias", &[Embd])];

/// Queries, keys and values: three matrices, or one.
pub(super) const QKV: &[Row] = &[
    unless(&["attn_qkv.weight"], "attn_q.weight", &[Embd, Q]),
    unless(&["attn_qkv.weight"], "attn_k.weight", &[Embd, K]),
    unless(&["attn_qkv.weight"], "attn_v.weight", &[Embd, V]),
    may("attn_qkv.weight", &[Embd, Qkv]),
    may("attn_q.bias", &[Q]),
    may("attn_k.bias", &[K]),
    may("attn_v.bias", &[V]),
    may("attn_qkv.bias", &[Qkv]),
];

/// Queries, keys and values in one matrix.
pub(super) const FUSED_QKV: &[Row] = &[must("attn_qkv.weight", &[Embd, Qkv]), may("attn_qkv.bias", &[Qkv])];

/// Norms of every head's queries and keys.
pub(super) const QK_NORM: &[Row] =
    &[must("attn_q_norm.weight", &[HeadK]), must("attn_k_norm.weight", &[HeadK])];

/// Norms of all queries and of all keys.
pub(super) const WIDE_QK_NORM: &[Row] = &[must("attn_q_norm.weight", &[Q]), must("attn_k_norm.weight", &[K])];

/// Norms that only some models of an architecture have.
pub(super) const SOME_QK_NORM: &[Row] = &[may("attn_q_norm.weight", &[]), may("attn_k_norm.weight", &[])];

/// What attention puts out.
pub(super) const ATTN_OUTPUT: &[Row] =
    &[must("attn_output.weight", &[O, Embd]), may("attn_output.bias", &[Embd])];

/// Frequencies that old converters wrote into each layer.
pub(super) const ROT_EMBD: &[Row] = &[may("attn_rot_embd.weight", &[])];

/// The norm before the feed-forward network.
pub(super) const FFN_NORM: &[Row] = &[must("ffn_norm.weight", &[Embd])];

/// The norm before the feed-forward network with its bias.
pub(super) const FFN_NORM_BIAS: &[Row] = &[must("ffn_norm.weight", &[Embd]), must("ffn_norm.bias", &[Embd])];

/// Norms behind attention and behind the feed-forward network.
pub(super) const POST_NORMS: &[Row] =
    &[must("post_attention_norm.weight", &[Embd]), must("post_ffw_norm.weight", &[Embd])];

/// A feed-forward network with a gate.
pub(super) const GATED: &[Row] = &[
    must("ffn_gate.weight", &[Embd, Ff]),
    must("ffn_up.weight", &[Embd, Ff]),
    must("ffn_down.weight", &[Ff, Embd]),
];

/// A feed-forward network without a gate.
pub(super) const UNGATED: &[Row] =
    &[must("ffn_up.weight", &[Embd, Ff]), must("ffn_down.weight", &[Ff, Embd])];

/// A feed-forward network whose gate and input are one matrix.
pub(super) const FUSED_GATE: &[Row] =
    &[must("ffn_up.weight", &[Embd, Times(2, &Ff)]), must("ffn_down.weight", &[Ff, Embd])];

/// What tells a layer of experts.
pub(super) const ROUTER: &str = "ffn_gate_inp.weight";

/// A feed-forward network with a gate in layers without experts.
pub(super) const GATED_UNLESS_EXPERTS: &[Row] = &[
    unless(&[ROUTER], "ffn_gate.weight", &[Embd, Ff]),
    unless(&[ROUTER], "ffn_up.weight", &[Embd, Ff]),
    unless(&[ROUTER], "ffn_down.weight", &[Ff, Embd]),
];

const fn expert(name: &'static str, others: &'static [&'static str], shape: &'static [super::Dim]) -> Row {
    Row { name, need: Need::With(ROUTER, others), shape }
}

/// Experts of the width `expert_feed_forward_length`, in layers that have a router.
pub(super) const EXPERTS: &[Row] = &[
    may(ROUTER, &[Embd, Experts]),
    expert(
        "ffn_gate_exps.weight",
        &["ffn_gate_up_exps.weight", "ffn_gate.0.weight"],
        &[Embd, FfExp, Experts],
    ),
    expert("ffn_up_exps.weight", &["ffn_gate_up_exps.weight", "ffn_up.0.weight"], &[Embd, FfExp, Experts]),
    expert("ffn_down_exps.weight", &["ffn_down.0.weight"], &[FfExp, Embd, Experts]),
    may("ffn_gate_up_exps.weight", &[Embd, Times(2, &FfExp), Experts]),
];

/// Experts whose width is not looked at: some models say it in `feed_forward_length`.
pub(super) const WIDE_EXPERTS: &[Row] = &[
    may(ROUTER, &[Embd, Experts]),
    expert("ffn_gate_exps.weight", &["ffn_gate_up_exps.weight", "ffn_gate.0.weight"], &[Embd, Any, Experts]),
    expert("ffn_up_exps.weight", &["ffn_gate_up_exps.weight", "ffn_up.0.weight"], &[Embd, Any, Experts]),
    expert("ffn_down_exps.weight", &["ffn_down.0.weight"], &[Any, Embd, Experts]),
    may("ffn_gate_up_exps.weight", &[Embd, Any, Experts]),
];

/// A router in every layer.
pub(super) const ALL_LAYERS_ROUTE: &[Row] = &[must(ROUTER, &[Embd, Experts])];

/// Experts that every token passes.
pub(super) const SHARED_EXPERT: &[Row] = &[
    with(ROUTER, "ffn_gate_shexp.weight", &[Embd, Any]),
    with(ROUTER, "ffn_up_shexp.weight", &[Embd, Any]),
    with(ROUTER, "ffn_down_shexp.weight", &[Any, Embd]),
];

/// The same, where not all models have them.
pub(super) const SOME_SHARED_EXPERT: &[Row] = &[
    may("ffn_gate_shexp.weight", &[Embd, Any]),
    may("ffn_up_shexp.weight", &[Embd, Any]),
    may("ffn_down_shexp.weight", &[Any, Embd]),
];

/// What is added to the router's choice.
pub(super) const EXPERT_BIAS: &[Row] = &[may("exp_probs_b.bias", &[Experts])];

/// Layers that predict further tokens.
pub(super) const NEXTN: &[Row] = &[
    may("nextn.eh_proj.weight", &[]),
    may("nextn.embed_tokens.weight", &[]),
    may("nextn.enorm.weight", &[]),
    may("nextn.hnorm.weight", &[]),
    may("nextn.shared_head_head.weight", &[]),
    may("nextn.shared_head_norm.weight", &[]),
];

/// Learned positions.
pub(super) const LEARNED_POSITIONS: &[Row] = &[must("position_embd.weight", &[Embd, Key("context_length")])];

/// Biases of every matrix, where queries, keys and values are one matrix.
pub(super) const ALL_BIASES: &[Row] = &[
    must("attn_qkv.bias", &[Qkv]),
    must("attn_output.bias", &[Embd]),
    must("ffn_up.bias", &[Ff]),
    must("ffn_down.bias", &[Embd]),
];

/// Around the layers of an encoder in the manner of BERT.
pub(super) const ENCODER_GLOBALS: &[Row] = &[
    must("token_embd_norm.weight", &[Embd]),
    must("token_embd_norm.bias", &[Embd]),
    may("token_types.weight", &[Embd, Key("tokenizer.ggml.token_type_count")]),
];

/// Norms behind attention and behind the feed-forward network of such an encoder.
pub(super) const ENCODER_NORMS: &[Row] = &[
    must("attn_output_norm.weight", &[Embd]),
    must("attn_output_norm.bias", &[Embd]),
    must("layer_output_norm.weight", &[Embd]),
    must("layer_output_norm.bias", &[Embd]),
];
/// Attention with a gate in some layers, a gated delta network in the others.
pub(super) const DELTA_OR_ATTENTION: &[Row] = &[
    unless(&["ssm_out.weight", "attn_qkv.weight"], "attn_q.weight", &[Embd, Times(2, &Q)]),
    unless(&["ssm_out.weight", "attn_qkv.weight"], "attn_k.weight", &[Embd, K]),
    unless(&["ssm_out.weight", "attn_qkv.weight"], "attn_v.weight", &[Embd, V]),
    unless(&["ssm_out.weight"], "attn_output.weight", &[O, Embd]),
    may("attn_q_norm.weight", &[HeadK]),
    may("attn_k_norm.weight", &[HeadK]),
    must("post_attention_norm.weight", &[Embd]),
    with("ssm_out.weight", "ssm_conv1d.weight", &[]),
    with("ssm_out.weight", "ssm_norm.weight", &[]),
    with("ssm_out.weight", "ssm_a", &[]),
    may("ssm_out.weight", &[Key("ssm.inner_size"), Embd]),
];
