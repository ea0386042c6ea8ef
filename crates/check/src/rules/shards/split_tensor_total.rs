use ggufkit_format::Scalar;
use ggufkit_io::ShardProblem;

use crate::facts::{Facts, counted};
use crate::finding::{Change, Finding, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// All files of the set are there, and together they do not hold as many tensors as `split.tensors.count` says.
    ///
    /// llama.cpp counts the tensors of all files and refuses the set when the sum is another ("corrupted model: N tensors
    /// expected but M found"). One of the files is not the right one, was written by a tool that dropped or repeated
    /// tensors, or the key was copied from the model before something was added.
    ///
    /// Look whether a layer is absent or occurs twice (`gguf tensors` lists the set as one model). Where everything is
    /// there, set the key to the sum; otherwise fetch the files again.
    GG707 "split-tensor-total" Shards Error: "the files do not hold as many tensors as split.tensors.count says"
        "各文件的张量总数与 split.tensors.count 不符"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for problem in facts.subject().problems {
        let ShardProblem::TensorTotal { path, declared, found } = problem else { continue };
        sink.add(&RULE, || {
            let at = super::file_at(facts, path);
            let there = counted(*found, "tensor");
            let label = super::key_label(facts, at, super::TENSORS).text(format!("the files hold {there}"));
            let message = format!("split.tensors.count is {declared}, but the files hold {there} together");
            let finding = Finding::new(&RULE, message, label)
                .note("llama.cpp refuses the set: so many tensors expected, so many found");
            let view = facts.files().get(at).and_then(|file| file.view);
            let kv = view.and_then(|view| super::kv(&view, super::TENSORS));
            match (kv, i32::try_from(*found)) {
                (Some((index, _)), Ok(found)) => {
                    let change = Change::SetScalar { index: index as u64, value: Scalar::I32(found) };
                    finding.fix(Safety::Unsafe, format!("set the key to {found}, if no tensor is absent"), change)
                }
                _ => finding,
            }
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipes::pair(&super::recipes::shard(0, 2, 3), &super::recipes::shard(1, 2, 3))
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipes::sound()
}
