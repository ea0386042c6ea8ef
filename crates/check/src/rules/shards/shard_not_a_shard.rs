use ggufkit_format::HeaderPart;
use ggufkit_io::ShardProblem;

use crate::facts::Facts;
use crate::finding::Finding;
use crate::place;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A file has the name of a shard and none of the keys that make one.
    ///
    /// Every file of a split model carries `split.no`, `split.count` and `split.tensors.count`. llama.cpp reads the first
    /// file's count: without it the file is loaded as a model of its own, and the tensors in the others are reported as
    /// missing. Programs that go by the name take the file for a part. Somebody renamed a whole model, removed the keys with
    /// an editor, or cut a model up with a tool that does not know them.
    ///
    /// If the file is whole, give it a name without `-00001-of-0000N`. If it is a part, split the model again with a tool
    /// that writes the keys, such as `llama-gguf-split`.
    GG702 "shard-not-a-shard" Shards Error: "a file in the place of a shard has no split keys"
        "分片位置上的文件没有拆分键"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for problem in facts.subject().problems {
        let ShardProblem::NotAShard { path } = problem else { continue };
        sink.add(&RULE, || {
            let at = super::file_at(facts, path);
            let view = facts.files().get(at).and_then(|file| file.view);
            let label = match view {
                Some(view) => place::header_label(at, view.index().header(), HeaderPart::KvCount),
                None => super::key_label(facts, at, super::NO),
            };
            let message = format!("{} has the name of a shard and no split keys", super::shown(path));
            let label = label.text("none of these is split.no, split.count or split.tensors.count");
            Finding::new(&RULE, message, label)
                .note("llama.cpp refuses the set; if this is the first file, it loads it as a model of its own")
                .help("rename the file if it is a whole model; otherwise split the model again")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    let plain = Builder::new().kv("general.name", "x").tensor(Tensor::f32("blk.1.weight", &[8]));
    super::recipes::pair(&super::recipes::shard(0, 2, 2), &plain)
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipes::sound()
}
