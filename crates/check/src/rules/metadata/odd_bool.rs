use ggufkit_format::spec::ValueType;
use ggufkit_format::{Element, KvPart, Payload, Scalar, shorten};

use crate::facts::Facts;
use crate::finding::{Change, Finding, Safety};
use crate::rule::rule;
use crate::sink::Sink;

/// Longest array, in bytes, for which a fix is made.
const PATCHED: usize = 1 << 16;

rule! {
    /// The byte of a bool is neither 0 nor 1.
    ///
    /// The specification calls such a file invalid, or its reader broken. llama.cpp and gguf-py take every byte but 0 for
    /// true and write 1 back; readers that compare with 1 see false; a Rust or C++ program that takes the byte for a
    /// `bool` without a look at it has undefined behaviour. So flags like `tokenizer.ggml.add_bos_token` can mean
    /// different things in different programs. Often the byte shows that the reader and the writer do not agree where
    /// values begin, or that the file is damaged.
    ///
    /// Set the byte to 1, which is what llama.cpp reads, unless 0 was meant.
    GG112 "odd-bool" Metadata Error: "a bool is neither 0 nor 1"
        "布尔值既不是 0 也不是 1"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for record in facts.records() {
        let (found, part, count, first) = match &record.kv.payload {
            Payload::Scalar(Scalar::Bool(byte)) if *byte > 1 => (*byte, KvPart::Value(Element::Whole), 1, None),
            Payload::Array(array) if array.element_type == ValueType::BOOL => {
                let bytes = record.view.bytes(array.elements).unwrap_or_default();
                let Some(first) = bytes.iter().position(|byte| *byte > 1) else { continue };
                let count = bytes.iter().filter(|byte| **byte > 1).count();
                let byte = bytes.get(first).copied().unwrap_or_default();
                (byte, KvPart::Value(Element::At(first as u64)), count, Some((first, bytes)))
            }
            _ => continue,
        };
        sink.add(&RULE, || {
            let key = shorten(record.key().0, 80);
            let message = match count {
                1 => format!("a bool of \"{key}\" is {found}, neither 0 nor 1"),
                n => format!("{n} bools of \"{key}\" are neither 0 nor 1, the first is {found}"),
            };
            let primary = record.label(part).text("llama.cpp reads true");
            let mut finding = Finding::new(&RULE, message, primary.clone())
                .note("readers that compare with 1 see false; for some languages the byte is undefined behaviour");
            let patch = match first {
                None => Some((primary.span, vec![1])),
                Some((first, bytes)) => {
                    let odd = bytes.get(first..).filter(|odd| odd.len() <= PATCHED);
                    odd.map(|odd| {
                        let span = ggufkit_format::Span::new(primary.span.start, odd.len() as u64);
                        (span, odd.iter().map(|byte| (*byte).min(1)).collect())
                    })
                }
            };
            if let Some((span, bytes)) = patch {
                finding = finding.fix(
                    Safety::Safe,
                    if count == 1 { "set the byte to 1" } else { "set these bytes to 1" },
                    Change::Patch { span, bytes },
                );
            }
            finding
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::Value;
    ggufkit_testkit::Builder::new().kv("tokenizer.ggml.add_bos_token", Value::Bool(255)).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new()
        .kv("tokenizer.ggml.add_bos_token", true)
        .kv("llama.attention.recurrent_layers", vec![true, false])
        .into()
}

#[cfg(test)]
mod tests {
    use crate::Options;
    use crate::finding::Change;
    use crate::testing::Recipe;
    use ggufkit_testkit::{Builder, Kind, Value};

    #[test]
    fn odd_elements_become_ones_and_the_others_stay() {
        let bools = [0, 7, 1, 0, 255].map(Value::Bool).to_vec();
        let file = Builder::new().kv("x.flags", Value::Array(Kind::Bool, bools)).build();
        let elements = file.span("kv[0].value[1]").start;
        Recipe::from(file.into_bytes()).judge(&Options::default(), |report, _| {
            let finding = report.findings.iter().find(|finding| finding.rule.name == "odd-bool").unwrap();
            let Some(Change::Patch { span, bytes }) = finding.fix.clone().map(|fix| fix.change) else { panic!() };
            assert_eq!((span.start, bytes), (elements, vec![1, 1, 0, 1]));
        });
    }
}
