use ggufkit_format::{Endian, HeaderPart};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::place;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The file is big-endian: every number in its head and its weights has the most significant byte first.
    ///
    /// That is a legal version 3 file, made for hosts such as s390x. llama.cpp reads the host's own byte order only; on
    /// the usual little-endian machines it refuses the file ("is there a mismatch between the host and model endianness").
    /// gguf-py reads it by swapping. Readers without such a check take the version for 50331648 and the counts for huge
    /// numbers.
    ///
    /// Nothing is to be done for a big-endian host. For others get the little-endian file, or turn this one with
    /// `gguf endian little FILE`, which also turns the scales inside quantized blocks.
    GG007 "big-endian" Container Note: "the file is big-endian"
        "文件是大端序"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (at, _, view) in facts.views() {
        let header = view.index().header();
        if header.endian != Endian::Big || header.version < 3 {
            continue;
        }
        sink.add(&RULE, || {
            let primary = place::header_label(at, header, HeaderPart::Version)
                .text(format!("{} with the most significant byte first", header.version));
            Finding::new(&RULE, RULE.summary, primary)
                .note("llama.cpp loads it on big-endian hosts only")
                .help("for other hosts get the little-endian file, or turn it with `gguf endian little FILE`")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().big_endian().kv("general.name", "for s390x").into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.name", "for x86").into()
}
