use ggufkit_format::{TensorPart, shorten};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A tensor has a dimension of 0, and so no elements.
    ///
    /// That is legal: it takes no bytes and may share its offset with the next tensor. llama.cpp reads such placeholders now;
    /// versions that divided by the dimension to look for overflows crashed on them, and other readers turn the 0 into 1 or
    /// refuse the file. No engine computes with such a tensor, so in a model it is a leftover, or a sign that a converter
    /// cut a tensor down to nothing.
    ///
    /// Leave the tensor out when converting, unless a program asks for it by name.
    GG310 "empty-tensor" Tensors Note: "a tensor has no elements"
        "张量没有元素"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for row in facts.rows() {
        let Some(at) = row.dims().iter().position(|dim| *dim == 0) else { continue };
        sink.add(&RULE, || {
            let part = TensorPart::Dim(u32::try_from(at).unwrap_or(u32::MAX));
            let name = shorten(row.name(), 80);
            Finding::new(&RULE, format!("the tensor \"{name}\" has no elements"), row.label(part).text("0"))
                .note("it takes no bytes; old versions of llama.cpp crash on it")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("w", &[4, 0])).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("w", &[4, 1])).into()
}
