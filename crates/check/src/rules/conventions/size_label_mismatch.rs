use crate::facts::Facts;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The file's name and `general.size_label` state different sizes.
    ///
    /// Both are labels for people (`7B`, `8x7B`); no loader reads them. Catalogues group and filter by one or the other, so
    /// the file turns up in the wrong place. A merge that grew a model and kept its metadata, or a file that was renamed by
    /// hand, looks like this.
    ///
    /// `gguf show` counts the weights: believe that number, and correct whichever label differs. `gguf name` tells the
    /// name by the naming convention.
    GG419 "size-label-mismatch" Conventions Note: "the name and general.size_label disagree"
        "名称与 general.size_label 不一致"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    super::names::check(facts, sink, &RULE, |part| part == "size-label");
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    let file = ggufkit_testkit::Builder::new().kv("general.size_label", "8B");
    crate::testing::Recipe::named([("Tiny-7B-v1.0-F16.gguf", file.bytes())])
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    let file = ggufkit_testkit::Builder::new().kv("general.size_label", "7B");
    crate::testing::Recipe::named([("Tiny-7B-v1.0-F16.gguf", file.bytes())])
}
