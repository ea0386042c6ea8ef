use ggufkit_io::ShardProblem;

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Files of one set give different alignments.
    ///
    /// Each file is laid out by its own `general.alignment`, 32 where it has none, so each is sound and llama.cpp loads the
    /// set. But a merge has to lay the tensors out anew to a single alignment; a tool that copies data sections as they are
    /// and keeps the first file's key writes a file that no loader accepts.
    ///
    /// Nothing is to be done to load the set. Merge it with a tool that pads anew, and look at the result. Splitting the
    /// model again gives every file the same alignment.
    GG709 "shard-alignment-differs" Shards Warning: "the files of the set have different alignments"
        "分片集各文件的对齐值不同"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for problem in facts.subject().problems {
        let ShardProblem::Alignment { path, found, first, expected } = problem else { continue };
        sink.add(&RULE, || {
            let key = "general.alignment";
            let label = super::key_label(facts, super::file_at(facts, path), key).text(format!("{found} here"));
            let first_at = super::file_at(facts, first);
            let view = facts.files().get(first_at).and_then(|file| file.view);
            let given = view.is_some_and(|view| super::kv(&view, key).is_some());
            let text = match given {
                true => format!("{expected} there"),
                false => format!("none of these gives it there, so it is {expected}"),
            };
            let cause = super::key_label(facts, first_at, key).text(text);
            let message = format!("general.alignment is {found} in {}, and {expected} before", super::shown(path));
            Finding::new(&RULE, message, label)
                .because(cause)
                .note("each file loads as it is; a merge that does not pad anew writes a broken file")
                .help("merge the set only with a tool that lays the data out anew")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::Tensor;
    let second = super::recipes::keys(1, 2, 2).alignment(64).tensor(Tensor::f32("blk.1.weight", &[8]));
    super::recipes::pair(&super::recipes::shard(0, 2, 2), &second)
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipes::sound()
}
