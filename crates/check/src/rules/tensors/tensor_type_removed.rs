use ggufkit_format::spec::{Lang, TypeStatus};
use ggufkit_format::{TensorPart, shorten};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A tensor has a type that was removed from the format.
    ///
    /// The id is kept so that no other type gets it, but ggml no longer says what its blocks look like: current versions of
    /// llama.cpp and gguf-py refuse the file, and readers that divide by the size of a block divide by 0. Forks reuse some of
    /// these ids (36 is a ternary type of BitNet's), so the number alone does not tell what the data is, nor how long.
    ///
    /// Files from before the removal need a program of that time, or the model quantized again; for the repacked types
    /// (`Q4_0_4_4` and its kin), use `Q4_0`, which is repacked while loading. Files of a fork need that fork.
    GG315 "tensor-type-removed" Tensors Warning: "a tensor type was removed from the format"
        "张量类型已从格式中移除"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for row in facts.rows() {
        let ty = row.tensor.tensor_type;
        let Some(info) = ty.info() else { continue };
        let TypeStatus::Removed { note } = info.status else { continue };
        sink.add(&RULE, || {
            let name = shorten(row.name(), 80);
            let message = format!("the tensor \"{name}\" has type {}, {}, which was removed", ty.0, info.name);
            let primary = row.label(TensorPart::Type).text(format!("{}, or a fork's own type {}", info.name, ty.0));
            Finding::new(&RULE, message, primary)
                .note("llama.cpp and gguf-py refuse the file; how long the data is cannot be told from the type")
                .note(note.get(Lang::En))
                .help("quantize the model again, or use the program that wrote the file")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::new("w", 36, &[128]).data([0; 64])).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::new("w", 20, &[128])).into()
}
