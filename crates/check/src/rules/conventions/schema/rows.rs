//! Groups of tensors that many architectures share.

use super::Dim::{
    Any, Embd, Experts, Ff, FfExp, FfShared, HalfRope, HeadK, Heads, K, Key, N, Product, Q, Qkv, Sum, Times,
    V, Vocab,
};
use super::{Need, Row, may, may_where, may_where_not, may_with, must, unless, where_, where_not, with};

/// The embedding of tokens.
pub(super) const EMBEDDING: &[Row] = &[must("token_embd.weight", &[Embd, Vocab])];

/// The last norm.
pub(super) const OUTPUT_NORM: &[Row] = &[must("output_norm.weight", &[Embd])];

/// The last norm with its bias.
pub(super) const OUTPUT_NORM_BIAS: &[Row] =
    &[must("output_norm.weight", &[Embd]), must("output_norm.bias", &[Embd])];

/// The output matrix; the embedding serves where it is absent.
pub(super) const OUTPUT: &[Row] = &[may("output.weight", &[Embd, Vocab])];

/// The output matrix where loaders do not take the embedding instead.
pub(super) const OWN_OUTPUT: &[Row] = &[must("output.weight", &[Embd, Vocab])];

/// The bias of the output matrix.
pub(super) const OUTPUT_BIAS: &[Row] = &[may("output.bias", &[Vocab])];

/// Frequencies of rotary embeddings.
pub(super) const ROPE_FREQS: &[Row] = &[may("rope_freqs.weight", &[HalfRope])];

/// Factors of rotary embeddings for long and for short contexts.
pub(super) const ROPE_FACTORS: &[Row] =
    &[may("rope_factors_long.weight", &[HalfRope]), may("rope_factors_short.weight", &[HalfRope])];

/// Frequencies, or factors for long and for short contexts where the scaling is of that kind.
pub(super) const ROPE_BY_SCALING: &[Row] = &[
    may_where_not(LONG_ROPE, "rope_freqs.weight", &[HalfRope]),
    may_where(LONG_ROPE, "rope_factors_long.weight", &[HalfRope]),
    may_where(LONG_ROPE, "rope_factors_short.weight", &[HalfRope]),
];

const LONG_ROPE: &str = "rope.scaling.type=longrope";

/// The score of models that rank.
pub(super) const SCORE: &[Row] = &[may("cls.output.weight", &[])];

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
    may_with("attn_qkv.weight", "attn_qkv.bias", &[Qkv]),
];

/// Queries, keys and values in one matrix.
pub(super) const FUSED_QKV: &[Row] = &[must("attn_qkv.weight", &[Embd, Qkv])];

/// Norms of every head's queries and keys.
pub(super) const QK_NORM: &[Row] =
    &[must("attn_q_norm.weight", &[HeadK]), must("attn_k_norm.weight", &[HeadK])];

/// Norms of all queries and of all keys.
pub(super) const WIDE_QK_NORM: &[Row] = &[must("attn_q_norm.weight", &[Q]), must("attn_k_norm.weight", &[K])];

/// What attention puts out.
pub(super) const ATTN_OUTPUT: &[Row] = &[must("attn_output.weight", &[Q, Embd])];

/// The bias of what attention puts out.
pub(super) const ATTN_OUTPUT_BIAS: &[Row] = &[may("attn_output.bias", &[Embd])];

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
pub(crate) const ROUTER: &str = "ffn_gate_inp.weight";

/// A feed-forward network with a gate in layers without experts.
pub(super) const GATED_UNLESS_EXPERTS: &[Row] = &[
    unless(&[ROUTER], "ffn_gate.weight", &[Embd, Ff]),
    unless(&[ROUTER], "ffn_up.weight", &[Embd, Ff]),
    unless(&[ROUTER], "ffn_down.weight", &[Ff, Embd]),
];

/// Experts of the width `expert_feed_forward_length`, in layers that have a router.
pub(super) const EXPERTS: &[Row] = &[
    may(ROUTER, &[Embd, Experts]),
    with(ROUTER, "ffn_gate_exps.weight", &[Embd, FfExp, Experts]),
    with(ROUTER, "ffn_up_exps.weight", &[Embd, FfExp, Experts]),
    with(ROUTER, "ffn_down_exps.weight", &[FfExp, Embd, Experts]),
];

const fn expert(name: &'static str, shape: &'static [super::Dim]) -> Row {
    Row { name, need: Need::With(ROUTER, &["ffn_gate_up_exps.weight"]), shape }
}

