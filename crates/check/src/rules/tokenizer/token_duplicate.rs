use super::{said, token_label};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Two tokens of the vocabulary have the same text.
    ///
    /// llama.cpp keeps one id for a text and ends with a failed assertion where there are fewer texts than tokens, unless
    /// the tokenizer is `none`. Readers that fill a map keep the last id, so the others are never produced from text, and the model
    /// sees other numbers than it was trained on. Official models have been published so: mostly placeholders, or added
    /// tokens that were there already.
    ///
    /// If a duplicate is a placeholder, give it a text of its own, for example `[PAD17]`, and leave its place: every
    /// later id, and the rows of the embedding, depend on it.
    GG505 "token-duplicate" Tokenizer Warning: "tokens of the vocabulary have the same text"
        "词表中有文本相同的词元"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if !sink.wants(&RULE) {
        return;
    }
    let Some(vocabulary) = facts.vocabulary() else { return };
    let duplicates = &vocabulary.duplicates;
    let Some((before, again)) = duplicates.first().copied() else { return };
    sink.add(&RULE, || {
        let message = match duplicates.count() {
            1 => format!("duplicate token: {before} and {}", said(vocabulary, again)),
            n => format!("{n} duplicate tokens: {before} and {} first", said(vocabulary, again)),
        };
        let finding = Finding::new(&RULE, message, token_label(facts, vocabulary, again).text(format!("token {again}")))
            .because(token_label(facts, vocabulary, before).text(format!("token {before} has the same text")));
        let finding = match duplicates.count() {
            1 => finding,
            _ => finding.note(format!(
                "ids with the same text: {}",
                duplicates.list(|(before, again)| format!("{before} = {again}"))
            )),
        };
        finding
            .note("llama.cpp aborts on an assertion when it loads the vocabulary; other readers keep one of the ids")
            .help("give placeholders texts of their own; never remove a token, the ids after it would shift")
    });
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipe::tokens("llama", &["<unk>", "a", "a", "b", "a"]).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    // Empty texts are not the same token: loaders name them after their ids.
    super::recipe::tokens("llama", &["<unk>", "a", "A", "", ""]).into()
}
