use ggufkit_format::{Element, KvPart, Value};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// `general.architecture` is an empty string, or only blanks.
    ///
    /// It says no more than an absent key, and is worse for programs: llama.cpp refuses the file ("unknown model
    /// architecture: ''"), while readers that only test whether the key is there go on, put nothing in front of the names of
    /// the model's keys, find none of them, and fail later. Ollama crashed on a file like this (CVE-2025-0312).
    ///
    /// Write the name that the engine knows the model's family by: the prefix of the file's other keys usually tells it.
    GG128 "architecture-empty" Metadata Error: "general.architecture is empty"
        "general.architecture 为空"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (record, info) in facts.known().iter().filter(|(_, info)| info.pattern == "general.architecture") {
        let Value::String(text) = record.value() else { continue };
        if !text.0.trim_ascii().is_empty() {
            continue;
        }
        sink.add(&RULE, || {
            let part = match text.0.is_empty() {
                true => KvPart::Length(Element::Whole),
                false => KvPart::Value(Element::Whole),
            };
            Finding::new(&RULE, format!("{} is empty", info.pattern), record.label(part).text("no name"))
                .note("llama.cpp refuses the file: no architecture has this name")
                .help("write the name of the model's family; the prefix of its other keys tells it")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.architecture", "").into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.architecture", "llama").into()
}
