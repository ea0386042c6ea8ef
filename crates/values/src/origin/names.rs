//! What tensors are called before conversion: data.
//!
//! A tensor of a layer is named behind the layer's own name, which has several forms, too. The first name that the source has
//! is taken, so the order within a row tells apart what one name means in one family and another in the next:
//! `post_attention_layernorm` stands before the feed-forward part, unless there is a `pre_feedforward_layernorm`.

/// What may stand before all names.
pub(super) const PREFIXES: &[&str] = &[
    "model.",
    "",
    "transformer.",
    "gpt_neox.",
    "language_model.model.",
    "model.language_model.",
    "language_model.",
    "text_model.",
    "model.transformer.",
];

/// What may stand before the number of a layer.
pub(super) const LAYERS: &[&str] = &["layers.", "h.", "blocks."];

/// Tensors of no layer.
pub(super) const TOP: &[(&str, &[&str])] = &[
    ("token_embd", &["embed_tokens", "wte", "word_embeddings", "tok_embeddings", "embed_in"]),
    ("position_embd", &["wpe"]),
    ("token_embd_norm", &["word_embeddings_layernorm"]),
    ("output_norm", &["norm", "ln_f", "final_layernorm", "final_layer_norm", "norm_f"]),
    ("output", &["lm_head", "output", "embed_out"]),
];

/// Tensors of layers.
pub(super) const LAYER: &[(&str, &[&str])] = &[
    (
        "attn_norm",
        &[
            "input_layernorm",
            "ln_1",
            "norm_1",
            "ln_mlp",
            "attention_norm",
            "ln1",
            "ln",
            "pre_attn_norm",
            "attn_norm",
        ],
    ),
    ("attn_norm_2", &["ln_attn"]),
    ("attn_q", &["self_attn.q_proj", "attention.wq", "attn.q_proj", "attention.q_proj"]),
    ("attn_k", &["self_attn.k_proj", "attention.wk", "attn.k_proj", "attention.k_proj"]),
    ("attn_v", &["self_attn.v_proj", "attention.wv", "attn.v_proj", "attention.v_proj"]),
    (
        "attn_qkv",
        &[
            "self_attention.query_key_value",
            "attention.query_key_value",
            "self_attn.query_key_value",
            "attn.c_attn",
            "self_attn.qkv_proj",
            "attn.Wqkv",
            "mixer.Wqkv",
        ],
    ),
    (
        "attn_output",
        &[
            "self_attn.o_proj",
            "attention.wo",
            "self_attention.dense",
            "attention.dense",
            "attn.c_proj",
            "attn.out_proj",
            "self_attn.out_proj",
            "self_attn.dense",
            "attention.o_proj",
            "mixer.out_proj",
        ],
    ),
    ("attn_q_norm", &["self_attn.q_norm", "self_attn.q_layernorm"]),
    ("attn_k_norm", &["self_attn.k_norm", "self_attn.k_layernorm"]),
    ("attn_sinks", &["self_attn.sinks"]),
    ("post_attention_norm", &["post_attention_layernorm", "post_self_attn_layernorm"]),
    (
        "ffn_norm",
        &["pre_feedforward_layernorm", "post_attention_layernorm", "ln_2", "norm_2", "ffn_norm", "ln2"],
    ),
    ("post_ffw_norm", &["post_feedforward_layernorm", "post_mlp_layernorm"]),
    ("ffn_gate", &["mlp.gate_proj", "feed_forward.w1", "feed_forward.gate_proj", "mlp.w2"]),
    (
        "ffn_up",
        &[
            "mlp.up_proj",
            "feed_forward.w3",
            "feed_forward.up_proj",
            "mlp.gate_up_proj",
            "mlp.c_fc",
            "mlp.dense_h_to_4h",
            "mlp.fc1",
            "ffn.up_proj",
            "mlp.w1",
        ],
    ),
    (
        "ffn_down",
        &[
            "mlp.down_proj",
            "feed_forward.w2",
            "feed_forward.down_proj",
            "mlp.c_proj",
            "mlp.dense_4h_to_h",
            "mlp.fc2",
            "ffn.down_proj",
        ],
    ),
    ("ffn_gate_inp", &["block_sparse_moe.gate", "mlp.gate", "mlp.router", "feed_forward.router"]),
    ("ffn_gate_inp_shexp", &["mlp.shared_expert_gate"]),
    ("ffn_gate_shexp", &["mlp.shared_expert.gate_proj", "mlp.shared_experts.gate_proj"]),
    ("ffn_up_shexp", &["mlp.shared_expert.up_proj", "mlp.shared_experts.up_proj"]),
    ("ffn_down_shexp", &["mlp.shared_expert.down_proj", "mlp.shared_experts.down_proj"]),
];

/// Tensors that hold one matrix of every expert: what they are called behind the number of the expert.
pub(super) const EXPERTS: &[(&str, &[&str])] = &[
    ("ffn_gate_exps", &["w1", "gate_proj"]),
    ("ffn_down_exps", &["w2", "down_proj"]),
    ("ffn_up_exps", &["w3", "up_proj"]),
];

/// What may stand before the number of an expert.
pub(super) const OF_EXPERTS: &[&str] =
    &["block_sparse_moe.experts.", "mlp.experts.", "feed_forward.experts."];

/// Architectures whose queries and keys have their rows in another order: those that halves of a head are turned by become
/// neighbours.
pub(super) const PAIRED: &[&str] = &[
    "llama",
    "llama-embed",
    "arcee",
    "arctic",
    "chameleon",
    "deci",
    "deepseek",
    "granite",
    "granitemoe",
    "llada",
    "minicpm",
    "mistral3",
    "nanbeige",
    "olmo",
    "smollm3",
    "xverse",
];

/// Architectures whose norms are stored without the 1 that is added to them.
pub(super) const SHIFTED: &[&str] = &["gemma", "gemma2", "gemma3", "gemma-embedding", "nemotron"];

/// Architectures whose matrices are stored with a column for every output, under these names.
pub(super) const TURNED: &[&str] = &["gpt2"];

/// The names.
pub(super) const TURNED_NAMES: &[&str] = &["c_attn.weight", "c_proj.weight", "c_fc.weight"];

/// Tensors that conversion makes: no source has them.
pub(super) const MADE: &[&str] =
    &["rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight"];

/// Ends of names of what is no weight: tables that are worked out anew, masks.
pub(super) const NO_WEIGHTS: &[&str] =
    &["rotary_emb.inv_freq", "attn.bias", "attn.masked_bias", "attention.bias", "attention.masked_bias"];
