use ggufkit_format::KvPart;

use crate::facts::Facts;
use crate::finding::{Change, Finding, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A key has no characters.
    ///
    /// llama.cpp refuses the whole file ("key 0 is empty"; some versions stopped on an assertion), and so does everything
    /// built on its reader. gguf-py and most JavaScript readers accept the key, but nothing can ask for its value by name.
    /// The usual causes are a writer that was given an empty variable as a name, and a file that was damaged or made to
    /// provoke readers.
    ///
    /// Look at the value (`gguf dump FILE`), give the key the name that was meant, or remove the key-value.
    GG101 "empty-key" Metadata Error: "a key is empty"
        "有空的键"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for record in facts.records().filter(|record| record.kv.key.span.len == 0) {
        sink.add(&RULE, || {
            let primary = record.label(KvPart::KeyLength).text("the length of the key is 0");
            Finding::new(&RULE, RULE.summary, primary)
                .note("llama.cpp refuses the file; no reader can ask for the value by name")
                .help("give the key the name that was meant, or remove the key-value")
                .fix(
                    Safety::Unsafe,
                    "remove the key-value",
                    Change::RemoveKv { index: record.index as u64 },
                )
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("", 1_u32).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("a", 1_u32).into()
}
