use ggufkit_format::TensorPart;

use crate::facts::{self, Facts};
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Two tensors hold the same data, byte for byte, under different names.
    ///
    /// For `output.weight` and `token_embd.weight` it means that the embedding is tied and stored twice: engines use
    /// `token_embd.weight` for both when `output.weight` is absent, and the file is larger than it need be. For layers it
    /// means that a merge repeated them, or that a program wrote one tensor in the place of another.
    ///
    /// Nothing refuses such a file. If the model was not made by repeating layers, compare it with its source. Tensors
    /// below 4 KiB are not compared: norms and biases are equal by nature.
    GG904 "data-repeated" Data Note: "two tensors hold the same data"
        "两个张量的数据相同"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some(scan) = facts.scan() else { return };
    let views: Vec<_> = facts.views().map(|(at, _, view)| (at, view)).collect();
    for pair in &scan.repeated {
        sink.add(&RULE, || {
            let label = |(file, number): (usize, usize)| {
                let view = views.iter().find(|(at, _)| *at == file).map(|(_, view)| view)?;
                let tensor = view.index().tensors().get(number)?;
                Some(facts::tensor_label(file, view, number, tensor, TensorPart::Data))
            };
            let (first, again) = (label(pair.first), label(pair.again));
            let name = |label: Option<&crate::Label>| {
                let name = label.and_then(|label| label.name.as_deref()).unwrap_or_default();
                ggufkit_format::shorten(name, 64)
            };
            let message = format!("{} holds the same data as {}", name(again.as_ref()), name(first.as_ref()));
            let primary = again.unwrap_or_else(|| crate::place::bytes_label(pair.again.0, Default::default(), &ggufkit_format::Path::Data));
            let finding = Finding::new(&RULE, message, primary.text("the same bytes again"));
            match first {
                Some(first) => finding.because(first.text("first here")),
                None => finding,
            }
        });
    }
}

#[cfg(test)]
fn two(second: &[u8]) -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    let data: Vec<u8> = (0..8192_u32).map(|n| (n % 251) as u8).collect();
    let mut other = data.clone();
    other[..second.len()].copy_from_slice(second);
    let tensor = |name: &str, data: Vec<u8>| Tensor::new(name, 24, &[128, 64]).data(data);
    let file = Builder::new().tensor(tensor("token_embd.weight", data)).tensor(tensor("output.weight", other));
    crate::testing::Recipe::from(file).scanned()
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    two(&[])
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    // The samples of the fingerprint are the same; one byte between them is not.
    let mut second: Vec<u8> = (0..200_u32).map(|n| (n % 251) as u8).collect();
    second[150] = 0xee;
    two(&second)
}
