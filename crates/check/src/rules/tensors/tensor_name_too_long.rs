use ggufkit_format::{TensorPart, shorten};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

/// Bytes that a name takes in ggml, its terminator included (`GGML_MAX_NAME`).
const GGML_MAX_NAME: u64 = 64;

rule! {
    /// A tensor's name has 64 bytes or more.
    ///
    /// ggml keeps names in 64 bytes, one of which ends the name: llama.cpp refuses the whole file when a name has more than
    /// 63 ("tensor name is too long"), and so do programs built on its reader; some cut the name and then do not find the
    /// tensor. The specification allows 64 bytes. gguf-py has no limit, so converters for image models, whose original names are
    /// long, write such files without noticing. stable-diffusion.cpp is built with a larger limit and reads some of them.
    ///
    /// Convert with the short names of the architecture (`blk.0.attn_q.weight`), or load the file with a program that says it
    /// takes long names.
    GG302 "tensor-name-too-long" Tensors Warning: "a tensor name is too long for ggml"
        "张量名称超过 ggml 允许的长度"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for row in facts.rows().filter(|row| row.tensor.name.span.len >= GGML_MAX_NAME) {
        sink.add(&RULE, || {
            let (len, name) = (row.tensor.name.span.len, row.name());
            let primary = row.label(TensorPart::NameLength).text(format!("{len} bytes, at most 63 fit"));
            let primary = crate::finding::Label { name: name.get(..200).map_or(primary.name, |n| Some(n.to_vec())), ..primary };
            let message = format!("the tensor name \"{}\" has {len} bytes, where ggml has room for 63", shorten(name, 80));
            Finding::new(&RULE, message, primary)
                .note("llama.cpp refuses the file; readers with fixed buffers cut the name")
                .help("convert with shorter names")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("w".repeat(64), &[8])).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("w".repeat(63), &[8])).into()
}
