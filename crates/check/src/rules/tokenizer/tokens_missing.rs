use ggufkit_format::{Element, KvPart};

use super::{known, model, tokens_count_label, value_label};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The file names a tokenizer and holds no vocabulary for it.
    ///
    /// `tokenizer.ggml.tokens` must be an array of strings, one for each token. llama.cpp refuses the file without it
    /// ("cannot find tokenizer vocab in model file"), and with a value of another type; Ollama and the Python loaders
    /// fail later, at the first text. Programs that bring a tokenizer of their own, as candle and mistral.rs can, still run
    /// the model, so this is no error. Only the tokenizers `none` and `no_vocab` go without tokens.
    ///
    /// Convert the model again with its tokenizer files (`tokenizer.json`, `tokenizer.model`) beside it. If the model
    /// works on embeddings alone, set `tokenizer.ggml.model` to `none`.
    GG501 "tokens-missing" Tokenizer Warning: "a tokenizer has no vocabulary"
        "分词器没有词表"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some(place) = facts.key("tokenizer.ggml.tokens") else {
        // Of a vocabulary another rule says so.
        if facts.is_vocabulary() {
            return;
        }
        let (Some(name), true) = (model(facts), facts.is_complete()) else { return };
        let Some(place) = facts.key("tokenizer.ggml.model") else { return };
        // What none of us knows may keep its tokens elsewhere; RWKV once did.
        if known::has_no_vocabulary(name) || !known::MODELS.contains(&name) || facts.key("tokenizer.rwkv.world").is_some() {
            return;
        }
        sink.add(&RULE, || {
            let message = format!("the tokenizer is \"{name}\", and there is no tokenizer.ggml.tokens");
            Finding::new(&RULE, message, value_label(facts, &place).text("a tokenizer that needs a vocabulary"))
                .note("llama.cpp refuses the file: \"cannot find tokenizer vocab in model file\"")
                .help("convert the model again with its tokenizer files")
        });
        return;
    };
    match crate::vocabulary::strings(&place) {
        Some(tokens) if !tokens.is_empty() => {}
        Some(_) if facts.is_vocabulary() => {}
        Some(_) => sink.add(&RULE, || {
            Finding::new(&RULE, "the vocabulary holds no token", tokens_count_label(facts, &place, 0))
                .note("llama.cpp cannot turn any text into tokens with it")
                .help("convert the model again with its tokenizer files")
        }),
        None => sink.add(&RULE, || {
            let found = ggufkit_inspect::type_label(place.record);
            let label = facts.kv_label(&place, KvPart::Value(Element::Whole));
            Finding::new(&RULE, "tokenizer.ggml.tokens is not an array of strings", label.text(format!("its type is {found}")))
                .note("llama.cpp refuses the file: \"invalid gguf type for tokenizer.ggml.tokens\"")
                .help("convert the model again with its tokenizer files")
        }),
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("tokenizer.ggml.model", "gpt2").into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("tokenizer.ggml.model", "no_vocab").into()
}
