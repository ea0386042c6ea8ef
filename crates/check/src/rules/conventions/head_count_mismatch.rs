use ggufkit_format::{Element, KvPart};

use super::layers::model_architecture;
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The embedding cannot be shared evenly among the heads, and no key says how large a head is.
    ///
    /// Without `{arch}.attention.key_length` loaders compute the size of a head as embedding_length / head_count. Where
    /// that leaves a rest, llama.cpp rounds down, expects smaller matrices than the file has and refuses it ("has wrong
    /// shape"); Python readers stop at an assertion or compute with a fraction.
    ///
    /// Either head_count is wrong, or the model's heads do not add up to the embedding (as in Gemma and Qwen 3), and then
    /// `attention.key_length` and `attention.value_length` have to be written: the model's `config.json` calls them
    /// `head_dim`.
    GG407 "head-count-mismatch" Conventions Warning: "embedding_length is no multiple of head_count"
        "embedding_length 不是 head_count 的倍数"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if model_architecture(facts).is_none() || facts.arch_key("attention.key_length").is_some() {
        return;
    }
    let (Some(embd), Some(heads)) =
        (facts.arch_u64("embedding_length"), facts.arch_u64("attention.head_count"))
    else {
        return;
    };
    let rest = embd.checked_rem(heads).unwrap_or(0);
    let places = (facts.arch_key("attention.head_count"), facts.arch_key("embedding_length"));
    let (Some(place), Some(cause)) = places else { return };
    if rest == 0 || !facts.is_complete() {
        return;
    }
    sink.add(&RULE, || {
        let value = KvPart::Value(Element::Whole);
        Finding::new(
            &RULE,
            format!("embedding_length {embd} is no multiple of head_count {heads}"),
            facts.kv_label(&place, value.clone()).text(format!("{heads} heads leave a rest of {rest}")),
        )
        .because(facts.kv_label(&cause, value).text(format!("{embd} numbers to share")))
        .note("attention.key_length is absent, so loaders divide the one by the other; llama.cpp rounds down")
        .help("correct head_count, or write attention.key_length and attention.value_length")
    });
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    crate::testing::Tiny::llama().key("llama.attention.head_count", 3_u32).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    crate::testing::Tiny::llama()
        .key("llama.attention.head_count", 3_u32)
        .key("llama.attention.key_length", 4_u32)
        .into()
}
