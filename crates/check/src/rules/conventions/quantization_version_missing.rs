use ggufkit_format::TensorPart;
use ggufkit_inspect::summary::Kind;

use crate::facts::{Facts, TensorAt};
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// There are quantized tensors, but no `general.quantization_version`.
    ///
    /// The specification demands the key for quantized models, so that a later change of the block layouts can be told. It
    /// is separate from the file's version. Quantized GGUF files were always of version 2, so every loader takes the absent
    /// key for 2 and nothing is refused.
    ///
    /// Write `general.quantization_version` = 2 (u32) when the file is edited anyway. Programs that quantize with gguf-py's
    /// writer have to add the key themselves; llama.cpp's quantizer writes it.
    GG416 "quantization-version-missing" Conventions Note: "quantized tensors without general.quantization_version"
        "有量化张量，却没有 general.quantization_version"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    // A piece without an architecture is nobody's model; nothing is asked of it.
    if facts.key("general.quantization_version").is_some() || !facts.is_complete() || facts.kind() != Kind::Model {
        return;
    }
    let quantized = |at: &TensorAt<'_>| at.tensor.tensor_type.info().is_some_and(|info| info.is_quantized());
    let Some(first) = facts.rows().find(quantized) else { return };
    sink.add(&RULE, || {
        let name = first.tensor.tensor_type;
        Finding::new(&RULE, RULE.summary, first.label(TensorPart::Type).text(format!("the first of them: {name}")))
            .note("loaders take the absent key for version 2")
            .help("write general.quantization_version = 2 (u32) when the file is edited anyway")
    });
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    let tensor = ggufkit_testkit::Tensor::new("blk.0.ffn_up.weight", 8, &[32]);
    ggufkit_testkit::Builder::new().kv("general.architecture", "llama").tensor(tensor).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    let tensor = ggufkit_testkit::Tensor::new("blk.0.ffn_up.weight", 8, &[32]);
    ggufkit_testkit::Builder::new()
        .kv("general.architecture", "llama")
        .kv("general.quantization_version", 2_u32)
        .tensor(tensor)
        .into()
}
