use ggufkit_format::{TensorPart, shorten};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

/// Dimensions that ggml has (`GGML_MAX_DIMS`).
const GGML_MAX_DIMS: usize = 4;

rule! {
    /// A tensor has more than four dimensions.
    ///
    /// ggml has four, and llama.cpp and gguf-py refuse the file ("exceeds GGML_MAX_DIMS"). Readers that put the dimensions
    /// into an array of fixed length without looking at the number write past its end: CVE-2024-21802 in llama.cpp, and the
    /// same in programs that carry old copies of gguf-tools. Tensors of convolutions in video models have five; their
    /// converters join two dimensions and record the real shape in a key.
    ///
    /// Reshape the tensor to four dimensions when converting. Do not open the file with readers that are not up to date.
    GG308 "too-many-dims" Tensors Error: "a tensor has more than four dimensions"
        "张量超过四维"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for row in facts.rows().filter(|row| row.dims().len() > GGML_MAX_DIMS) {
        sink.add(&RULE, || {
            let count = row.dims().len();
            let primary = row.label(TensorPart::DimCount).text(format!("{count} dimensions"));
            let name = shorten(row.name(), 80);
            Finding::new(&RULE, format!("the tensor \"{name}\" has {count} dimensions, ggml has 4"), primary)
                .note("llama.cpp and gguf-py refuse the file; old readers write past the end of an array")
                .help("reshape the tensor to four dimensions when converting")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("w", &[8, 1, 1, 1, 1])).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("w", &[8, 1, 1, 1])).into()
}
