use ggufkit_format::TensorPart;

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A tensor has no name.
    ///
    /// llama.cpp and gguf-py read such a record, and then nothing can ask for the tensor: an engine looks its weights up by
    /// name, so the tensor that should be there is missing, and llama.cpp counts one tensor too many ("wrong number of
    /// tensors"). The usual causes are a converter whose table of names has a gap, and a head that was damaged or made to
    /// provoke readers.
    ///
    /// Find out from shape and place in the table which tensor it is, and convert the model again.
    GG301 "tensor-name-empty" Tensors Warning: "a tensor has no name"
        "张量没有名称"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for row in facts.rows().filter(|row| row.tensor.name.span.len == 0) {
        sink.add(&RULE, || {
            let primary = row.label(TensorPart::NameLength).text("the length of the name is 0");
            Finding::new(&RULE, RULE.summary, primary)
                .note("no engine can ask for it; llama.cpp counts one tensor too many")
                .help("convert the model again: the converter has no name for this tensor")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("", &[8])).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("w", &[8])).into()
}
