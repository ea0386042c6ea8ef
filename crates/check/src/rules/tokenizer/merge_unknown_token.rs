use ggufkit_format::{Element, KvPart, shorten};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;
use crate::vocabulary::strings;

rule! {
    /// A merge rule joins, or makes, what is no token of the vocabulary.
    ///
    /// Merging builds tokens from smaller ones, so both pieces and the result must be tokens. If the result is not,
    /// llama.cpp falls back to single bytes at that place and the model sees tokens it never met there; tokenizers of
    /// Hugging Face refuse the list ("Token … out of vocabulary"). The vocabulary and the merges come from different
    /// models, or one of the two was cut.
    ///
    /// Write both from the same `tokenizer.json`. If the vocabulary was made smaller on purpose, remove the rules that
    /// need what is gone, with all that build on them.
    GG519 "merge-unknown-token" Tokenizer Warning: "a merge rule needs what is no token"
        "合并规则需要的内容不是词元"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if !sink.wants(&RULE) {
        return;
    }
    let (Some(vocabulary), Some(place)) = (facts.vocabulary(), facts.key("tokenizer.ggml.merges")) else { return };
    let merges = vocabulary.merges(&place);
    let Some((first, side)) = merges.unknown.first().copied() else { return };
    sink.add(&RULE, || {
        let rule = strings(&place).and_then(|rules| rules.get(first.into()));
        let rule = rule.and_then(|rule| rule.as_bytes()).unwrap_or_default();
        let (n, all) = (merges.unknown.count(), merges.count);
        let message = match n {
            1 => format!("{} of the merge rule \"{}\" is no token", side.name(), shorten(rule, 60)),
            _ => format!("{n} of {all} merge rules need what is no token"),
        };
        let label = facts.kv_label(&place, KvPart::Value(Element::At(first.into())));
        let label = label.text(format!("{} of rule {first} is no token", side.name()));
        let finding = Finding::new(&RULE, message, label)
            .because(super::tokens_count_label(facts, &vocabulary.place, vocabulary.len()));
        let finding = match n {
            1 => finding,
            _ => finding.note(format!(
                "rules: {}",
                merges.unknown.list(|(rule, side)| format!("{rule} ({})", side.name()))
            )),
        };
        finding
            .note("llama.cpp falls back to single bytes there; tokenizers of Hugging Face refuse the list")
            .help("write tokens and merges from the same tokenizer.json")
    });
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipe::merges(&["a b", "b c", "ab d"]).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe::merges(&["a b", "ab c"]).into()
}
