use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A single file has some of the three split keys and not all, or one that is no count.
    ///
    /// `split.count` alone makes llama.cpp look for further files; then it asks for `split.no` and `split.tensors.count`
    /// and throws when one is absent or is no integer. Without `split.count` the file loads as a model of its own, and the
    /// others are forgotten. An editor that removed a key, or a tool that merged files and left one behind, makes such
    /// files.
    ///
    /// If the file is a whole model, remove all keys that begin with `split.`. If it is a part of one, write the missing
    /// ones: the file's place from 0 (u16), the number of files (u16), the number of tensors in all of them (i32).
    GG713 "split-keys-incomplete" Shards Warning: "some split keys are missing"
        "缺少部分拆分键"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    // Where a set was compared, each key that is missing has been said.
    if facts.files().len() > 1 || !facts.subject().problems.is_empty() || !heads_are_whole(facts) {
        return;
    }
    // What a merge left behind is another rule's.
    if facts.u64(super::COUNT).is_some_and(|count| count < 2) {
        return;
    }
    let present = |key: &&&str| facts.key(key).is_some();
    let there: Vec<&str> = super::KEYS.iter().filter(present).copied().collect();
    let Some(first) = there.first().copied() else { return };
    let wrong: Vec<&str> = super::KEYS.into_iter().filter(|key| facts.u64(key).is_none()).collect();
    let Some(one) = wrong.first().copied() else { return };
    sink.add(&RULE, || {
        let odd = there.contains(&one);
        let at = facts.key(if odd { one } else { first }).map_or(0, |place| facts.file_of(place.file));
        let (message, label) = match odd {
            true => (
                format!("{one} is not an integer from 0 up"),
                super::key_label(facts, at, one).text("a count is expected here"),
            ),
            false => (
                match wrong.as_slice() {
                    [one] => format!("{one} is missing, though there is {first}"),
                    more => format!("{} are missing, though there is {first}", more.join(" and ")),
                },
                super::key_label(facts, at, first).text("this key stands without the others"),
            ),
        };
        Finding::new(&RULE, message, label)
            .note("llama.cpp fails on an incomplete set of split keys when split.count is over 1")
            .help("remove every split key if the file is a whole model; write all three if it is a part of one")
    });
}

/// Whether a key that was not found is absent.
fn heads_are_whole(facts: &Facts<'_>) -> bool {
    facts.files().iter().all(|file| file.view.is_some_and(|view| view.index().is_complete()))
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().kv("split.count", 2_u16).tensor(Tensor::f32("w", &[8])).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipes::shard(0, 2, 2).into()
}
