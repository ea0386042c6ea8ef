use ggufkit_io::ShardProblem;

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A file of a split model lacks one of the three split keys, or holds something in it that is no count.
    ///
    /// `split.no` (u16, from 0) is the file's place, `split.count` (u16) the number of files, `split.tensors.count` (i32)
    /// the number of tensors in all of them. llama.cpp asks for each under exactly its type and throws, or aborts in
    /// `llama-gguf-split --merge`, when one is absent or is something else. Other readers cannot tell whether the set is
    /// complete.
    ///
    /// Write the key: the number in the file's name less 1, the number behind `-of-`, and the sum of the tensors of all
    /// files. Or split the model again.
    GG703 "split-key-bad" Shards Error: "a split key is missing or is no count"
        "拆分键缺失或不是计数"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for problem in facts.subject().problems {
        let ShardProblem::BadKey { path, key } = problem else { continue };
        sink.add(&RULE, || {
            let at = super::file_at(facts, path);
            let view = facts.files().get(at).and_then(|file| file.view);
            let there = view.is_some_and(|view| super::kv(&view, key).is_some());
            let (what, text) = match there {
                true => ("is not an integer from 0 up", "a count is expected here"),
                false => ("is missing", "none of these is the key"),
            };
            let label = super::key_label(facts, at, key).text(text);
            Finding::new(&RULE, format!("{key} {what} in {}", super::shown(path)), label)
                .note("llama.cpp asks the first file for every split key and each file for split.no, and fails without")
                .help("split the model again, or set the key with the type that llama.cpp asks for")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    let second = Builder::new().kv("split.no", "second").kv("split.count", 2_u16).kv("split.tensors.count", 2_i32);
    let second = second.tensor(Tensor::f32("blk.1.weight", &[8]));
    super::recipes::pair(&super::recipes::shard(0, 2, 2), &second)
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipes::sound()
}
