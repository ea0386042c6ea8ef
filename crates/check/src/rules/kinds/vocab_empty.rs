use ggufkit_format::{Element, KvPart};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A file says that it is a vocabulary, and has no tokens.
    ///
    /// A vocabulary is a GGUF file without tensors that holds a tokenizer: tests and programs that only count tokens load
    /// it. Without `tokenizer.ggml.tokens` there is nothing in it to load, and llama.cpp refuses it ("cannot find tokenizer
    /// vocab in model file"). A model may still be of use to programs that bring a tokenizer of their own; a vocabulary is
    /// not, so this is an error.
    ///
    /// Convert the tokenizer anew with `convert_hf_to_gguf.py --vocab-only`. If the file was meant to hold something else,
    /// `general.type` is wrong.
    GG815 "vocab-empty" Kinds Error: "a vocabulary has no tokens"
        "词表没有词元"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if !facts.is_vocabulary() {
        return;
    }
    let tokens = facts.key("tokenizer.ggml.tokens");
    let count = tokens.and_then(|place| place.part.view.value(place.record).as_array()).map(|array| array.len());
    let (place, part, text) = match (tokens, count) {
        (Some(place), Some(0)) => (place, KvPart::Count(Element::Whole), "0 tokens"),
        // A value of another type is another rule's.
        (Some(_), _) => return,
        (None, _) => {
            let Some(place) = facts.key("general.type") else { return };
            (place, KvPart::Value(Element::Whole), "tokenizer.ggml.tokens is absent")
        }
    };
    sink.add(&RULE, || {
        Finding::new(&RULE, RULE.summary, facts.kv_label(&place, part).text(text))
            .note("llama.cpp refuses the file: cannot find tokenizer vocab in model file")
            .help("convert the tokenizer anew: convert_hf_to_gguf.py --vocab-only")
    });
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.architecture", "llama").kv("general.type", "vocab").into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new()
        .kv("general.architecture", "llama")
        .kv("general.type", "vocab")
        .kv("tokenizer.ggml.tokens", vec!["a"])
        .into()
}

#[cfg(test)]
#[test]
fn an_empty_vocabulary_is_told_once() {
    use ggufkit_testkit::{Builder, Value};
    let file = Builder::new()
        .kv("general.architecture", "llama")
        .kv("general.type", "vocab")
        .kv("tokenizer.ggml.model", "gpt2");
    let empty = file.clone().kv("tokenizer.ggml.tokens", Value::strings::<&str>([]));
    for file in [file, empty] {
        let spoken = crate::testing::Recipe::from(file).spoken();
        let spoken: Vec<_> = spoken.into_iter().filter(|name| *name != "empty-array").collect();
        assert_eq!(spoken, [RULE.name]);
    }
}
