use crate::facts::Facts;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A part of the file's name says something else than the metadata.
    ///
    /// Compared are the quantization with `general.file_type`, the version, the fine-tune and the kind of file; case and
    /// separators do not matter. Loaders do not care, but programs that choose a file from a folder do: by the name only,
    /// since they have not opened it. They download or load something that the user did not ask for.
    ///
    /// A name can be changed by anybody, so believe the metadata, and the tensors before both. `gguf name` tells the name
    /// by the naming convention. Shard numbers in names are judged with the set.
    GG420 "file-name-mismatch" Conventions Note: "the name and the metadata disagree"
        "文件名与元数据不一致"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    super::names::check(facts, sink, &RULE, |part| matches!(part, "encoding" | "fine-tune" | "version" | "type"));
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    let file = ggufkit_testkit::Builder::new().kv("general.file_type", 15_u32);
    crate::testing::Recipe::named([("Tiny-7B-v1.0-Q8_0.gguf", file.bytes())])
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    let file = ggufkit_testkit::Builder::new().kv("general.file_type", 15_u32);
    crate::testing::Recipe::named([("Tiny-7B-v1.0-Q4_K_M.gguf", file.bytes())])
}
