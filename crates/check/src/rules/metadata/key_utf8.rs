use ggufkit_format::{KvPart, shorten};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The bytes of a key are not UTF-8.
    ///
    /// Keys are ASCII by the specification. gguf-py decodes every key while it opens a file and stops with a
    /// `UnicodeDecodeError`, so none of its tools can read any part of the file; llama.cpp compares bytes and takes no
    /// notice. JavaScript and Rust readers put replacement characters into the key, and copies made by them have
    /// another key than the original.
    ///
    /// A key in another encoding comes from a writer that did not encode its text; a key of random bytes from a damaged
    /// file. Rename the key, or remove the key-value.
    GG106 "key-utf8" Metadata Warning: "a key is not UTF-8"
        "键不是 UTF-8"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for record in facts.records() {
        let key = record.key();
        if record.kv.key.utf8.unwrap_or_else(|| key.to_str().is_some()) {
            continue;
        }
        sink.add(&RULE, || {
            let primary = record.label(KvPart::Key).text("not UTF-8");
            Finding::new(&RULE, format!("the key \"{}\" is not UTF-8", shorten(key.0, 80)), primary)
                .note("gguf-py cannot open the file: it decodes every key and raises UnicodeDecodeError")
                .help("rename the key in ASCII, or remove the key-value")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv(b"x.gr\xf6\xdfe", 1_u32).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("x.größe", 1_u32).into()
}
