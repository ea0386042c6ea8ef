use ggufkit_format::{Element, KvPart, Span, Value, shorten};

use crate::facts::Facts;
use crate::finding::{Change, Finding, Label, Safety};
use crate::rule::rule;
use crate::sink::Sink;

const BOM: &[u8] = b"\xef\xbb\xbf";

rule! {
    /// A string value begins with a byte order mark.
    ///
    /// The three bytes `EF BB BF` are left over from a text file that an editor or PowerShell saved as "UTF-8 with BOM".
    /// Nothing strips them in GGUF: a chat template puts them in front of every prompt, where they become tokens that the
    /// model never saw there; an architecture, tokenizer or scaling name is not recognised although it looks right on
    /// the screen, and llama.cpp refuses the file with the name that it prints.
    ///
    /// Take the mark off, and save the source text without one (`utf-8` and not `utf-8-sig` in Python).
    GG109 "bom-in-text" Metadata Warning: "a string value begins with a byte order mark"
        "字符串值以字节顺序标记开头"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for record in facts.records() {
        let Value::String(value) = record.value() else { continue };
        let Some(rest) = value.0.strip_prefix(BOM) else { continue };
        sink.add(&RULE, || {
            let whole = record.label(KvPart::Value(Element::Whole));
            let span = Span::new(whole.span.start, BOM.len() as u64);
            let primary = Label { span, ..whole }.text("U+FEFF in UTF-8");
            let message =
                format!("the value of \"{}\" begins with a byte order mark", shorten(record.key().0, 80));
            let change = Change::SetString { index: record.index as u64, bytes: rest.to_vec() };
            Finding::new(&RULE, message, primary)
                .note("readers keep it: names are not recognised, templates put it into prompts")
                .fix(Safety::Unsafe, "take the mark off", change)
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.architecture", "\u{feff}llama").into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new()
        .kv("general.architecture", "llama")
        .kv("tokenizer.ggml.tokens", vec!["\u{feff}"])
        .into()
}
