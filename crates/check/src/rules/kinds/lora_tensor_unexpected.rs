use ggufkit_format::{TensorPart, shorten};
use ggufkit_inspect::summary::Kind;

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A tensor of a LoRA adapter ends neither in `.lora_a` nor in `.lora_b`.
    ///
    /// llama.cpp, on which every loader of such adapters is built, refuses the whole adapter ("unexpected suffix"). Only norms that were trained along (`…_norm.weight`) are
    /// passed over, without effect. Adapters that replace whole matrices, DoRA magnitudes and added token embeddings cannot
    /// be said in this format.
    ///
    /// Merge the adapter into its base model before conversion, or train it without `modules_to_save` and without DoRA.
    GG805 "lora-tensor-unexpected" Kinds Error: "a tensor of an adapter is no half of a pair"
        "适配器的张量不属于任何一对"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if facts.kind() != Kind::Lora {
        return;
    }
    let taken: [&[u8]; 3] = [b".lora_a", b".lora_b", b"_norm.weight"];
    for at in facts.rows().filter(|at| !taken.iter().any(|end| at.name().ends_with(end))) {
        sink.add(&RULE, || {
            let message = format!("{} is neither lora_a nor lora_b", shorten(at.name(), 80));
            Finding::new(&RULE, message, at.label(TensorPart::Name).text("this tensor"))
                .note("llama.cpp refuses the whole adapter: unexpected suffix")
                .help("merge the adapter into its base model before conversion")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    crate::testing::Tiny::lora().tensor("output.weight", &[8, 4]).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    crate::testing::Tiny::lora().tensor("blk.0.attn_norm.weight", &[8]).into()
}
