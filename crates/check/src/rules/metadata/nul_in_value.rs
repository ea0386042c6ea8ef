use ggufkit_format::{Element, KvPart, Span, Value, shorten};

use crate::facts::Facts;
use crate::finding::{Change, Finding, Label, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A string value holds a NUL byte.
    ///
    /// Strings in GGUF have a length and no terminator. With a NUL at its end, `llama\0` is no architecture that a reader
    /// of counted strings knows, while llama.cpp, which takes values as C strings, sees `llama`: the same file loads in
    /// one program and not in the other. With text behind the NUL, C programs show and copy only what stands before it,
    /// so a chat template or a licence can have a part that some people never see.
    ///
    /// Cut the value at the NUL. Tokens of a vocabulary may hold NULs; they are not meant here.
    GG108 "nul-in-value" Metadata Warning: "a string value holds a NUL byte"
        "字符串值含有 NUL 字节"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for record in facts.records() {
        let Value::String(value) = record.value() else { continue };
        let Some(at) = value.0.iter().position(|&byte| byte == 0) else { continue };
        sink.add(&RULE, || {
            let (cut, tail) = value.0.split_at_checked(at).unwrap_or((value.0, &[]));
            let ends = tail.iter().all(|&byte| byte == 0);
            let whole = record.label(KvPart::Value(Element::Whole));
            let span = Span::between(whole.span.start.saturating_add(at as u64), whole.span.end());
            let key = shorten(record.key().0, 80);
            let (message, text) = if ends {
                (format!("the value of \"{key}\" ends with a NUL byte"), "counted as part of the value".to_owned())
            } else {
                let hidden = tail.len();
                let text = format!("{hidden} bytes that C programs do not see");
                (format!("the value of \"{key}\" holds a NUL byte with text after it"), text)
            };
            let change = Change::SetString { index: record.index as u64, bytes: cut.to_vec() };
            let safety = if ends { Safety::Safe } else { Safety::Unsafe };
            Finding::new(&RULE, message, Label { span, ..whole }.text(text))
                .note("llama.cpp reads up to the NUL, readers of counted strings read it all: they see different values")
                .fix(safety, format!("cut the value to \"{}\"", shorten(cut, 60)), change)
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.license", "mit\0 but not for you").into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new()
        .kv("general.license", "mit")
        .kv("tokenizer.ggml.tokens", vec!["\0", "a\0b"])
        .into()
}
