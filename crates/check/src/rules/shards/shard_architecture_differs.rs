use ggufkit_format::shorten;
use ggufkit_io::ShardProblem;

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Files of one set name different architectures.
    ///
    /// They are not parts of one model. llama.cpp reads the architecture from the first file and takes only tensors from the
    /// others, so the set may fail on a missing tensor or, where names and shapes happen to agree, load and compute
    /// nonsense. Two downloads into one folder under the same name are the usual cause; later files mostly leave the key
    /// out, which is fine.
    ///
    /// Compare the files with the publisher's list, and fetch those of the model that is wanted into a folder of its own.
    GG710 "shard-architecture-differs" Shards Error: "the files of the set name different architectures"
        "分片集各文件写明的架构不同"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for problem in facts.subject().problems {
        let ShardProblem::Architecture { path, found, first, expected } = problem else { continue };
        sink.add(&RULE, || {
            let key = "general.architecture";
            let (found, expected) = (shorten(found, 40), shorten(expected, 40));
            let label = super::key_label(facts, super::file_at(facts, path), key);
            let cause = super::key_label(facts, super::file_at(facts, first), key);
            let message =
                format!("general.architecture is \"{found}\" in {}, and \"{expected}\" before", super::shown(path));
            Finding::new(&RULE, message, label.text("this architecture here"))
                .because(cause.text("that one there"))
                .note("the files are not of one model; llama.cpp goes by the first file's architecture")
                .help("fetch the files of one model into a folder of its own")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    let second = super::recipes::shard(1, 2, 2).kv("general.architecture", "gemma");
    super::recipes::pair(&super::recipes::shard(0, 2, 2), &second)
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    let second = super::recipes::shard(1, 2, 2).kv("general.architecture", "llama");
    super::recipes::pair(&super::recipes::shard(0, 2, 2), &second)
}
