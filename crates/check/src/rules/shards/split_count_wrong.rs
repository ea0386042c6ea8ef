use ggufkit_io::ShardProblem;

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// `split.count` is not the number of files in the set.
    ///
    /// The set was known by its names, `-of-00003`, and this file says another number. llama.cpp takes the count from the
    /// first file and opens as many names as it says; with a wrong one it asks for files that do not exist, or leaves some
    /// out and reports their tensors as missing. A count that differs in one file only mostly means that files of two
    /// splits of the same model were mixed.
    ///
    /// Compare the files' sizes and checksums with the publisher's and fetch the one that differs again; do not merge what
    /// comes from two splits.
    GG705 "split-count-wrong" Shards Error: "split.count is not the number of files in the set"
        "split.count 不是分片集的文件数"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for problem in facts.subject().problems {
        let ShardProblem::Count { path, found, expected } = problem else { continue };
        sink.add(&RULE, || {
            let at = super::file_at(facts, path);
            let label = super::key_label(facts, at, super::COUNT).text(format!("{expected} is expected here"));
            let name = super::shown(path);
            let message = format!("split.count is {found} in {name}, but the set has {expected} files");
            Finding::new(&RULE, message, label)
                .note("llama.cpp goes by the first file's count, and opens as many files as it says")
                .help("the file may belong to another split of the model: fetch it again")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipes::pair(&super::recipes::shard(0, 2, 2), &super::recipes::shard(1, 4, 2))
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipes::sound()
}
