use ggufkit_format::{TensorPart, shorten};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Two tensors of a file have the same name.
    ///
    /// An engine asks for weights by name, so only one of the two can be used, and which one depends on the reader. llama.cpp
    /// ("duplicate tensor name") and gguf-py refuse the file; readers that collect tensors in a map keep the last one,
    /// others find the first. Files that were joined with `cat`, and merges that did not look, have such tables; so has a
    /// file that shows one set of weights to a scanner and another to an engine.
    ///
    /// Compare the two (`gguf tensors FILE`), decide which one is meant, and write the file anew without the other.
    GG303 "tensor-name-duplicate" Tensors Error: "a tensor name occurs more than once"
        "同一个张量名称出现多次"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for [first, place] in facts.duplicate_tensors() {
        sink.add(&RULE, || {
            let name = place.part.view.name(place.record);
            let message = format!("the tensor name \"{}\" occurs more than once", shorten(name.0, 80));
            let primary = facts.tensor_label(&place, TensorPart::Name).text("it occurs here again");
            Finding::new(&RULE, message, primary)
                .note("llama.cpp and gguf-py refuse the file; other readers use the first or the last tensor")
                .help("write the file anew without the one that is not meant")
                .because(facts.tensor_label(&first, TensorPart::Name).text("first here"))
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("w", &[8])).tensor(Tensor::f32("w", &[16])).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("w", &[8])).tensor(Tensor::f32("W", &[8])).into()
}
