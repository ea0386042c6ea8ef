use ggufkit_format::TensorPart;

use super::fate::laid;
use crate::facts::{self, Facts};
use crate::finding::{Change, Finding, Safety};
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A tensor's offset is not a multiple of the file's alignment.
    ///
    /// The format asks for every tensor to begin on a boundary, so that a mapped file can be computed on in place.
    /// llama.cpp refuses such a file ("has offset X, expected Y"). Readers that cast mapped bytes to an array of floats
    /// panic or have undefined behaviour; those that copy the data first, as gguf-py does, accept it.
    ///
    /// The weights themselves are whole. `gguf repair` lays the data section out anew; the values do not change. Where
    /// every offset fits a smaller alignment, the writer used that one and recorded another, or none.
    GG203 "tensor-offset-misaligned" Layout Error: "tensor data does not start on an alignment boundary"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for laid in laid(facts) {
        let (view, alignment) = (laid.view, laid.alignment);
        for extent in laid.sane() {
            let over = extent.offset.checked_rem(alignment).unwrap_or(0);
            let Some(tensor) = view.index().tensors().get(extent.tensor) else { continue };
            if over == 0 {
                continue;
            }
            sink.add(&RULE, || {
                let primary = facts::tensor_label(laid.at, &view, extent.tensor, tensor, TensorPart::Offset)
                    .text(format!("{} is not a multiple of {alignment}", tensor.offset));
                let mut finding = Finding::new(&RULE, RULE.summary, primary)
                    .note("loaders that map tensors in place refuse or misread this file")
                    .help("`gguf repair FILE -o OUT` lays the data section out with correct padding")
                    .fix(Safety::Safe, "lay the data section out anew", Change::Relayout);
                if let Some(label) = super::alignment_label(laid.at, &view) {
                    finding = finding.because(label.text(format!("general.alignment is {alignment}")));
                }
                finding
            });
        }
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().alignment(32).tensor(Tensor::f32("blk.0.attn_q.weight", &[4]).offset(17)).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Tensor};
    Builder::new().alignment(16).tensor(Tensor::f32("a", &[4])).tensor(Tensor::f32("b", &[4])).into()
}
