//! What each reader does about each rule.
//!
//! One row a rule; the columns are those of [`Loader::ALL`](super::Loader): llama.cpp reading a head, llama.cpp loading a
//! model, gguf-py, candle, `@huggingface/gguf`, Ollama. `a`: the reader does not mind; `r`: it refuses the file or is ended by
//! it; `?`: it depends on more than the rule knows, or nobody has looked. Ollama was not run: it is said to refuse what its
//! loader, llama.cpp's, refuses, and nothing else is claimed.
//!
//! Rules about the type of a value have no row for llama.cpp loading a model: the key decides. Nor have rules about the
//! vocabulary: `loaders/vocabulary.rs` follows what is done with it.
//!
//! Sources: gguf.cpp, llama-model-loader.cpp and llama-vocab.cpp of the version that [`Loader::version`](super::Loader::version)
//! names; gguf_reader.py; gguf_file.rs of candle-core; gguf.ts. The oracle test runs these readers on all handed cases and
//! holds the rows against what they do.

use ggufkit_format::spec::TensorType;

use super::Verdict;
use crate::finding::Finding;
use crate::rule::{Family, Rule};

struct Row {
    rule: &'static str,
    effects: &'static [u8; 6],
}

const fn row(rule: &'static str, effects: &'static [u8; 6]) -> Row {
    Row { rule, effects }
}

/// Rules that a row of its own speaks of. Every rule of the container, the metadata, the layout and the tensor table has one.
const ROWS: &[Row] = &[
    // The container.
    row("not-gguf", b"rrrrrr"),
    row("bad-magic", b"rrrrrr"),
    // gguf-py takes some lengths below zero for short ones. The JavaScript reader takes what is missing from its zeroed buffer, and may go on.
    row("unexpected-end", b"rrrr?r"),
    row("unsupported-version", b"rrrrrr"),
    row("version-zero", b"rrrrrr"),
    row("early-version", b"rrraa?"),
    row("big-endian", b"rrara?"),
    row("early-big-endian", b"rr?r??"),
    row("declared-too-large", b"rr?r?r"),
    row("unknown-value-type", b"rrrrrr"),
    row("position-overflow", b"rr?r??"),
    row("limit-met", b"??????"),
    row("mis-written-layout", b"rr????"),
    row("dialect-mismatch", b"rr????"),
    // A head is read without its data, unless not even the padding before it is there.
    row("data-cut-short", b"?rraa?"),
    row("trailing-bytes", b"aaaaaa"),
    row("joined-files", b"aaaaa?"),
    // Metadata.
    row("empty-key", b"rraaa?"),
    row("key-too-long", b"aaaaa?"),
    row("key-charset", b"aaaaaa"),
    row("key-control-characters", b"aaaaaa"),
    row("duplicate-key", b"rrraa?"),
    row("key-utf8", b"aaraa?"),
    row("nul-in-key", b"aaaaa?"),
    row("nul-in-value", b"aaaaa?"),
    row("bom-in-text", b"aaaaa?"),
    row("value-utf8", b"aaaaa?"),
    row("value-control-characters", b"aaaaaa"),
    row("odd-bool", b"aaara?"),
    row("nested-array", b"rraaa?"),
    row("empty-array", b"a?aaa?"),
    row("non-finite-float", b"aaaaa?"),
    row("integer-width", b"a?aaa?"),
    row("float-width", b"a?aaa?"),
    row("value-type", b"a?aaa?"),
    row("negative-value", b"a?aaa?"),
    row("unknown-enum-value", b"a?aaa?"),
    row("file-type-guessed", b"aaaaaa"),
    row("general-type-unknown", b"aaaaaa"),
    row("deprecated-key", b"aaaaa?"),
    row("misspelt-key", b"a?aaa?"),
    row("reserved-key", b"aaraaa"),
    row("arch-prefix-mismatch", b"a?aaa?"),
    row("missing-architecture", b"araaar"),
    row("architecture-empty", b"araaar"),
    row("architecture-type", b"araaar"),
    // Layout.
    // A value that is no integer is passed over by candle and by the JavaScript reader.
    row("alignment-unusable", b"rrr??r"),
    row("alignment-not-power-of-two", b"rrraa?"),
    row("tensor-offset-misaligned", b"rraaa?"),
    row("alignment-type", b"rrraa?"),
    row("alignment-small", b"a?aaa?"),
    row("alignment-huge", b"??????"),
    row("tensor-order", b"rraaa?"),
    row("tensor-gap", b"rraaa?"),
    row("tensor-overlap", b"rraaa?"),
    row("tensor-out-of-range", b"rr?aa?"),
    row("data-size-overflow", b"rr????"),
    row("head-padding-nonzero", b"aaaaaa"),
    row("tensor-padding-nonzero", b"aaaaaa"),
    row("final-padding-missing", b"aaaaaa"),
    // The tensor table.
    row("tensor-name-empty", b"aaaaa?"),
    row("tensor-name-too-long", b"rraaa?"),
    row("tensor-name-duplicate", b"rrraa?"),
    row("tensor-name-nul", b"aaaaa?"),
    row("tensor-name-equal-at-nul", b"??aaa?"),
    row("tensor-name-utf8", b"aaraa?"),
    row("tensor-name-control-characters", b"aaaaaa"),
    // candle takes 4 dimensions, the JavaScript reader 8.
    row("too-many-dims", b"rrar??"),
    row("scalar-tensor", b"aaaaa?"),
    row("empty-tensor", b"aaaaa?"),
    row("dim-negative", b"rrrar?"),
    row("elements-overflow", b"rrra??"),
    row("bytes-overflow", b"rrra??"),
    row("block-misfit", b"rrraa?"),
    row("tensor-type-removed", b"rrrra?"),
    row("tensor-type-unknown", b"rrrra?"),
    row("tensor-type-compute-only", b"a?aaa?"),
    row("orig-shape-mismatch", b"aaaaaa"),
    row("orig-shape-without-tensor", b"aaaaaa"),
    row("tensor-extra-mismatch", b"aaaaaa"),
    // What the file means. Tensors are called unexpected where an architecture's are known completely.
    row("architecture-unknown", b"araaa?"),
    row("tensor-unexpected", b"araaa?"),
    row("vocab-rows-mismatch", b"araaa?"),
    row("nextn-layers-mismatch", b"araaa?"),
    row("quantization-version-unknown", b"aaaaa?"),
];

