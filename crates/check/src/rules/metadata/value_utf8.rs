use ggufkit_format::{Element, KvPart, Payload, shorten};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

/// Arrays of pieces of text, which may begin or end within a character; the tokenizer's rules look at them.
const PIECES: [&[u8]; 2] = [b"tokenizer.ggml.tokens", b"tokenizer.ggml.merges"];

rule! {
    /// A string value, or a string in an array, is not UTF-8.
    ///
    /// The specification asks for UTF-8. llama.cpp hands the bytes on; gguf-py raises `UnicodeDecodeError` when the value
    /// is asked for, which stops `gguf-dump`, editors and converters; JavaScript and Go readers put replacement
    /// characters in, so a copy made with them is not the original. Servers that pass the value on as JSON fail or send
    /// what is not JSON.
    ///
    /// The text was written in another encoding, or cut in the middle of a character by a limit on bytes. Write it anew.
    /// Pieces of characters in a vocabulary are normal and are not meant here.
    GG110 "value-utf8" Metadata Warning: "a string value is not UTF-8"
        "字符串值不是 UTF-8"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for record in facts.records() {
        let (part, count) = match &record.kv.payload {
            Payload::String(text) if text.utf8 == Some(false) => (KvPart::Value(Element::Whole), 1),
            Payload::Array(array) if !PIECES.contains(&record.key().0) => {
                let Some(count) = array.invalid_utf8.filter(|count| *count > 0) else { continue };
                (array.first_invalid_utf8.map_or(KvPart::Value(Element::Whole), |n| KvPart::Value(Element::At(n))), count)
            }
            _ => continue,
        };
        sink.add(&RULE, || {
            let key = shorten(record.key().0, 80);
            let (message, text) = match (&record.kv.payload, count) {
                (Payload::Array(_), 1) => (format!("a string in \"{key}\" is not UTF-8"), "not UTF-8"),
                (Payload::Array(_), n) => (format!("{n} strings in \"{key}\" are not UTF-8"), "the first of them"),
                _ => (format!("the value of \"{key}\" is not UTF-8"), "not UTF-8"),
            };
            Finding::new(&RULE, message, record.label(part).text(text))
                .note("gguf-py raises UnicodeDecodeError when the value is read; other readers replace the bytes")
                .help("write the value anew in UTF-8: its bytes may be text in another encoding")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::Value;
    ggufkit_testkit::Builder::new().kv("general.author", Value::String(b"J\xfcrgen".to_vec())).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::Value;
    ggufkit_testkit::Builder::new()
        .kv("general.author", "Jürgen")
        .kv("tokenizer.ggml.tokens", Value::strings([&b"\xe4\xb8"[..]]))
        .into()
}
