use ggufkit_format::{Element, KvPart};

use super::layers::{MAX_LAYERS, model_architecture};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// `{arch}.block_count` is greater than 512.
    ///
    /// llama.cpp keeps the numbers of each layer in tables of 512 entries and stops with a failed assertion beyond that;
    /// versions that did not look wrote behind the table. Readers that make room for every layer at once ask for gigabytes.
    /// No published model comes near: Llama 3.1 405B has 126 layers.
    ///
    /// The value is damaged, stored in the wrong byte order, or made to do harm. Compare it with the numbers in the names
    /// `blk.N.…` and write one more than the largest. Limits of other programs' architectures are not known, so only those
    /// that llama.cpp knows are judged.
    GG405 "block-count-out-of-range" Conventions Error: "block_count is more than any loader has room for"
        "block_count 超过所有加载器能容纳的数量"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if model_architecture(facts).is_none() {
        return;
    }
    let Some(place) = facts.arch_key("block_count") else { return };
    let Some(count) = facts.arch_u64("block_count").filter(|count| *count > MAX_LAYERS) else { return };
    sink.add(&RULE, || {
        let primary = facts.kv_label(&place, KvPart::Value(Element::Whole)).text(format!("{count} layers"));
        Finding::new(&RULE, format!("block_count is {count}; loaders have room for {MAX_LAYERS} layers"), primary)
            .note("llama.cpp aborts on an assertion; readers without the limit overrun tables or memory")
            .help("write one more than the largest N in the names blk.N")
    });
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    crate::testing::Tiny::llama().key("llama.block_count", u32::MAX).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    crate::testing::Tiny::llama().key("llama.block_count", 512_u32).into()
}
