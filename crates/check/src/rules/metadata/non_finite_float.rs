use ggufkit_format::spec::{TensorType, ValueType};
use ggufkit_format::{ArrayRef, Element, KvPart, Payload, Value, shorten};

use super::kinds;
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A known key holds NaN or an infinity where a number is computed with.
    ///
    /// An epsilon, a rotary frequency base or a scale that is not finite makes every activation NaN: the model loads
    /// without a word and answers with one token over and over. Scores of NaN make the order of a tokenizer's merges
    /// depend on the machine. Servers that pass metadata on as JSON cannot write these values. They come from a
    /// configuration with `Infinity` or `null` in it, or from a division by zero in a converter.
    ///
    /// Take the value from the original model's configuration, or remove the key so that the engine's default applies.
    GG115 "non-finite-float" Metadata Warning: "a known key holds NaN or an infinity"
        "已知键的值是 NaN 或无穷大"
}

/// Infinite scores order tokens as well as other numbers do.
fn is_odd(value: f64, scores: bool) -> bool {
    value.is_nan() || (value.is_infinite() && !scores)
}

/// Whether every element of an array of floats is finite.
fn all_finite(elements: &ArrayRef<'_>) -> bool {
    let ty = match elements.element_type() {
        ValueType::FLOAT32 => TensorType::F32,
        ValueType::FLOAT64 => TensorType::F64,
        _ => return false,
    };
    crate::data::is_finite(ty, elements.endian(), elements.as_bytes())
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (record, info) in facts.known() {
        let scores = info.pattern == "tokenizer.ggml.scores";
        let (part, value) = match (&record.kv.payload, record.value()) {
            (Payload::Scalar(scalar), _) => (Element::Whole, scalar.as_float()),
            (Payload::Array(array), Value::Array(elements)) if kinds::is_float(array.element_type) => {
                // Long arrays of scores are the rule, odd ones among them are not.
                if all_finite(&elements) {
                    continue;
                }
                let floats = elements.iter().map(|element| element.as_float().unwrap_or_default());
                let Some((at, value)) = floats.enumerate().find(|(_, value)| is_odd(*value, scores)) else {
                    continue;
                };
                (Element::At(at as u64), Some(value))
            }
            _ => continue,
        };
        let Some(value) = value.filter(|value| is_odd(*value, scores)) else { continue };
        sink.add(&RULE, || {
            let word = match value {
                v if v.is_nan() => "NaN",
                v if v < 0.0 => "-Infinity",
                _ => "Infinity",
            };
            let key = shorten(record.key().0, 80);
            let message = match part {
                Element::Whole => format!("\"{key}\" is {word}"),
                _ => format!("an element of \"{key}\" is {word}"),
            };
            let follows = match scores {
                true => "the tokenizer compares scores, and NaN is neither greater nor less than any",
                false => "what is computed with it is not finite either: the model answers nonsense",
            };
            Finding::new(&RULE, message, record.label(KvPart::Value(part)).text(word))
                .note(follows)
                .help("take the value from the original model's configuration")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("llama.rope.freq_base", f32::INFINITY).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new()
        .kv("llama.rope.freq_base", f32::MAX)
        .kv("x.scale", f32::NAN)
        .kv("tokenizer.ggml.scores", vec![f32::NEG_INFINITY])
        .into()
}

