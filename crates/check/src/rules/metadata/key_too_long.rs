use ggufkit_format::KvPart;

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

/// Bytes of the longest key that the specification allows.
const LONGEST: u64 = 65_535;

rule! {
    /// A key is longer than the 65535 bytes that the specification allows.
    ///
    /// llama.cpp and gguf-py do not hold files to it and read keys of up to 1 GiB, but readers that keep the length in 16
    /// bits, or that read a head piece by piece with a buffer for names, refuse the file or cut the key. The longest key
    /// that anybody uses has about 70 bytes, so a key like this is a value in the wrong place, a writer's fault, or an
    /// attempt to exhaust a reader.
    ///
    /// Look at the record with `gguf hex FILE`, move the text into a value, or remove the key-value.
    GG102 "key-too-long" Metadata Warning: "a key is longer than the format allows"
        "键超过格式允许的长度"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for record in facts.records().filter(|record| record.kv.key.span.len > LONGEST) {
        sink.add(&RULE, || {
            let len = record.kv.key.span.len;
            let primary = record.label(KvPart::KeyLength).text(format!("{len} bytes"));
            // The name would fill the screen; the path says which key it is.
            let primary = crate::finding::Label { name: None, ..primary };
            Finding::new(&RULE, format!("a key of {len} bytes, where the format allows {LONGEST}"), primary)
                .note("readers that keep key lengths in 16 bits refuse the file or cut the key")
                .help("was a text meant as the value? Look at it with `gguf hex`")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("k".repeat(65_536), 1_u32).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("k".repeat(65_535), 1_u32).into()
}
