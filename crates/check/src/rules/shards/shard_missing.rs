use ggufkit_io::ShardProblem;

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A file of a split model is not there.
    ///
    /// A model in several files, `NAME-00001-of-00003.gguf` and so on, can only be loaded whole. llama.cpp is given the
    /// first file, derives the other names from it and fails when one cannot be opened, after it has read those before it.
    /// A download of only some files, a renamed one, or a cache that keeps the files of one model in different folders are
    /// the usual causes. What the missing file holds was not examined.
    ///
    /// Put the named file beside the others, under exactly this name; the numbers in the names count from 1.
    GG701 "shard-missing" Shards Error: "a file of the split model is missing"
        "拆分模型缺少一个文件"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for problem in facts.subject().problems {
        match problem {
            ShardProblem::Missing { no, count, path } => sink.add(&RULE, || {
                let label = super::key_label(facts, 0, super::COUNT).text(format!("{count} files belong together"));
                let message = format!("shard {no} of {count} is missing: {}", super::shown(path));
                Finding::new(&RULE, message, label)
                    .note("llama.cpp loads a split model only when every file is beside the first")
                    .help("download the missing file into the same folder, under this name")
            }),
            ShardProblem::MoreMissing { more, .. } => sink.add_uncounted(&RULE, (*more).into()),
            _ => {}
        }
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    let first = super::recipes::shard(0, 2, 2).bytes();
    let recipe = crate::testing::Recipe::named([(super::recipes::NAMES[0], first)]);
    recipe.problem(ShardProblem::Missing { no: 2, count: 2, path: super::recipes::NAMES[1].into() })
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipes::sound()
}
