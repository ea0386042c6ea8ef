//! BERT and its kin: BGE, E5, GTE, MiniLM, XLM-RoBERTa.

use super::prelude::*;

pub(super) const SCHEMA: Schema = Schema {
    name: "bert",
    coverage: Complete,
    globals: &[EMBEDDING, ENCODER_GLOBALS, LEARNED_POSITIONS, OWN_GLOBALS],
    stacks: &[blk(&[QKV, ATTN_OUTPUT, UNGATED, ENCODER_BIASES, ENCODER_NORMS])],
};

/// Heads of models that classify or rank.
const OWN_GLOBALS: &[Row] = &[
    may("cls.weight", &[Embd, Embd]),
    may("cls.bias", &[Embd]),
    may("cls.output.weight", &[Embd, Any]),
    may("cls.output.bias", &[]),
];
