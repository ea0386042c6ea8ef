use ggufkit_format::spec::{KeyInfo, KeyType, ValueType};
use ggufkit_format::{Element, KvPart, Value, shorten};

use super::kinds;
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::{Severity, rule};
use crate::sink::Sink;

/// Keys whose usual type is signed, and which count something.
const COUNTS: [&str; 8] = [
    "split.tensors.count",
    "controlvector.layer_count",
    "quantize.imatrix.entries_count",
    "quantize.imatrix.chunks_count",
    "{arch}.attention.head_count",
    "{arch}.attention.head_count_kv",
    "{arch}.feed_forward_length",
    "{arch}.expert_feed_forward_length",
];

rule! {
    /// A known key holds a negative number where something is counted or numbered.
    ///
    /// llama.cpp refuses a signed scalar where it reads an unsigned one. In arrays, which it reads as bits, and in readers
    /// that cast, -1 becomes 4294967295: a head count, layer count or token id of that size leads to divisions, loops and
    /// allocations that no check expects. Writers put -1 where Python code had it for "none" or "all".
    ///
    /// Leave the key out where nothing is to be said, or write the number that was meant.
    GG119 "negative-value" Metadata Warning: "a number that counts something is negative"
        "表示数量的值为负数"
}

fn is_unsigned(ty: &KeyType) -> bool {
    use ValueType as T;
    matches!(ty, KeyType::Scalar(T::UINT8 | T::UINT16 | T::UINT32 | T::UINT64))
}

fn counts(info: &KeyInfo) -> bool {
    COUNTS.contains(&info.pattern) || info.types.iter().all(is_unsigned)
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (record, info) in facts.known() {
        if !counts(info) || info.pattern == "general.alignment" {
            continue;
        }
        let negative = |value: Value<'_>| match value {
            Value::Scalar(scalar) => scalar.as_integer().filter(|number| *number < 0),
            _ => None,
        };
        let (part, number) = match record.value() {
            Value::Array(array) if ggufkit_inspect::is_integer(array.element_type()) => {
                let mut elements = array.iter().enumerate();
                let Some((at, number)) = elements.find_map(|(at, value)| Some((at, negative(value)?))) else {
                    continue;
                };
                (Element::At(at as u64), number)
            }
            value => {
                let Some(number) = negative(value) else { continue };
                (Element::Whole, number)
            }
        };
        let needed = kinds::is_needed(facts, record, info);
        let severity = if needed { Severity::Error } else { kinds::severity(facts, info) };
        sink.add_as(&RULE, severity, || {
            let key = shorten(record.key().0, 80);
            let message = match part {
                Element::Whole => format!("\"{key}\" is {number}, and it cannot be negative"),
                _ => format!("an element of \"{key}\" is {number}, and it cannot be negative"),
            };
            Finding::new(&RULE, message, record.label(KvPart::Value(part)).text(number.to_string()))
                .note("readers refuse it, or take its bits for a huge number")
                .help("leave the key out where nothing is meant, or write the number")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("tokenizer.ggml.bos_token_id", -1_i32).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new()
        .kv("tokenizer.ggml.bos_token_id", 1_u32)
        .kv("general.sampling.penalty_last_n", -1_i32)
        .kv("llama.attention.head_count_kv", vec![0_i32, 8])
        .into()
}
