use super::{known, model, said, value_label};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A token is to be added to every text, and the file does not say which.
    ///
    /// `tokenizer.ggml.add_bos_token`, `add_eos_token` and `add_sep_token` ask for a token whose id another key gives.
    /// Without the id llama.cpp takes the default of the algorithm: for `gpt2` that is token 11, which is an ordinary one
    /// in nearly every vocabulary and then stands before each prompt; for others there is none, and it adds nothing.
    /// Other engines fail at the first text, or leave the token out.
    ///
    /// Add the id from the original `tokenizer_config.json`, or set the flag to false.
    GG521 "special-token-missing" Tokenizer Warning: "a token is to be added whose id is not given"
        "要添加的词元没有给出编号"
}

/// The flags, and the keys with the ids.
const ADDED: [(&str, &str); 3] = [
    ("tokenizer.ggml.add_bos_token", "tokenizer.ggml.bos_token_id"),
    ("tokenizer.ggml.add_eos_token", "tokenizer.ggml.eos_token_id"),
    ("tokenizer.ggml.add_sep_token", "tokenizer.ggml.seperator_token_id"),
];

/// The id that llama.cpp takes for an algorithm's token when the key is absent, where it is likely to be the right one.
fn default(model: &str, key: &str) -> Option<u64> {
    match (model, key) {
        ("llama" | "plamo2", "tokenizer.ggml.bos_token_id") => Some(1),
        ("llama" | "plamo2", "tokenizer.ggml.eos_token_id") => Some(2),
        ("t5", "tokenizer.ggml.eos_token_id") => Some(1),
        _ => None,
    }
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if !sink.wants(&RULE) {
        return;
    }
    let (Some(vocabulary), Some(model), true) = (facts.vocabulary(), model(facts), facts.is_complete()) else { return };
    for (flag, key) in ADDED {
        let Some(place) = facts.key(flag) else { continue };
        if facts.get(flag).and_then(|value| value.as_bool()) != Some(true) || facts.key(key).is_some() {
            continue;
        }
        // BERT's end token is its separator, and its first token its classifier.
        if default(model, key).is_some_and(|id| id < vocabulary.len()) || model == "bert" {
            continue;
        }
        sink.add(&RULE, || {
            let message = format!("{flag} is true, and there is no {key}");
            let finding = Finding::new(&RULE, message, value_label(facts, &place).text("true"));
            let finding = match known::reads_pre(model) && vocabulary.len() > 11 && !key.contains("sep") {
                true => finding.note(format!("llama.cpp takes its default, token {}", said(vocabulary, 11))),
                false => finding.note("llama.cpp warns and adds nothing; other engines fail or leave the token out"),
            };
            finding.help(format!("add {key}, or set {flag} to false"))
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipe::merges(&["a b"]).kv("tokenizer.ggml.add_bos_token", true).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe::merges(&["a b"]).kv("tokenizer.ggml.add_bos_token", false).into()
}
