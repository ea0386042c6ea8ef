use ggufkit_format::naming::parse_shard_suffix;

use crate::facts::{Facts, counted};
use crate::finding::{Change, Finding, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A whole model still has the split keys of the files that it was merged from.
    ///
    /// `llama-gguf-split --merge` sets `split.count` to 0 and leaves `split.no` and `split.tensors.count` where they were.
    /// llama.cpp takes a count of 0 or 1 for a single file and loads it. Programs that go by the presence of the keys take
    /// the file for a part and look for others, and an export of the same model that was never split has another checksum.
    ///
    /// Remove the three keys; nothing else refers to them.
    GG714 "split-merged-leftover" Shards Note: "a merged file still has split keys"
        "合并后的文件仍带有拆分键"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let [file] = facts.files() else { return };
    let (Some(view), Some(count @ (0 | 1))) = (file.view, facts.u64(super::COUNT)) else { return };
    // A set of one file, by its name, is what it says.
    if count == 1 && file.file_name.is_some_and(|name| parse_shard_suffix(name).is_some()) {
        return;
    }
    sink.add(&RULE, || {
        let label = super::key_label(facts, 0, super::COUNT).text(format!("{count}: a single file"));
        let keys = super::KEYS.into_iter().filter_map(|key| super::kv(&view, key));
        let indices: Vec<u64> = keys.map(|(index, _)| index as u64).collect();
        let mut finding = Finding::new(&RULE, format!("split.count is {count}: the keys of a split are left over"), label)
            .note("llama.cpp loads the file; programs that go by the keys look for further files");
        for key in [super::NO, super::TENSORS] {
            if super::kv(&view, key).is_some() {
                finding = finding.because(super::key_label(facts, 0, key).text("left over too"));
            }
        }
        let title = format!("remove the {}", counted(indices.len() as u64, "split key"));
        finding.fix(Safety::Safe, title, Change::RemoveKvs { indices })
    });
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipes::shard(0, 0, 1).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.name", "never split").into()
}
