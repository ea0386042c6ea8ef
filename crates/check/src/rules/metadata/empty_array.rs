use ggufkit_format::{Element, KvPart, Payload, shorten};

use crate::facts::Facts;
use crate::finding::{Change, Finding, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// An array has no elements.
    ///
    /// That is legal, and llama.cpp reads it. gguf-py forgets the type of the elements when it reads such an array and
    /// cannot write it again, so its tools (`gguf-set-metadata`, `gguf-new-metadata`, converters that copy metadata) drop
    /// the key or stop with a `ValueError`. Exports from Ollama hold such arrays. Where an engine wants one entry for each
    /// layer or token, no entries are too few.
    ///
    /// Leave the key out when there is nothing to say: absent and empty mean the same to readers.
    GG114 "empty-array" Metadata Note: "an array has no elements"
        "数组没有元素"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for record in facts.records() {
        let Payload::Array(array) = &record.kv.payload else { continue };
        if array.count != 0 {
            continue;
        }
        sink.add(&RULE, || {
            let primary = record.label(KvPart::Count(Element::Whole)).text("no elements");
            let message = format!("the array \"{}\" has no elements", shorten(record.key().0, 80));
            Finding::new(&RULE, message, primary)
                .note("gguf-py loses the type of the elements and cannot write the key again")
                .fix(Safety::Unsafe, "remove the key", Change::RemoveKv { index: record.index as u64 })
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Kind, Value};
    ggufkit_testkit::Builder::new().kv("general.tags", Value::empty(Kind::String)).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.tags", vec![""]).into()
}
