use ggufkit_format::{Element, KvPart};

use super::layers::model_architecture;
use super::schema::params::Params;
use crate::facts::Facts;
use crate::finding::{Change, Finding, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// `{arch}.rope.dimension_count` is not the size of a head.
    ///
    /// The architectures llama, llama-embed, deci and falcon rotate whole heads, and llama.cpp refuses their files when the
    /// number differs ("invalid n_rot"). The size of a head is `attention.key_length`, or embedding_length / head_count where
    /// that key is absent. Other architectures rotate a part of each head and are not meant.
    ///
    /// A key_length that the converter forgot is the usual cause: the model's `config.json` calls it `head_dim`. Otherwise
    /// remove rope.dimension_count; without it loaders rotate the whole head.
    GG411 "rope-dimension-mismatch" Conventions Error: "rope.dimension_count is not the size of a head"
        "rope.dimension_count 不是头的大小"
}

/// Architectures that rotate whole heads.
const WHOLE: [&str; 4] = ["llama", "llama-embed", "deci", "falcon"];

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some(arch) = model_architecture(facts).filter(|arch| WHOLE.contains(arch)) else { return };
    let Some(place) = facts.arch_key("rope.dimension_count") else { return };
    let Some(rope) = facts.arch_u64("rope.dimension_count") else { return };
    let stated = facts.arch_key("attention.key_length");
    // Without the key the size is computed: of a head that was not read to its end, the key may follow.
    if stated.is_none() && !facts.is_complete() {
        return;
    }
    let Some(head) = Params::new(facts, arch).head_k().filter(|head| *head != rope) else { return };
    sink.add(&RULE, || {
        let value = KvPart::Value(Element::Whole);
        let mut finding = Finding::new(
            &RULE,
            format!("rope.dimension_count is {rope}, but a head has {head} numbers"),
            facts.kv_label(&place, value.clone()).text(format!("{rope} numbers are rotated")),
        );
        let cause = stated.or_else(|| facts.arch_key("attention.head_count"));
        if let Some(cause) = cause {
            let text = if stated.is_some() { "the size of a head" } else { "embedding_length is divided by this" };
            finding = finding.because(facts.kv_label(&cause, value).text(text));
        }
        finding
            .note(format!("llama.cpp refuses the file: invalid n_rot: {rope}, expected {head}"))
            .help("write the true size of a head as attention.key_length, or remove rope.dimension_count")
            .fix(Safety::Unsafe, "remove rope.dimension_count", Change::RemoveKv { index: place.index as u64 })
    });
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    crate::testing::Tiny::llama().key("llama.rope.dimension_count", 2_u32).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    crate::testing::Tiny::llama().key("llama.rope.dimension_count", 4_u32).into()
}
