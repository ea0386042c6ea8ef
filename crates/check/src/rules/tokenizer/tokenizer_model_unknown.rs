use ggufkit_format::shorten;

use super::{known, model, value_label};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// `tokenizer.ggml.model` names an algorithm that llama.cpp does not know.
    ///
    /// The value is one of `llama` (SentencePiece), `gpt2` (byte-level BPE), `bert` (WordPiece), `t5` (Unigram), `rwkv`,
    /// `plamo2`, `gemma4`, `hybriddna`, `whitespace`, `none`, `no_vocab` and `test`. llama.cpp refuses every other one ("unknown
    /// tokenizer"); other engines guess, or fall back to one algorithm, and cut texts differently from the training.
    ///
    /// Use the name of the algorithm, not of the model: Llama 3, Qwen and most newer models are `gpt2` with a fitting
    /// `tokenizer.ggml.pre`. A new name needs a version of the engine that knows it.
    GG515 "tokenizer-model-unknown" Tokenizer Warning: "the tokenizer's algorithm is not known to llama.cpp"
        "llama.cpp 不认识该分词算法"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some(name) = model(facts).filter(|name| !known::MODELS.contains(name)) else { return };
    let Some(place) = facts.key("tokenizer.ggml.model") else { return };
    sink.add(&RULE, || {
        let message = format!("\"{}\" is no tokenizer that llama.cpp knows", shorten(name.as_bytes(), 60));
        Finding::new(&RULE, message, value_label(facts, &place).text("the name of the algorithm"))
            .note(format!("llama.cpp of {} refuses the file: \"unknown tokenizer\"", known::AS_OF))
            .help(format!("known names are {}", known::MODELS.join(", ")))
    });
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipe::tokens("llama3", &["a"]).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe::tokens("t5", &["a"]).into()
}