/// The same, where gate and input may be one matrix.
pub(super) const MERGED_EXPERTS: &[Row] = &[
    may(ROUTER, &[Embd, Experts]),
    expert("ffn_gate_exps.weight", &[Embd, FfExp, Experts]),
    expert("ffn_up_exps.weight", &[Embd, FfExp, Experts]),
    with(ROUTER, "ffn_down_exps.weight", &[FfExp, Embd, Experts]),
    may_with(ROUTER, "ffn_gate_up_exps.weight", &[Embd, Times(2, &FfExp), Experts]),
];

/// Experts of the width `feed_forward_length`, in layers that have a router.
pub(super) const WIDE_EXPERTS: &[Row] = &[
    may(ROUTER, &[Embd, Experts]),
    with(ROUTER, "ffn_gate_exps.weight", &[Embd, Ff, Experts]),
    with(ROUTER, "ffn_up_exps.weight", &[Embd, Ff, Experts]),
    with(ROUTER, "ffn_down_exps.weight", &[Ff, Embd, Experts]),
];

/// A feed-forward network in every layer, or experts in every layer where `expert_count` says so.
pub(super) const DENSE_OR_EXPERTS: &[Row] = &[
    where_not("expert_count", "ffn_gate.weight", &[Embd, Ff]),
    where_not("expert_count", "ffn_up.weight", &[Embd, Ff]),
    where_not("expert_count", "ffn_down.weight", &[Ff, Embd]),
    may_with("ffn_gate.weight", "ffn_gate.bias", &[Ff]),
    may_with("ffn_up.weight", "ffn_up.bias", &[Ff]),
    may_with("ffn_down.weight", "ffn_down.bias", &[Embd]),
    where_("expert_count", ROUTER, &[Embd, Experts]),
    may_with(ROUTER, "ffn_gate_exps.weight", &[Embd, Ff, Experts]),
    where_("expert_count", "ffn_up_exps.weight", &[Embd, Ff, Experts]),
    where_("expert_count", "ffn_down_exps.weight", &[Ff, Embd, Experts]),
    where_(SHARED_WIDTH, "ffn_gate_shexp.weight", &[Embd, Key(SHARED_WIDTH)]),
    where_(SHARED_WIDTH, "ffn_up_shexp.weight", &[Embd, Key(SHARED_WIDTH)]),
    where_(SHARED_WIDTH, "ffn_down_shexp.weight", &[Key(SHARED_WIDTH), Embd]),
];

const SHARED_WIDTH: &str = "expert_shared_feed_forward_length";

/// A router in every layer.
pub(super) const ALL_LAYERS_ROUTE: &[Row] = &[must(ROUTER, &[Embd, Experts])];

/// An expert that every token passes, of a width of its own or that of the feed-forward network.
pub(super) const SHARED_EXPERT: &[Row] = &[
    must("ffn_gate_shexp.weight", &[Embd, FfShared]),
    must("ffn_up_shexp.weight", &[Embd, FfShared]),
    must("ffn_down_shexp.weight", &[FfShared, Embd]),
];

/// Experts that every token passes, `expert_shared_count` of them side by side.
pub(super) const SHARED_EXPERTS: &[Row] = &[
    with(ROUTER, "ffn_gate_shexp.weight", &[Embd, Product(&[FfExp, Key("expert_shared_count")])]),
    with(ROUTER, "ffn_up_shexp.weight", &[Embd, Product(&[FfExp, Key("expert_shared_count")])]),
    with(ROUTER, "ffn_down_shexp.weight", &[Product(&[FfExp, Key("expert_shared_count")]), Embd]),
];

/// The gate of the expert that every token passes.
pub(super) const SHARED_GATE: &[Row] = &[must("ffn_gate_inp_shexp.weight", &[Embd])];

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

/// Biases of such an encoder.
pub(super) const ENCODER_BIASES: &[Row] =
    &[may("attn_output.bias", &[Embd]), may("ffn_up.bias", &[Ff]), may("ffn_down.bias", &[Embd])];

/// Norms behind attention and behind the feed-forward network of such an encoder.
pub(super) const ENCODER_NORMS: &[Row] = &[
    must("attn_output_norm.weight", &[Embd]),
    must("attn_output_norm.bias", &[Embd]),
    must("layer_output_norm.weight", &[Embd]),
    must("layer_output_norm.bias", &[Embd]),
];

