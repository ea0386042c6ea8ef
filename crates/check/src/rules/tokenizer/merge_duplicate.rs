use ggufkit_format::{Element, KvPart};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A merge rule occurs twice.
    ///
    /// A rule's rank is its place in the list. llama.cpp keeps the first place of a rule that occurs again; readers that
    /// fill a map keep the last, so the rule ranks behind others that it should beat, and some texts are cut differently.
    ///
    /// Remove the later ones. Nothing else depends on a rule's number, so the order of the remaining rules is what
    /// counts. Two lists that were joined, for a vocabulary that was extended, are the usual cause.
    GG520 "merge-duplicate" Tokenizer Note: "a merge rule occurs more than once"
        "同一条合并规则出现多次"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if !sink.wants(&RULE) {
        return;
    }
    let (Some(vocabulary), Some(place)) = (facts.vocabulary(), facts.key("tokenizer.ggml.merges")) else { return };
    let duplicates = &vocabulary.merges(&place).duplicates;
    let Some((before, again)) = duplicates.first().copied() else { return };
    sink.add(&RULE, || {
        let message = match duplicates.count() {
            1 => format!("merge rule {again} is the same as rule {before}"),
            n => format!("{n} merge rules occurred before"),
        };
        let label = |rule: u32| facts.kv_label(&place, KvPart::Value(Element::At(rule.into())));
        let finding = Finding::new(&RULE, message, label(again).text(format!("rule {again}")))
            .because(label(before).text(format!("rule {before} is the same")));
        let finding = match duplicates.count() {
            1 => finding,
            _ => finding.note(format!(
                "rules that are the same: {}",
                duplicates.list(|(before, again)| format!("{before} = {again}"))
            )),
        };
        finding.note("llama.cpp ranks the rule by its first place, readers that fill a map by its last")
    });
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipe::merges(&["a b", "ab c", "a b"]).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe::merges(&["a b", "ab c"]).into()
}
