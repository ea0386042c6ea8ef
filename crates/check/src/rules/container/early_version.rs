use ggufkit_format::HeaderPart;

use crate::facts::Facts;
use crate::finding::{Change, Finding, Safety};
use crate::place;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The file is of version 1, from the first weeks of GGUF in August 2023.
    ///
    /// Its counts, lengths and dimensions have 32 bits, those of later versions 64. llama.cpp dropped it ("GGUFv1 is no
    /// longer supported, please use a more up-to-date version"), gguf-py never read it, and readers that do not look at
    /// the version misread everything behind the header. Version 2 has the layout of version 3 and is read everywhere.
    ///
    /// Writing the head anew as version 3 keeps every value and every weight. Models of that age may also lack keys that
    /// loaders ask for today; a newer conversion of the same model is often the better choice.
    GG006 "early-version" Container Warning: "the file is of version 1, which current loaders refuse"
        "文件是版本 1，目前的加载器拒绝读取"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (at, file, view) in facts.views() {
        let header = view.index().header();
        if header.version != 1 || file.diagnosis.dialect.is_some() {
            continue;
        }
        sink.add(&RULE, || {
            let primary = place::header_label(at, header, HeaderPart::Version).text("version 1");
            let finding = Finding::new(&RULE, RULE.summary, primary)
                .note("llama.cpp and gguf-py read versions 2 and 3 only")
                .help("`gguf upgrade FILE` writes the head anew as version 3");
            match file.error {
                None => finding.fix(Safety::Safe, "write the head as version 3", Change::Rewrite),
                Some(_) => finding,
            }
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().version(1).kv("general.name", "early").into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().version(2).kv("general.name", "early").into()
}
