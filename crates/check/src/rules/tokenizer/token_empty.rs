use super::token_label;
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A token of the vocabulary has no text.
    ///
    /// llama.cpp warns and names such a token `[EMPTY_n]` after its id; other loaders keep the empty text, and those that
    /// look texts up in a map take several of them for one. The token can be generated and prints nothing, or that name.
    ///
    /// Usually these are holes in the ids of the original vocabulary, which is harmless. If a text got lost in the
    /// conversion, convert again; if the ids are holes, a placeholder such as `[UNUSED_n]` with the type UNUSED says so.
    GG506 "token-empty" Tokenizer Note: "a token has no text"
        "词元没有文本"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if !sink.wants(&RULE) {
        return;
    }
    let Some(vocabulary) = facts.vocabulary() else { return };
    let empty = &vocabulary.empty;
    let Some(first) = empty.first().copied() else { return };
    sink.add(&RULE, || {
        let message = match empty.count() {
            1 => format!("token {first} has no text"),
            n => format!("{n} tokens have no text: {}", empty.list(u32::to_string)),
        };
        Finding::new(&RULE, message, token_label(facts, vocabulary, first).text(format!("token {first} is empty")))
            .note(format!("llama.cpp warns and calls it [EMPTY_{first}]"))
            .help("give holes in the ids a placeholder text and the type UNUSED (5)")
    });
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipe::tokens("llama", &["<unk>", "", "a", ""]).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe::tokens("llama", &["<unk>", " ", "\0"]).into()
}
