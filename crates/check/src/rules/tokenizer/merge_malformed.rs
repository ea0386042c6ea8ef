use ggufkit_format::{Element, KvPart};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A merge rule is not two pieces with a space between.
    ///
    /// llama.cpp cuts each string of `tokenizer.ggml.merges` at its first space and does not look whether there is one:
    /// a rule without it becomes a pair of empty pieces that never matches, so the rule is lost without a word and every
    /// text that needs it is cut differently. Tokenizers of Hugging Face refuse the list.
    ///
    /// The usual causes are a list of pairs (`["a", "b"]`) that was written with another separator, a `#version` line of
    /// `merges.txt` that was taken for a rule, and trailing blanks that were trimmed. Write the list anew.
    GG518 "merge-malformed" Tokenizer Warning: "a merge rule is not two pieces with a space between"
        "合并规则不是以空格隔开的两段"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if !sink.wants(&RULE) {
        return;
    }
    let (Some(vocabulary), Some(place)) = (facts.vocabulary(), facts.key("tokenizer.ggml.merges")) else { return };
    let malformed = &vocabulary.merges(&place).malformed;
    let Some(first) = malformed.first().copied() else { return };
    sink.add(&RULE, || {
        let message = match malformed.count() {
            1 => format!("merge rule {first} is not two pieces with a space between"),
            n => format!("{n} merge rules are not two pieces with a space between: {}", malformed.list(u32::to_string)),
        };
        let label = facts.kv_label(&place, KvPart::Value(Element::At(first.into())));
        Finding::new(&RULE, message, label.text(format!("rule {first}")))
            .note("llama.cpp takes it for a pair of empty pieces, which never matches: the rule is lost")
            .help("write the merges anew: the left piece, one space, the right piece")
    });
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipe::merges(&["#version:", "a b", "ab "]).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe::merges(&["a b", "ab c"]).into()
}
