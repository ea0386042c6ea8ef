use ggufkit_format::TensorPart;

use crate::facts::{self, Facts};
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// Every byte of a weight matrix is zero.
    ///
    /// A matrix of zeros passes nothing on. Trained models have none; a file has one when its download was resumed into a
    /// file that had been filled up to its size, when a disk was full, or when a converter forgot to write the tensor.
    /// Every reader loads it, and the model talks nonsense. Vectors are not looked at: biases of zero are common.
    ///
    /// Compare the file's hash with the publisher's and fetch it again. A few models ship placeholders of zeros on
    /// purpose: then ignore this rule for the file, with that as the reason.
    GG903 "data-all-zero" Data Warning: "a weight matrix is all zeros"
        "权重矩阵全为零"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some(scan) = facts.scan() else { return };
    for (at, _, view) in facts.views() {
        for (number, (tensor, scan)) in view.index().tensors().iter().zip(scan.of(at)).enumerate() {
            let matrix = view.index().dims(tensor).iter().filter(|dim| **dim > 1).count() >= 2;
            if !scan.zero || scan.skipped.is_some() || !matrix {
                continue;
            }
            sink.add(&RULE, || {
                let name = ggufkit_format::shorten(view.name(tensor).0, 64);
                let primary = facts::tensor_label(at, &view, number, tensor, TensorPart::Data);
                let text = format!("all {} bytes are zero", primary.span.len);
                Finding::new(&RULE, format!("{name} is all zeros"), primary.text(text))
                    .help("compare the file's hash with the publisher's: a download that was resumed wrongly looks so")
            });
        }
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipes::one(0, &[2, 2], vec![0; 16])
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipes::one(0, &[4], vec![0; 16])
}
