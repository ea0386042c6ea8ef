use ggufkit_format::{Element, KvPart};
use ggufkit_inspect::summary::Kind;

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// `{arch}.block_count` is 0 in a file that has tensors.
    ///
    /// A model without layers computes nothing. llama.cpp stops with a failed assertion, which ends the whole process;
    /// Ollama divided by the number of layers and crashed (CVE-2024-8063). Programs that plan memory per layer divide by it
    /// as well.
    ///
    /// Write the number of layers: one more than the largest N in the names `blk.N.…`. Where the layers themselves are
    /// absent, the file was cut by the program that wrote it and has to be made anew.
    GG404 "block-count-zero" Conventions Error: "block_count is 0"
        "block_count 为 0"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some(place) = facts.arch_key("block_count") else { return };
    let tensors = facts.model().is_some_and(|model| model.tensors().next().is_some());
    if facts.kind() != Kind::Model || !tensors || facts.arch_u64("block_count") != Some(0) {
        return;
    }
    sink.add(&RULE, || {
        let primary = facts.kv_label(&place, KvPart::Value(Element::Whole)).text("no layers");
        Finding::new(&RULE, "block_count is 0, but the file has tensors", primary)
            .note("llama.cpp aborts on an assertion; older Ollama divides by the count and crashes")
            .help("write the number of layers: one more than the largest N in the names blk.N")
    });
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    crate::testing::Tiny::llama().key("llama.block_count", 0_u32).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    crate::testing::Tiny::llama().into()
}