/// What a reader does about a finding.
pub(super) fn effect(finding: &Finding, column: usize) -> Verdict {
    let rule = finding.rule;
    if hangs_on_the_key(rule, column) {
        return finding.primary.name.as_deref().map_or(Verdict::Unknown, of_typed_key);
    }
    let byte = match ROWS.iter().find(|row| row.rule == rule.name) {
        Some(row) => row.effects.get(column).copied(),
        None => of_family(rule).get(column).copied(),
    };
    match byte {
        Some(b'a') => Verdict::Accepts,
        Some(b'r') => Verdict::Rejects,
        _ => Verdict::Unknown,
    }
}

/// Whether the key that a finding of the rule is about tells what a reader does: llama.cpp loading a model, about a value of
/// another type than the key's.
pub(super) fn hangs_on_the_key(rule: &Rule, column: usize) -> bool {
    column == 1 && TYPED.contains(&rule.name)
}

/// Rules about the type of a value.
const TYPED: [&str; 5] = ["integer-width", "float-width", "value-type", "negative-value", "empty-array"];

/// What llama.cpp does, loading a model, about a value of another type than the key's: it refuses it wherever it reads it.
fn of_typed_key(key: &[u8]) -> Verdict {
    if matches!(key, b"general.name" | b"general.file_type" | b"split.count") {
        return Verdict::Rejects;
    }
    // What is in the lists of exceptions decides.
    if key.starts_with(b"general.tensor_extra.") {
        return Verdict::Unknown;
    }
    // What is read of a vocabulary is told by the vocabulary.
    if key.starts_with(b"general.") || key.starts_with(b"tokenizer.") {
        return Verdict::Accepts;
    }
    let by_every_architecture = [
        ".context_length",
        ".embedding_length",
        ".block_count",
        ".feed_forward_length",
        ".attention.head_count",
        ".attention.head_count_kv",
        ".attention.layer_norm_rms_epsilon",
        ".attention.layer_norm_epsilon",
        ".attention.key_length",
        ".attention.value_length",
        ".attention.causal",
        ".pooling_type",
        ".rope.dimension_count",
        ".rope.freq_base",
        ".rope.scaling.type",
        ".expert_count",
        ".expert_used_count",
        ".nextn_predict_layers",
    ];
    let is_read = by_every_architecture.iter().any(|suffix| key.ends_with(suffix.as_bytes()));
    if is_read { Verdict::Rejects } else { Verdict::Unknown }
}

/// Whether gguf-py has a tensor type (`GGMLQuantizationType`); it refuses a file that holds any other.
pub(super) fn gguf_py_knows(ty: TensorType) -> bool {
    matches!(ty.0, 0..=3 | 6..=30 | 34 | 35 | 39..=41)
}

/// The tensor types that candle has (`GgmlDType::from_u32`); it refuses a file that holds any other.
pub(super) fn candle_knows(ty: TensorType) -> bool {
    matches!(ty.0, 0..=3 | 6..=15 | 30)
}

/// Rules without a row: about what the file means. Readers of heads do not look at that; who loads a model does.
fn of_family(rule: &Rule) -> &'static [u8; 6] {
    use crate::Severity::{Error, Note, Warning};
    match (rule.family, rule.severity) {
        // What llama.cpp does is told by the vocabulary itself.
        (Family::Tokenizer, _) => b"aaaaa?",
        (Family::Conventions | Family::Shards, Error) => b"araaar",
        (Family::Conventions | Family::Shards, Warning) => b"a?aaa?",
        (Family::Conventions | Family::Shards, Note) => b"aaaaaa",
        (Family::Kinds, _) => b"a?aaa?",
        (Family::Templates, Error | Warning) => b"aaaaa?",
        (Family::Templates, Note) | (Family::Data, _) => b"aaaaaa",
        _ => b"??????",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn every_rule_that_readers_of_heads_may_mind_has_a_row_and_every_row_a_rule() {
        let needed = [Family::Container, Family::Metadata, Family::Layout, Family::Tensors];
        for rule in crate::rules::all().filter(|rule| needed.contains(&rule.family)) {
            assert!(ROWS.iter().any(|row| row.rule == rule.name), "{} has no row", rule.name);
        }
        for row in ROWS {
            assert!(crate::Rule::find(row.rule).is_some(), "{} is no rule", row.rule);
            assert!(row.effects.iter().all(|effect| b"ar?".contains(effect)), "{}", row.rule);
        }
    }
}
