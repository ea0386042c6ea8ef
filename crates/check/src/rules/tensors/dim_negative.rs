use ggufkit_format::{TensorPart, shorten};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A dimension of a tensor is 2^63 or more: negative for programs that keep it signed.
    ///
    /// ggml's dimensions are signed. llama.cpp refuses such a file; readers that multiply the dimensions and look only at the
    /// product let two negative numbers pass as a small positive one, and then read or write outside the tensor. No tensor has
    /// so many elements: a writer computed the shape wrongly (-1 for "whatever is left" in a reshape is the classic), or the
    /// file was made to attack readers.
    ///
    /// Do not open the file with readers that are not up to date. Convert the model again.
    GG311 "dim-negative" Tensors Error: "a dimension is negative when read as signed"
        "某个维度按有符号数读取时为负"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for row in facts.rows() {
        let Some(at) = row.dims().iter().position(|dim| i64::try_from(*dim).is_err()) else { continue };
        sink.add(&RULE, || {
            let dim = row.dims().get(at).copied().unwrap_or_default();
            let part = TensorPart::Dim(u32::try_from(at).unwrap_or(u32::MAX));
            let name = shorten(row.name(), 80);
            let message = format!("dimension {at} of the tensor \"{name}\" is {dim}");
            let primary = row.label(part).text(format!("{} as a signed number", dim.cast_signed()));
            Finding::new(&RULE, message, primary)
                .note("llama.cpp refuses the file; products of negative dimensions slip past other readers' checks")
                .help("convert the model again from a source that is trusted")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("w", &[u64::MAX, 2])).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().tensor(Tensor::f32("w", &[1 << 62])).into()
}
