use ggufkit_format::{Element, KvPart};

use super::{said, token_label};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The text of a token, or of a merge rule, is not UTF-8.
    ///
    /// Vocabularies are made of byte sequences, and a token can be half a character. The format asks for UTF-8 all the
    /// same: byte-level tokenizers write each byte as a printable character, SentencePiece writes `<0xE4>`. Readers in
    /// Rust, Python and JavaScript that decode strictly refuse the whole file over one such token; lenient ones put
    /// U+FFFD in its place, and several tokens become one.
    ///
    /// Convert again with a converter that maps bytes to text the way the tokenizer expects. Copying tools must keep the
    /// bytes as they are.
    GG507 "token-not-utf8" Tokenizer Warning: "the text of a token is not UTF-8"
        "词元的文本不是 UTF-8"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if !sink.wants(&RULE) {
        return;
    }
    let Some(vocabulary) = facts.vocabulary() else { return };
    let odd = &vocabulary.not_utf8;
    if let Some(first) = odd.first().copied() {
        sink.add(&RULE, || {
            let message = match odd.count() {
                1 => format!("token {} is not UTF-8", said(vocabulary, first)),
                n => format!("{n} tokens are not UTF-8: {}", odd.list(u32::to_string)),
            };
            Finding::new(&RULE, message, token_label(facts, vocabulary, first).text("no UTF-8 text has these bytes"))
                .note("readers that decode strictly refuse the file; lenient ones show U+FFFD and lose the bytes")
                .help("convert again; the tokenizer's own way to write bytes as text is what loaders expect")
        });
    }
    let Some(place) = facts.key("tokenizer.ggml.merges") else { return };
    let odd = &vocabulary.merges(&place).not_utf8;
    if let Some(first) = odd.first().copied() {
        sink.add(&RULE, || {
            let message = match odd.count() {
                1 => format!("merge rule {first} is not UTF-8"),
                n => format!("{n} merge rules are not UTF-8: {}", odd.list(u32::to_string)),
            };
            let label = facts.kv_label(&place, KvPart::Value(Element::At(first.into())));
            Finding::new(&RULE, message, label.text("no UTF-8 text has these bytes"))
                .note("readers that decode strictly refuse the file")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Value};
    Builder::new()
        .kv("tokenizer.ggml.model", "llama")
        .kv("tokenizer.ggml.tokens", Value::strings([&b"<unk>"[..], b"\xe4\xb8", "\u{e9}".as_bytes()]))
        .into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe::tokens("llama", &["<unk>", "<0xE4>", "\u{4e2d}"]).into()
}
