use ggufkit_io::ShardProblem;

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Files of one set disagree on `split.tensors.count`.
    ///
    /// The key holds the number of tensors in all files together, so it is the same in each. llama.cpp compares the first
    /// file's value with what it found and ignores the others; `llama-gguf-split --merge` looks at none of them. So a set
    /// that was put together from two splits, or from two quantizations that were split alike, may load and give nonsense.
    ///
    /// Compare the files' sizes and checksums with the publisher's, and fetch the one that differs again. If only the
    /// number is wrong, set it to the sum of the tensors.
    GG706 "split-tensors-count-wrong" Shards Error: "the files disagree on split.tensors.count"
        "各文件的 split.tensors.count 不一致"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for problem in facts.subject().problems {
        let ShardProblem::TensorCounts { path, found, first, expected } = problem else { continue };
        sink.add(&RULE, || {
            let label = super::key_label(facts, super::file_at(facts, path), super::TENSORS);
            let cause = super::key_label(facts, super::file_at(facts, first), super::TENSORS);
            let message = format!("split.tensors.count is {found} in {}, and {expected} before", super::shown(path));
            Finding::new(&RULE, message, label.text(format!("{found} here")))
                .because(cause.text(format!("{expected} there")))
                .note("llama.cpp believes the first file's; the file may belong to another split of the model")
                .help("compare the files with the publisher's, and fetch the one that differs again")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipes::pair(&super::recipes::shard(0, 2, 2), &super::recipes::shard(1, 2, 9))
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipes::sound()
}
