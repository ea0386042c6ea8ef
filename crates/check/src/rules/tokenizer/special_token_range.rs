use ggufkit_format::{ByteStr, Scalar, Value};

use super::{special_tokens, tokens_count_label, value_label};
use crate::facts::Facts;
use crate::finding::{Change, Finding, Safety};
use crate::rule::{Severity, rule};
use crate::sink::Sink;

rule! {
    /// The id of a special token lies outside the vocabulary.
    ///
    /// Keys such as `tokenizer.ggml.bos_token_id` hold indices into `tokenizer.ggml.tokens`. llama.cpp warns and goes on
    /// with the default of the tokenizer, which for another vocabulary is some ordinary token; mistral.rs and others that
    /// index without looking crash. An end token that is not known lets the model talk on until its context is full. It is
    /// an error although llama.cpp loads the file: no reader can use the key as what it says it is.
    ///
    /// Find the token's text in the original `tokenizer_config.json` and set the key to its index; remove the key if the
    /// model has no such token. 4294967295 is -1 in 32 bits, which writers use for "none": remove that key too.
    GG508 "special-token-range" Tokenizer Error: "the id of a special token lies outside the vocabulary"
        "特殊词元的编号不在词表内"
}

/// -1 as a u32: what some writers mean by "none".
const NONE: i128 = u32::MAX as i128;

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if !sink.wants(&RULE) {
        return;
    }
    let Some(vocabulary) = facts.vocabulary().filter(|vocabulary| vocabulary.len() > 0) else { return };
    let count = vocabulary.len();
    for (place, key, value) in special_tokens(facts) {
        let Value::Scalar(scalar) = value else { continue };
        let Some(id) = scalar.as_integer().filter(|id| *id < 0 || *id >= i128::from(count)) else { continue };
        let none =
            id == NONE || matches!(scalar, Scalar::I8(-1) | Scalar::I16(-1) | Scalar::I32(-1) | Scalar::I64(-1));
        let severity = if none { Severity::Warning } else { RULE.severity };
        sink.add_as(&RULE, severity, || {
            let key = ByteStr(key).display();
            let last = count.saturating_sub(1);
            let message = format!("{key} is {id}, and the vocabulary ends with token {last}");
            let label = value_label(facts, &place);
            let label = match none {
                true => label.text(format!("{id} may mean \"none\"")),
                false => label.text(format!("{id} is no token")),
            };
            let finding = Finding::new(&RULE, message, label)
                .because(tokens_count_label(facts, &vocabulary.place, count))
                .note("llama.cpp warns and takes the tokenizer's default; loaders that index without looking crash");
            let remove = Change::RemoveKv { index: place.index as u64 };
            match none {
                true => finding
                    .note("0xffffffff is -1 in 32 bits: a writer's \"none\" for a token that the model does not have")
                    .help("remove the key if the model has no such token")
                    .fix(Safety::Unsafe, "remove the key, so that the token is absent", remove),
                false => finding
                    .help("set it to the index of the token's text; remove the key if the model has no such token"),
            }
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipe::tokens("llama", &["<unk>", "a"])
        .kv("tokenizer.ggml.bos_token_id", 99999_u32)
        .kv("tokenizer.ggml.eos_token_id", u32::MAX)
        .into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe::tokens("llama", &["<unk>", "a"]).kv("tokenizer.ggml.bos_token_id", 1_u32).into()
}
