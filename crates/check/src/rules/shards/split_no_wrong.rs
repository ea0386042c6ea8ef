use ggufkit_format::Scalar;
use ggufkit_io::ShardProblem;

use crate::facts::Facts;
use crate::finding::{Change, Finding, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// `split.no` is not the file's place in the set.
    ///
    /// The key counts from 0, the names from 1: `NAME-00002-of-00003.gguf` holds 1. llama.cpp compares the key with the
    /// place of each file that it opens and refuses the set ("invalid split file idx"); given a file whose number is not 0
    /// first, it says that the first one must be loaded. Writers that count both from 1, and files that were renamed, get
    /// it wrong.
    ///
    /// Find out which of the two is right, by the tensors that the file holds. Then set the key, or rename the file.
    GG704 "split-no-wrong" Shards Error: "split.no is not the file's place in the set"
        "split.no 不是文件在分片集中的位置"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for problem in facts.subject().problems {
        let ShardProblem::Position { path, found, expected } = problem else { continue };
        sink.add(&RULE, || {
            let at = super::file_at(facts, path);
            let label = super::key_label(facts, at, super::NO).text(format!("{expected} is expected here"));
            let message = format!("split.no is {found}, but the place of {} is {expected}", super::shown(path));
            let finding = Finding::new(&RULE, message, label)
                .note("llama.cpp refuses the set")
                .note("split.no counts from 0, the numbers in the names from 1");
            let view = facts.files().get(at).and_then(|file| file.view);
            let kv = view.and_then(|view| super::kv(&view, super::NO));
            match (kv, u16::try_from(*expected)) {
                (Some((index, _)), Ok(expected)) => {
                    let change = Change::SetScalar { index: index as u64, value: Scalar::U16(expected) };
                    finding.fix(Safety::Unsafe, format!("set split.no to {expected}, if the name is right"), change)
                }
                _ => finding,
            }
        });
    }
    // A file alone has no place that is known, but none is at or behind its own count.
    if facts.files().len() > 1 || !facts.subject().problems.is_empty() {
        return;
    }
    for (at, _, _) in facts.views() {
        let (Some(no), Some(count @ 2..)) = (facts.u64(super::NO), facts.u64(super::COUNT)) else { continue };
        if no < count {
            continue;
        }
        sink.add(&RULE, || {
            let label = super::key_label(facts, at, super::NO).text(format!("0 to {} are possible", count - 1));
            let message = format!("split.no is {no}, though there are {count} shards");
            Finding::new(&RULE, message, label)
                .because(super::key_label(facts, at, super::COUNT).text(format!("{count} shards")))
                .note("split.no counts from 0, the numbers in the names from 1")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipes::pair(&super::recipes::shard(0, 2, 2), &super::recipes::shard(2, 2, 2))
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipes::sound()
}
