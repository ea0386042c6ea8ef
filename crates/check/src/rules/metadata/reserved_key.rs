use ggufkit_format::{KvPart, shorten};

use crate::facts::Facts;
use crate::finding::{Change, Finding, Safety};
use crate::rule::rule;
use crate::sink::Sink;

/// Names that gguf-py gives to the fields of the header.
const RESERVED: [&[u8]; 3] = [b"GGUF.version", b"GGUF.tensor_count", b"GGUF.kv_count"];

rule! {
    /// A key has the name that gguf-py gives to a field of the header.
    ///
    /// gguf-py keeps the version and the two counts among the keys, as `GGUF.version`, `GGUF.tensor_count` and
    /// `GGUF.kv_count`. A real key of that name is a duplicate for it: it raises `KeyError` and does not open the file, so
    /// none of the tools built on it do. llama.cpp loads the file. Such keys come from scripts that copied every field of
    /// a gguf-py reader into a new file without leaving these out.
    ///
    /// Remove the key: the header says the same, and only the header counts.
    GG125 "reserved-key" Metadata Warning: "a key has a name that gguf-py keeps for the header"
        "键的名称是 gguf-py 留给文件头用的"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for record in facts.records().filter(|record| RESERVED.contains(&record.key().0)) {
        sink.add(&RULE, || {
            let key = shorten(record.key().0, 80);
            let message = format!("the key \"{key}\" has the name of a field of the header");
            Finding::new(&RULE, message, record.label(KvPart::Key).text("gguf-py's name for a field of the header"))
                .note("gguf-py raises KeyError and does not open the file")
                .fix(Safety::Safe, "remove the key", Change::RemoveKv { index: record.index as u64 })
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("GGUF.version", 3_u32).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.version", "3").into()
}
