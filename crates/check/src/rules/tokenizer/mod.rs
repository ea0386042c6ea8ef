//! The vocabulary and what speaks of it.

pub(crate) mod known;

use ggufkit_format::{Element, Kv, KvPart, Value, shorten};
use ggufkit_inspect::Place;

use crate::facts::{Facts, counted};
use crate::finding::{Finding, Label};
use crate::rule::{Rule, Severity, family};
use crate::sink::Sink;
use crate::vocabulary::Vocabulary;

family![
    tokens_missing,
    token_scores_length,
    token_type_length,
    merges_missing,
    token_duplicate,
    token_empty,
    token_not_utf8,
    special_token_range,
    special_token_type,
    token_scores_type,
    token_type_type,
    token_type_value,
    byte_tokens_incomplete,
    control_token_normal,
    tokenizer_model_unknown,
    pre_tokenizer_missing,
    pre_tokenizer_unknown,
    merge_malformed,
    merge_unknown_token,
    merge_duplicate,
    special_token_missing,
    vocab_size_mismatch,
    suppress_token_range,
];

/// `tokenizer.ggml.model`, where it is text.
fn model<'a>(facts: &Facts<'a>) -> Option<&'a str> {
    facts.str("tokenizer.ggml.model")
}

/// A label at the whole value of a key-value.
fn value_label<'a>(facts: &Facts<'a>, place: &Place<'a, Kv>) -> Label {
    facts.kv_label(place, KvPart::Value(Element::Whole))
}

/// A label at a token.
fn token_label<'a>(facts: &Facts<'a>, vocabulary: &Vocabulary<'a>, id: u32) -> Label {
    facts.kv_label(&vocabulary.place, KvPart::Value(Element::At(id.into())))
}

/// A label at the number of tokens.
fn tokens_count_label<'a>(facts: &Facts<'a>, place: &Place<'a, Kv>, count: u64) -> Label {
    facts.kv_label(place, KvPart::Count(Element::Whole)).text(counted(count, "token"))
}

/// A token as a message says it: `7 ("<s>")`.
fn said(vocabulary: &Vocabulary<'_>, id: u32) -> String {
    format!("{id} (\"{}\")", shorten(vocabulary.token(id), 40))
}

/// The number of elements of an array, which a rule about parallel arrays compares.
fn array_len<'a>(place: &Place<'a, Kv>) -> Option<u64> {
    Some(place.part.view.value(place.record).as_array()?.len())
}

/// Whether there is a vocabulary to speak of: one without tokens is told as that, and nothing else is said about it.
fn has_tokens(facts: &Facts<'_>) -> bool {
    facts.key("tokenizer.ggml.tokens").is_some_and(|tokens| array_len(&tokens) != Some(0))
}

/// The finding about an array that stands parallel to the tokens and has another length.
fn parallel(
    facts: &Facts<'_>,
    sink: &mut Sink<'_>,
    rule: &'static Rule,
    key: &str,
    element: &str,
    help: &str,
) {
    let (Some(array), Some(tokens)) = (facts.key(key), facts.key("tokenizer.ggml.tokens")) else { return };
    let (Some(have), Some(want)) = (array_len(&array), array_len(&tokens)) else { return };
    if have == want || want == 0 {
        return;
    }
    let severity = if have < want { rule.severity } else { Severity::Warning };
    sink.add_as(rule, severity, || {
        let (elements, wanted) = (counted(have, element), counted(want, "token"));
        let label = facts.kv_label(&array, KvPart::Count(Element::Whole)).text(elements.clone());
        Finding::new(rule, format!("the vocabulary has {elements} for {wanted}"), label)
            .because(tokens_count_label(facts, &tokens, want))
            .help(help)
            .note(match have < want {
                true => {
                    "llama.cpp refuses the file; loaders that do not compare the lengths read past the array"
                }
                false => "loaders ignore the surplus; the arrays were not written from the same vocabulary",
            })
    });
}

/// The keys `tokenizer.ggml.*_token_id` with their values, in the order of the file.
fn special_tokens<'a>(facts: &Facts<'a>) -> impl Iterator<Item = (Place<'a, Kv>, &'a [u8], Value<'a>)> {
    let parts = facts.model().into_iter().flat_map(|model| model.parts().enumerate());
    parts.flat_map(|(file, part)| {
        part.view.kvs().enumerate().filter_map(move |(index, (key, record))| {
            let name = key.0.strip_prefix(b"tokenizer.ggml.")?;
            name.ends_with(b"_token_id").then_some(())?;
            Some((Place { file, part, index, record }, key.0, part.view.value(record)))
        })
    })
}

/// Small vocabularies for the recipes.
#[cfg(test)]
mod recipe {
    use ggufkit_testkit::{Builder, Value};

    /// A file whose tokenizer has these tokens.
    pub(super) fn tokens(model: &str, tokens: &[&str]) -> Builder {
        Builder::new()
            .kv("tokenizer.ggml.model", model)
            .kv("tokenizer.ggml.tokens", Value::strings(tokens.iter().copied()))
    }

    /// A byte-level vocabulary with these merge rules.
    pub(super) fn merges(merges: &[&str]) -> Builder {
        tokens("gpt2", &["a", "b", "c", "ab", "abc"])
            .kv("tokenizer.ggml.pre", "gpt-2")
            .kv("tokenizer.ggml.merges", Value::strings(merges.iter().copied()))
    }
}
