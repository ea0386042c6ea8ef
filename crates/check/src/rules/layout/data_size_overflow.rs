use super::fate::laid;
use crate::facts::{self, Facts};
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The tensors' sizes, each padded to the alignment, add up to more than 64 bits can hold.
    ///
    /// No file is that long. A loader that adds the sizes without checking gets a small number, allocates a small buffer
    /// and lets tensors point outside of it: llama.cpp did so until it checked the sum (CVE-2025-53630), and again for the
    /// sum with the padding and overhead that it adds afterwards (CVE-2026-27940). Each size alone may look possible, so a
    /// check of single tensors does not find it.
    ///
    /// The dimensions are damaged or were made to harm. Do not give the file to a loader that is not current; fetch it
    /// again from a source that you trust.
    GG211 "data-size-overflow" Layout Error: "the tensors' sizes add up to more than 64 bits hold"
        "张量大小之和超出 64 位"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for laid in laid(facts) {
        let index = laid.view.index();
        let Some((at, tensor)) = laid.overflow.and_then(|at| Some((at, index.tensors().get(at)?))) else {
            continue;
        };
        sink.add(&RULE, || {
            let len = ggufkit_format::layout::tensor_bytes(tensor.tensor_type, index.dims(tensor));
            let label = facts::shape_label(laid.at, &laid.view, at, tensor)
                .text(format!("{} bytes of {}", len.unwrap_or(0), tensor.tensor_type));
            let message = match at {
                0 => "the tensor's size, padded, does not fit in 64 bits".to_owned(),
                _ => "with this tensor the sizes add up to more than 64 bits hold".to_owned(),
            };
            Finding::new(&RULE, message, label)
                .note("a loader that adds without checking allocates too little and lets tensors point outside")
                .help("the dimensions are damaged or were made to harm: fetch the file again")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    let mut file = Builder::new();
    for (name, n) in [("a", 0), ("b", 1), ("c", 2), ("d", 3)] {
        file = file.tensor(Tensor::f32(name, &[1 << 60]).offset(n << 62));
    }
    file.into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("a", &[1 << 6])).tensor(Tensor::f32("b", &[1 << 6])).into()
}
