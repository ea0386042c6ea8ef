use ggufkit_format::{Element, KvPart, Value, shorten};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// `general.type` is none of the kinds that programs know.
    ///
    /// The key tells a model (`model`) from an adapter, a projector (`mmproj`) and an importance matrix (`imatrix`).
    /// llama.cpp asks for `adapter` before it applies a LoRA and for `imatrix` before it quantizes with one, and takes no
    /// notice of it when it loads a model. Model managers and hubs sort files by it: with another word, a projector is
    /// offered as a model, or a model is not offered at all.
    ///
    /// Write one of the known words where the file is one of these. Other projects may have kinds of their own.
    GG122 "general-type-unknown" Metadata Note: "general.type is none of the known kinds"
        "general.type 不是任何已知的种类"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (record, info) in facts.known().iter().filter(|(_, info)| info.pattern == "general.type") {
        let Value::String(text) = record.value() else { continue };
        let known = text.to_str().is_some_and(|text| text == "vocab" || info.choice_str(text).is_some());
        if known {
            continue;
        }
        sink.add(&RULE, || {
            let primary = record.label(KvPart::Value(Element::Whole)).text("not a known kind");
            let words: Vec<&str> = info.values.iter().map(|value| value.name).collect();
            Finding::new(&RULE, format!("general.type is \"{}\"", shorten(text.0, 40)), primary)
                .note("programs that sort files by their kind do not know where it belongs")
                .help(format!("known kinds: {}", words.join(", ")))
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.type", "LoRA").into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.type", "adapter").into()
}
