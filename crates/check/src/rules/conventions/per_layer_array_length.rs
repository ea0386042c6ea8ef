use ggufkit_format::{Element, KvPart};

use super::layers::{MAX_LAYERS, model_architecture, nextn, per_layer};
use crate::facts::{Facts, counted};
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A hyperparameter is given for each layer, but not for as many layers as there are.
    ///
    /// `attention.head_count`, `attention.head_count_kv`, `feed_forward_length`, `expert_used_count` and, for architectures that
    /// have them, some others may be one number or an array with a number for each layer. llama.cpp compares the length with `{arch}.block_count` and refuses the file ("wrong
    /// array length"); readers that do not compare index beyond the array, or use the wrong layer's number after a layer was
    /// removed.
    ///
    /// Write one number for each layer, or a single number where all are equal. Layers that predict further tokens
    /// (`nextn_predict_layers`) may be left out.
    GG410 "per-layer-array-length" Conventions Error: "an array of layers is not as long as there are layers"
        "逐层数组的长度与层数不同"
}

/// Keys whose arrays have an element for each layer, whatever the architecture is.
const KEYS: [&str; 4] =
    ["attention.head_count", "attention.head_count_kv", "feed_forward_length", "expert_used_count"];

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some(arch) = model_architecture(facts) else { return };
    let Some(count) = facts.arch_u64("block_count").filter(|count| (1..=MAX_LAYERS).contains(count)) else { return };
    let Some(cause) = facts.arch_key("block_count") else { return };
    // An encoder and a decoder may differ.
    if facts.arch_key("decoder_block_count").is_some() {
        return;
    }
    let nextn = nextn(facts);
    for suffix in KEYS.into_iter().chain(per_layer(arch)) {
        let Some(place) = facts.arch_key(suffix) else { continue };
        let Some(array) = place.part.view.value(place.record).as_array() else { continue };
        if (count.saturating_sub(nextn)..=count.saturating_add(nextn)).contains(&array.len()) {
            continue;
        }
        sink.add(&RULE, || {
            let len = array.len();
            Finding::new(
                &RULE,
                format!("{suffix} has {} for {}", counted(len, "element"), counted(count, "layer")),
                facts.kv_label(&place, KvPart::Count(Element::Whole)).text(counted(len, "element")),
            )
            .because(facts.kv_label(&cause, KvPart::Value(Element::Whole)).text(counted(count, "layer")))
            .note(format!("llama.cpp refuses the file: the array must have {}", counted(count, "element")))
            .help("write an element for each layer, or a single number where all are equal")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    crate::testing::Tiny::llama().key("llama.attention.head_count_kv", vec![1_u32, 1]).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    crate::testing::Tiny::llama().key("llama.attention.head_count_kv", vec![1_u32]).into()
}

#[cfg(test)]
#[test]
fn lists_that_the_architecture_does_not_read_are_left_alone() {
    let spoken = |key: &str| {
        let recipe: crate::testing::Recipe = crate::testing::Tiny::llama().key(key, vec![1_u32, 1]).into();
        recipe.spoken().contains(RULE.name)
    };
    assert!(spoken("llama.expert_used_count"));
    assert!(!spoken("llama.expert_feed_forward_length"));
    assert!(!spoken("llama.activation_sparsity_scale"));
}
