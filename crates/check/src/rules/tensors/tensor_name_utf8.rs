use ggufkit_format::{TensorPart, shorten};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The bytes of a tensor's name are not UTF-8.
    ///
    /// gguf-py decodes every tensor name while it opens a file and stops with a `UnicodeDecodeError`, so none of its tools
    /// can read any part of the file, not even the metadata. llama.cpp compares bytes and takes no notice. Readers in
    /// JavaScript, Go and Rust put replacement characters into the name and then do not find the tensor.
    ///
    /// No architecture has tensor names outside ASCII. A name of random bytes shows that the table was damaged, or read from
    /// the wrong place: look at the record with `gguf hex FILE`.
    GG306 "tensor-name-utf8" Tensors Warning: "a tensor name is not UTF-8"
        "张量名称不是 UTF-8"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for row in facts.rows() {
        let name = row.name();
        if row.tensor.name.utf8.unwrap_or_else(|| core::str::from_utf8(name).is_ok()) {
            continue;
        }
        sink.add(&RULE, || {
            let message = format!("the tensor name \"{}\" is not UTF-8", shorten(name, 80));
            Finding::new(&RULE, message, row.label(TensorPart::Name).text("not UTF-8"))
                .note("gguf-py cannot open the file: it decodes every name and raises UnicodeDecodeError")
                .help("give the tensor its name in ASCII, or convert the model again")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32(b"gr\xf6\xdfe", &[8])).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("größe", &[8])).into()
}
