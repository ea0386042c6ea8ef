use ggufkit_format::{Element, KvPart, Value};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// `general.architecture` is there and is an empty string.
    ///
    /// Every other hyperparameter is looked up under the architecture's name (`llama.block_count`), so a reader that takes
    /// the empty name looks for `.block_count` and finds nothing. llama.cpp says "unknown model architecture: ''". Ollama
    /// crashed on such a file because it used what it had not found (CVE-2025-0312).
    ///
    /// Write the architecture that the tensors belong to; `gguf tensors` shows their names, and a copy of the same model
    /// from its publisher tells the rest. A file that was made on purpose this way is not a model and should not be offered
    /// to one of these programs.
    GG401 "architecture-empty" Conventions Error: "general.architecture is empty"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some(place) = facts.key("general.architecture") else { return };
    if !matches!(place.part.view.value(place.record), Value::String(text) if text.0.is_empty()) {
        return;
    }
    sink.add(&RULE, || {
        let primary = facts.kv_label(&place, KvPart::Length(Element::Whole)).text("a string of 0 bytes");
        Finding::new(&RULE, RULE.summary, primary)
            .note("hyperparameters are keys that begin with the architecture's name, so none can be found")
            .help("write the architecture that the tensors belong to")
    });
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::tiny::Tiny::llama().key("general.architecture", "").into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::tiny::Tiny::llama().into()
}
