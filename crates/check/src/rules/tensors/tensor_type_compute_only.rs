use ggufkit_format::spec::TypeStatus;
use ggufkit_format::{TensorPart, shorten};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A tensor is stored in a type that exists only while a matrix is multiplied.
    ///
    /// ggml brings activations into `Q8_1` and `Q8_K` to multiply them with quantized weights, and has no kernels that take
    /// weights in these types. llama.cpp reads the head, since the blocks are defined, and stops when it computes with the
    /// tensor. Their blocks carry sums that speed up a dot product and say nothing about a weight, so the tensor is larger
    /// than it need be as well.
    ///
    /// Quantize the tensor as `Q8_0`: the same eight bits for each weight, and every reader computes with it.
    GG317 "tensor-type-compute-only" Tensors Warning: "a tensor is stored in a type for computing only"
        "张量以仅用于计算的类型存储"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for row in facts.rows() {
        let Some(info) = row.tensor.tensor_type.info() else { continue };
        if info.status != TypeStatus::ComputeOnly {
            continue;
        }
        sink.add(&RULE, || {
            let name = shorten(row.name(), 80);
            let message = format!("the tensor \"{name}\" is stored as {}, a type for computing only", info.name);
            Finding::new(&RULE, message, row.label(TensorPart::Type).text(info.name))
                .note("ggml has no kernels that take weights of this type: the model loads and does not run")
                .help("quantize the tensor as Q8_0")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::new("w", 9, &[32])).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::new("w", 8, &[32])).into()
}
