use ggufkit_format::{Endian, HeaderPart};

use crate::facts::Facts;
use crate::finding::{Change, Finding, Safety};
use crate::place;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The file is big-endian and calls itself version 1 or 2; the format permits big-endian from version 3 on.
    ///
    /// Versions 1 and 2 are little-endian by definition, so a reader may rely on it: llama.cpp refuses the file on every
    /// usual host, and what it does on a big-endian one is nobody's promise. Version 3 was made for this very case and has
    /// the same layout as version 2.
    ///
    /// Write the head anew as version 3; no value and no weight changes by it. If the file was not meant for a big-endian
    /// host at all, turn it with `gguf endian little FILE` instead.
    GG008 "early-big-endian" Container Warning: "the file is big-endian, which its version does not permit"
        "文件是大端序，而它的版本不允许大端序"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (at, file, view) in facts.views() {
        let header = view.index().header();
        if header.endian != Endian::Big || header.version >= 3 {
            continue;
        }
        sink.add(&RULE, || {
            let message = format!("the file is big-endian, which version {} does not permit", header.version);
            let primary = place::header_label(at, header, HeaderPart::Version)
                .text(format!("{} with the most significant byte first", header.version));
            let finding = Finding::new(&RULE, message, primary)
                .note("big-endian files are of version 3; llama.cpp loads them on big-endian hosts only")
                .help("write the head anew as version 3");
            match file.error {
                None => finding.fix(Safety::Safe, "write the head as version 3", Change::Rewrite),
                Some(_) => finding,
            }
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().version(2).big_endian().kv("general.name", "for s390x").into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().version(3).big_endian().kv("general.name", "for s390x").into()
}
