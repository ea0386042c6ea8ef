use ggufkit_format::{TensorPart, shorten};
use ggufkit_io::ShardProblem;

use crate::facts::{self, Facts};
use crate::finding::{Finding, Label};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Two files of a set hold a tensor of the same name.
    ///
    /// The files of a split model share out the tensors; each is in exactly one. llama.cpp refuses the set ("duplicated
    /// tensor"). Other readers take the first or the last one, and a merge that does not look writes a file that holds both.
    /// Files of two splits with different limits that were mixed, or a first file that is the whole model, are the usual
    /// causes.
    ///
    /// Compare the files with the publisher's list. If the two tensors differ, only the publisher can say which is right.
    GG708 "shard-duplicate-tensor" Shards Error: "a tensor is in two files of the set"
        "同一个张量在分片集的两个文件里"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for problem in facts.subject().problems {
        match problem {
            ShardProblem::DuplicateTensor { name, first, path } => sink.add(&RULE, || {
                let label = |path: &std::path::Path| -> Label {
                    let at = super::file_at(facts, path);
                    let view = facts.files().get(at).and_then(|file| file.view);
                    let found = view.and_then(|view| {
                        let mut tensors = view.tensors().enumerate();
                        let (index, (_, tensor)) = tensors.find(|(_, (other, _))| other.0 == name.as_slice())?;
                        Some(facts::tensor_label(at, &view, index, tensor, TensorPart::Name))
                    });
                    found.unwrap_or_else(|| super::key_label(facts, at, super::NO))
                };
                let message = format!(
                    "duplicate tensor \"{}\": it is in {} and again in {}",
                    shorten(name, 64),
                    super::shown(first),
                    super::shown(path)
                );
                Finding::new(&RULE, message, label(path).text("again here"))
                    .because(label(first).text("first here"))
                    .note("llama.cpp refuses the set; other readers take the first or the last one")
                    .help("the files may come from two splits of the model: compare them with the publisher's")
            }),
            ShardProblem::MoreDuplicates { more } => sink.add_uncounted(&RULE, *more),
            _ => {}
        }
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::Tensor;
    let second = super::recipes::keys(1, 2, 2).tensor(Tensor::f32("blk.0.weight", &[8]));
    super::recipes::pair(&super::recipes::shard(0, 2, 2), &second)
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipes::sound()
}
