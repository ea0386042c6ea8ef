use ggufkit_format::{Element, KvPart};
use ggufkit_inspect::is_integer;

use super::layers::{MAX_LAYERS, model_architecture};
use super::schema::params::Params;
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The heads cannot be shared evenly among the heads of keys and values.
    ///
    /// In grouped-query attention each head of keys and values serves the same number of query heads. Where head_count is
    /// no multiple of head_count_kv, engines abort when they build the computation (in llama.cpp an assertion that matrices
    /// can be repeated), or read beyond a matrix. Layers without keys and values say 0 and are not meant.
    ///
    /// One of the two numbers is wrong. The rows of `blk.N.attn_k.weight`, divided by the size of a head, are the number of
    /// heads of keys and values; the rows of `attn_q.weight` tell the number of heads alike. Correct the key that differs.
    GG408 "head-count-kv-mismatch" Conventions Error: "head_count is no multiple of head_count_kv"
        "head_count 不是 head_count_kv 的倍数"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some(arch) = model_architecture(facts) else { return };
    let keys = (facts.arch_key("attention.head_count_kv"), facts.arch_key("attention.head_count"));
    let (Some(place), Some(cause)) = keys else { return };
    let arrays = [&place, &cause].map(|place| place.part.view.value(place.record).as_array());
    // Arrays of strings and the like are another rule's; to look into them takes time.
    if arrays.iter().flatten().any(|array| !is_integer(array.element_type())) {
        return;
    }
    let layers = arrays.iter().flatten().map(|array| array.len()).max().unwrap_or(1).min(MAX_LAYERS);
    let params = Params::new(facts, arch);
    for layer in 0..layers {
        let (Some(heads), Some(kv)) = (params.heads(layer), params.heads_kv(layer)) else { continue };
        let rest = heads.checked_rem(kv).unwrap_or(0);
        // More heads of keys than heads leave all heads as the rest.
        if rest == 0 {
            continue;
        }
        sink.add(&RULE, || {
            let element = |array: bool| KvPart::Value(if array { Element::At(layer) } else { Element::Whole });
            let [of_kv, of_heads] = arrays.map(|array| array.is_some());
            let place_in = if of_kv || of_heads { format!(" in layer {layer}") } else { String::new() };
            Finding::new(
                &RULE,
                format!("head_count {heads} is no multiple of head_count_kv {kv}{place_in}"),
                facts.kv_label(&place, element(of_kv)).text(format!("{kv} heads of keys and values")),
            )
            .because(facts.kv_label(&cause, element(of_heads)).text(format!("{heads} heads")))
            .note("engines abort when they build grouped-query attention")
            .help("compare with the rows of attn_k.weight and attn_q.weight, and correct the key that differs")
        });
        return;
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    crate::testing::Tiny::llama().key("llama.attention.head_count_kv", vec![3_u32]).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    crate::testing::Tiny::llama().key("llama.attention.head_count_kv", vec![0_u32]).into()
}
