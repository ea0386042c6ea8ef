use ggufkit_format::{KvPart, Payload};

use super::kinds;
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// `general.architecture` is not a string.
    ///
    /// Every engine reads this key first, as a string. llama.cpp refuses any other type ("has wrong type"); a reader whose
    /// getter answers an empty string for a wrong type goes on without an architecture and fails on the first key that it
    /// cannot find, or crashes. No program writes such a file in good faith: the value was replaced by an editor that guessed
    /// the type, or the file was made to provoke readers.
    ///
    /// Write the name of the model's family as a string.
    GG129 "architecture-type" Metadata Error: "general.architecture is not a string"
        "general.architecture 不是字符串"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (record, info) in facts.known().iter().filter(|(_, info)| info.pattern == "general.architecture") {
        if matches!(record.kv.payload, Payload::String(_)) {
            continue;
        }
        sink.add(&RULE, || {
            let found = kinds::found(record);
            let message = format!("{} is {found}, not a string", info.pattern);
            Finding::new(&RULE, message, record.label(KvPart::Type).text(found.to_string()))
                .note("no engine loads the file: the architecture decides which code runs the model")
                .help("write the name of the model's family as a string")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.architecture", vec!["llama"]).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.architecture", "llama").into()
}
