use ggufkit_format::{Span, TensorPart};

use crate::data::Count;
use crate::facts::{self, Facts};
use crate::finding::Finding;
use crate::rule::{Rule, Severity, rule};
use crate::sink::Sink;

rule! {
    /// A tensor of a float type holds values that are not finite: NaN, or infinity.
    ///
    /// One NaN in a weight makes every output NaN: the model answers with nothing, with one repeated token, or stops with
    /// an assertion. It comes from an overflow in training or in the conversion to half precision (values above 65504),
    /// or from damaged storage. llama.cpp looks for it only when asked to (`--check-tensors`) and when it quantizes.
    ///
    /// Compare the tensor with the source of the conversion: if that is sound, convert again, to BF16 where values are
    /// large; else the model itself is broken. `gguf hex` shows the bytes.
    GG901 "data-not-finite" Data Error: "a tensor holds values that are not finite"
        "张量含有非有限的值"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    report(facts, sink, &RULE, false);
}

/// The findings about values, or about scales of blocks.
pub(super) fn report(facts: &Facts<'_>, sink: &mut Sink<'_>, rule: &'static Rule, scales: bool) {
    let Some(scan) = facts.scan() else { return };
    for (at, _, view) in facts.views() {
        for (number, (tensor, scan)) in view.index().tensors().iter().zip(scan.of(at)).enumerate() {
            let Count { nan, infinite, first: Some((position, len)), scales: found } = scan.count else { continue };
            if found != scales {
                continue;
            }
            // Masks of minus infinity are kept as plain f32 by some models.
            let severity = match (scales, nan, view.index().dims(tensor).len()) {
                (false, 0, 0..=1) => Severity::Warning,
                _ => rule.severity,
            };
            sink.add_as(rule, severity, || {
                let what = match (nan, infinite) {
                    (n, 0) => format!("{n} NaN"),
                    (0, n) => format!("{n} infinite"),
                    (nan, infinite) => format!("{nan} NaN and {infinite} infinite"),
                };
                let things = match (scales, nan.saturating_add(infinite)) {
                    (true, 1) => "block scale",
                    (true, _) => "block scales",
                    (false, 1) => "value",
                    (false, _) => "values",
                };
                let name = ggufkit_format::shorten(view.name(tensor).0, 64);
                let mut primary = facts::tensor_label(at, &view, number, tensor, TensorPart::Data)
                    .text(format!("the first of {what} {things}"));
                primary.span = Span::new(position, len);
                Finding::new(rule, format!("{name} holds {what} {things}"), primary)
                    .note("llama.cpp refuses the tensor under --check-tensors and when it quantizes; otherwise it computes with it")
            });
        }
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    let data = [1.0_f32, f32::NAN, 2.0, f32::INFINITY].iter().flat_map(|v| v.to_le_bytes()).collect();
    super::recipes::one(0, &[2, 2], data)
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    let data = [1.0_f32, f32::MAX, f32::MIN_POSITIVE, -0.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    super::recipes::one(0, &[2, 2], data)
}
