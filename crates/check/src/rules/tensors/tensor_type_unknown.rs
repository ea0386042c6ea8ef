use ggufkit_format::spec::TensorType;
use ggufkit_format::{TensorPart, shorten};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A tensor has a type that ggml never assigned.
    ///
    /// Forks have types of their own (ik_llama.cpp's begin at about 130), and later versions of ggml will have new ones.
    /// llama.cpp refuses the whole file ("invalid ggml type"), and gguf-py cannot even show its metadata. Here the block is
    /// unknown, so the size of this tensor is not examined, nor whether it overlaps the next or ends within the file; all other
    /// tensors are.
    ///
    /// Use the program that wrote the file. If it came from llama.cpp itself, update the readers. An id far from all known ones
    /// may also mean that the table was damaged.
    GG316 "tensor-type-unknown" Tensors Warning: "a tensor type is not known"
        "张量类型未知"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for row in facts.rows() {
        let ty = row.tensor.tensor_type;
        if ty.info().is_some() {
            continue;
        }
        sink.add(&RULE, || {
            let name = shorten(row.name(), 80);
            let message = format!("the tensor \"{name}\" has type {}, which is not known", ty.0);
            let last = TensorType::COUNT.saturating_sub(1);
            let primary = row.label(TensorPart::Type).text(format!("ggml has the types 0 to {last}"));
            Finding::new(&RULE, message, primary)
                .note("llama.cpp and gguf-py refuse the file; the size of this tensor is not examined")
                .help("use the program that wrote the file: forks have types of their own")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::new("w", 156, &[256]).data([0; 128])).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::new("w", 39, &[256])).into()
}
