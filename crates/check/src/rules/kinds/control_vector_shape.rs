use ggufkit_format::spec::TensorType;
use ggufkit_format::{TensorPart, shorten};
use ggufkit_inspect::summary::Kind;

use crate::facts::{Facts, TensorAt};
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A direction of a control vector is not F32, has more than one dimension, or is of another length than the others.
    ///
    /// A direction is added to the state behind a layer, so all are as long as the model's embedding. llama.cpp refuses the
    /// whole file otherwise ("non-F32", "non-1D", "does not match previous dimensions"), and it refuses directions that are
    /// of another length than the model's embedding when they are applied.
    ///
    /// Write the directions as F32 with one dimension. Control vectors must not be quantized. Directions of two models
    /// cannot stand in one file.
    GG813 "control-vector-shape" Kinds Error: "a direction of a control vector cannot be added"
        "控制向量的方向无法相加"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if facts.kind() != Kind::ControlVector {
        return;
    }
    let length = |at: &TensorAt<'_>| at.dims().first().copied().unwrap_or(1);
    let mut first: Option<TensorAt<'_>> = None;
    for at in facts.rows().filter(|at| at.name().starts_with(b"direction.")) {
        let name = || shorten(at.name(), 80);
        let ty = at.tensor.tensor_type;
        let len = length(&at);
        let (message, label, cause) = if ty != TensorType::F32 {
            (format!("{} is {ty}, expected F32", name()), at.label(TensorPart::Type).text(format!("{ty}")), None)
        } else if at.dims().iter().skip(1).any(|&n| n != 1) {
            let count = at.dims().len();
            (format!("{} has {count} dimensions", name()), at.shape_label().text("one is expected"), None)
        } else if let Some(first) = first.filter(|first| length(first) != len) {
            let cause = first.shape_label().text(format!("{} numbers", length(&first)));
            (format!("{} has {len} numbers, others have {}", name(), length(&first)), at.shape_label().text(format!("{len} numbers")), Some(cause))
        } else {
            first = first.or(Some(at));
            continue;
        };
        sink.add(&RULE, || {
            let finding = Finding::new(&RULE, message, label)
                .note("llama.cpp refuses the whole control vector")
                .help("write every direction as F32 with one dimension: the model's embedding length");
            cause.into_iter().fold(finding, Finding::because)
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    crate::testing::Tiny::control_vector().tensor("direction.3", &[4]).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    crate::testing::Tiny::control_vector().tensor("direction.3", &[8]).into()
}
