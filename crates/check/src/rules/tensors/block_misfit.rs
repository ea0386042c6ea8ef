use ggufkit_format::layout::{self, SizeError};
use ggufkit_format::{TensorPart, shorten};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A row of a quantized tensor is not a whole number of blocks.
    ///
    /// Block types keep 32 or 256 consecutive elements of a row together, so the first dimension has to be a multiple of that;
    /// nothing says what half a block would be. llama.cpp and gguf-py refuse the file ("not a multiple of block size").
    /// Readers that divide and drop the remainder take the tensor for shorter than it is, and read every tensor after it from
    /// the wrong place.
    ///
    /// Quantize the tensor to a type whose block fits, as llama.cpp's quantize does (Q4_K falls back to Q5_0, with blocks of
    /// 32), or keep it as F16. Where the shape is the fault, convert the model again.
    GG314 "block-misfit" Tensors Error: "a row is not a whole number of blocks"
        "一行不是整数个块"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for row in facts.rows() {
        let ty = row.tensor.tensor_type;
        let Err(SizeError::BlockMisfit { row: len, block }) = layout::tensor_bytes(ty, row.dims()) else { continue };
        sink.add(&RULE, || {
            let name = shorten(row.name(), 80);
            let message = format!("the tensor \"{name}\" has rows of {len} elements, and {ty} has blocks of {block}");
            // A scalar has no dimension to point at.
            let part = if row.dims().is_empty() { TensorPart::DimCount } else { TensorPart::Dim(0) };
            let primary = row.label(part).text(format!("{len} is not a multiple of {block}"));
            let cause = row.label(TensorPart::Type).text(format!("{ty}: blocks of {block} elements"));
            Finding::new(&RULE, message, primary)
                .because(cause)
                .note("llama.cpp and gguf-py refuse the file; its size in bytes is undefined")
                .help("quantize the tensor to a type whose block fits, or keep it as F16")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::new("w", 2, &[33])).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::new("w", 2, &[32, 3])).into()
}
