//! BERT and its kin: BGE, E5, GTE, MiniLM, XLM-RoBERTa.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "bert",
    coverage: Partial,
    keys: &[NORM, "tokenizer.ggml.token_type_count"],
    globals: &[EMBEDDING, ENCODER_GLOBALS, LEARNED_POSITIONS, CLASSIFIER],
    stacks: &[blk(&[QKV, ATTN_OUTPUT, UNGATED, ENCODER_NORMS, OWN])],
};

/// Biases.
const OWN: &[Row] = &[must("ffn_up.bias", &[Ff]), must("ffn_down.bias", &[Embd])];