/// Attention with a gate in some layers, a gated delta network in the others. Which of the two a layer is, the metadata say.
pub(super) const DELTA_OR_ATTENTION: &[Row] = &[
    unless(&["ssm_out.weight", "attn_qkv.weight"], "attn_q.weight", &[Embd, Times(2, &Q)]),
    unless(&["ssm_out.weight", "attn_qkv.weight"], "attn_k.weight", &[Embd, K]),
    unless(&["ssm_out.weight", "attn_qkv.weight"], "attn_v.weight", &[Embd, V]),
    unless(&["ssm_out.weight"], "attn_output.weight", &[Q, Embd]),
    unless(&["ssm_out.weight"], "attn_q_norm.weight", &[HeadK]),
    unless(&["ssm_out.weight"], "attn_k_norm.weight", &[HeadK]),
    must("post_attention_norm.weight", &[Embd]),
    may("attn_qkv.weight", &[Embd, Any]),
    may("attn_gate.weight", &[Embd, Product(&[Key("ssm.state_size"), Key("ssm.time_step_rank")])]),
    with("ssm_out.weight", "ssm_conv1d.weight", &[Key("ssm.conv_kernel"), Any]),
    with("ssm_out.weight", "ssm_dt.bias", &[Key("ssm.time_step_rank")]),
    with("ssm_out.weight", "ssm_norm.weight", &[Key("ssm.state_size")]),
    with("ssm_out.weight", "ssm_a", &[Key("ssm.time_step_rank")]),
    may("ssm_out.weight", &[Product(&[Key("ssm.state_size"), Key("ssm.time_step_rank")]), Embd]),
];

/// What steers the state of a delta network, in two matrices.
pub(super) const DELTA_STEERING: &[Row] = &[
    with("ssm_out.weight", "ssm_beta.weight", &[Embd, Key("ssm.time_step_rank")]),
    with("ssm_out.weight", "ssm_alpha.weight", &[Embd, Key("ssm.time_step_rank")]),
];

/// A state space with heads: what goes in, and what the convolution sees.
const STATE_IN: super::Dim =
    Sum(&[Times(2, &Key("ssm.inner_size")), Times(2, &STATE_GROUPS), Key("ssm.time_step_rank")]);
const STATE_CONV: super::Dim = Sum(&[Key("ssm.inner_size"), Times(2, &STATE_GROUPS)]);
const STATE_GROUPS: super::Dim = Product(&[Key("ssm.group_count"), Key("ssm.state_size")]);
const STATE_NORM: super::Dim = super::Dim::Over(&Key("ssm.inner_size"), &Key("ssm.group_count"));

/// A state space with heads instead of attention. Two tensors have no `.weight` in their names.
pub(super) const STATE_SPACE: &[Row] = &[
    must("ssm_in.weight", &[Embd, STATE_IN]),
    must("ssm_conv1d.weight", &[Key("ssm.conv_kernel"), STATE_CONV]),
    must("ssm_conv1d.bias", &[STATE_CONV]),
    must("ssm_dt.bias", &[Key("ssm.time_step_rank")]),
    must("ssm_a", &[N(1), Key("ssm.time_step_rank")]),
    must("ssm_d", &[N(1), Key("ssm.time_step_rank")]),
    must("ssm_norm.weight", &[STATE_NORM, Key("ssm.group_count")]),
    must("ssm_out.weight", &[Key("ssm.inner_size"), Embd]),
];

/// A state space with heads in some layers, attention in the others.
pub(super) const STATE_SPACE_OR_ATTENTION: &[Row] = &[
    may("ssm_out.weight", &[Key("ssm.inner_size"), Embd]),
    with("ssm_out.weight", "ssm_in.weight", &[Embd, STATE_IN]),
    with("ssm_out.weight", "ssm_conv1d.weight", &[Key("ssm.conv_kernel"), STATE_CONV]),
    may_with("ssm_out.weight", "ssm_conv1d.bias", &[STATE_CONV]),
    with("ssm_out.weight", "ssm_dt.bias", &[Key("ssm.time_step_rank")]),
    with("ssm_out.weight", "ssm_a", &[N(1), Key("ssm.time_step_rank")]),
    with("ssm_out.weight", "ssm_d", &[N(1), Key("ssm.time_step_rank")]),
    with("ssm_out.weight", "ssm_norm.weight", &[STATE_NORM, Key("ssm.group_count")]),
    unless(&["ssm_out.weight", "attn_qkv.weight"], "attn_q.weight", &[Embd, Q]),
    unless(&["ssm_out.weight", "attn_qkv.weight"], "attn_k.weight", &[Embd, K]),
    unless(&["ssm_out.weight", "attn_qkv.weight"], "attn_v.weight", &[Embd, V]),
    unless(&["ssm_out.weight"], "attn_output.weight", &[Q, Embd]),
    may("attn_qkv.weight", &[Embd, Qkv]),
];

/// A layer of an encoder in the manner of T5. Only the first layer has the table of relative positions.
pub(super) const T5_LAYER: &[Row] = &[
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

/// The last norm of such an encoder.
pub(super) const T5_NORM: &[Row] = &[must("enc.output_norm.weight", &[Embd])];
