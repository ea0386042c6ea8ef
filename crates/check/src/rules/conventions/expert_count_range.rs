use ggufkit_format::{Element, KvPart, Value};

use super::layers::model_architecture;
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The numbers of experts contradict each other or a limit.
    ///
    /// llama.cpp demands, each by an assertion that ends the process: `{arch}.expert_count` is at most 1024;
    /// `{arch}.expert_used_count` is at most expert_count; where there are experts at least one is used, and where there
    /// are none, none is. Readers that do not look choose among experts that do not exist.
    ///
    /// expert_count is the last dimension of `blk.N.ffn_up_exps.weight`; how many are used for a token says the model's
    /// `config.json` as `num_experts_per_tok`. To run a model with more or fewer experts than it was made for, set
    /// expert_used_count within these limits.
    GG409 "expert-count-range" Conventions Error: "the numbers of experts cannot be right"
        "专家的数量不可能正确"
}

/// Most experts that llama.cpp has room for.
const MAX_EXPERTS: u64 = 1024;

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if model_architecture(facts).is_none() {
        return;
    }
    let (count_at, used_at) = (facts.arch_key("expert_count"), facts.arch_key("expert_used_count"));
    let count = match &count_at {
        Some(_) => facts.arch_u64("expert_count"),
        None if facts.is_complete() => Some(0),
        None => None,
    };
    let used = match &used_at {
        Some(place) => most(&place.part.view.value(place.record)),
        None if facts.is_complete() => Some(0),
        None => None,
    };
    let Some(count) = count else { return };
    let (message, at) = match used {
        _ if count > MAX_EXPERTS => {
            (format!("expert_count is {count}; loaders have room for {MAX_EXPERTS}"), &count_at)
        }
        Some(used) if used > count => {
            (format!("expert_used_count is {used}, but there are {count} experts"), &used_at)
        }
        Some(0) if count > 0 => (format!("there are {count} experts, but none is used"), &count_at),
        _ => return,
    };
    let Some(place) = at.as_ref() else { return };
    sink.add(&RULE, || {
        let value = KvPart::Value(Element::Whole);
        let mut finding = Finding::new(&RULE, message, facts.kv_label(place, value.clone()).text("this number"))
            .note("llama.cpp aborts on an assertion")
            .help("expert_count is the last dimension of ffn_up_exps.weight; config.json says how many are used");
        let other = [&count_at, &used_at].into_iter().flatten().find(|other| other.index != place.index);
        if let Some(other) = other {
            finding = finding.because(facts.kv_label(other, value).text("against this one"));
        }
        finding
    });
}

/// The number, or the greatest one where each layer has its own.
fn most(value: &Value<'_>) -> Option<u64> {
    match value {
        Value::Array(array) => array.iter().filter_map(|value| value.as_u64()).max(),
        value => value.as_u64(),
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    crate::testing::Tiny::llama().key("llama.expert_count", 8_u32).key("llama.expert_used_count", 9_u32).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    crate::testing::Tiny::llama().key("llama.expert_count", 8_u32).key("llama.expert_used_count", 8_u32).into()
}

#[cfg(test)]
#[test]
fn experts_of_each_layer_are_counted_too() {
    let spoken = |used: Vec<u32>| {
        let tiny = crate::testing::Tiny::llama().key("llama.expert_used_count", used);
        let recipe: crate::testing::Recipe = tiny.into();
        recipe.spoken().contains(RULE.name)
    };
    assert!(spoken(vec![3]));
    assert!(!spoken(vec![0]));
}
