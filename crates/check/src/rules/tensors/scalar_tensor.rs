use ggufkit_format::{TensorPart, shorten};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A tensor has no dimensions: it is a single number.
    ///
    /// That is legal, and llama.cpp and gguf-py read it as one element: the product of no dimensions is 1. Readers that take
    /// the product for 0, or that ask for at least one dimension, lose the number or refuse the file. ggml has no such
    /// tensors in memory, so a copy made by gguf-split or quantize has the shape [1]. They come from PyTorch models with scalar
    /// parameters, such as learned scales.
    ///
    /// Where the file is made for many readers, write the shape as [1].
    GG309 "scalar-tensor" Tensors Note: "a tensor has no dimensions"
        "张量没有维度"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for row in facts.rows().filter(|row| row.dims().is_empty()) {
        sink.add(&RULE, || {
            let primary = row.label(TensorPart::DimCount).text("no dimensions: one element");
            let name = shorten(row.name(), 80);
            Finding::new(&RULE, format!("the tensor \"{name}\" is a scalar"), primary)
                .note("llama.cpp and gguf-py read one element; copies made by llama.cpp have the shape [1]")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("scale", &[])).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("scale", &[1])).into()
}
