use ggufkit_format::spec::{KeyType, ValueType};
use ggufkit_format::{Element, KvPart, Payload, Scalar, Value, shorten};

use super::kinds::{self, Misfit};
use crate::facts::Facts;
use crate::finding::{Change, Finding, Safety};
use crate::rule::{Severity, rule};
use crate::sink::Sink;

rule! {
    /// A known key holds a value of another kind: a string where a number is read, a number where an array is.
    ///
    /// llama.cpp refuses the file when it reads such a key ("has wrong type"). Readers whose typed getters answer 0 or
    /// nothing for a wrong type go on with that: Ollama divided by a `block_count` that was a string (CVE-2024-8063), and
    /// readers that cast arrays without a look at their type read beyond the end. It is an error where every engine needs
    /// the key, and a warning elsewhere. Scores of a vocabulary that are i32 are read by llama.cpp again, after a version
    /// that refused them.
    ///
    /// Write the value with the usual type: `gguf explain KEY` tells it.
    GG118 "value-type" Metadata Warning: "a known key holds a value of another kind than loaders read"
        "已知键的值类别与加载器读取的不同"
}

/// Scores that are integers: popular files have them, and some versions of llama.cpp refuse them.
const INTEGER_SCORES: KeyType = KeyType::Array(ValueType::INT32);

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (record, info) in facts.known() {
        let found = kinds::found(record);
        let scores = info.pattern == "tokenizer.ggml.scores" && found == INTEGER_SCORES;
        if !scores && !matches!(kinds::misfit(record, info), Some(Misfit::Kind(_))) {
            continue;
        }
        let needed = kinds::is_needed(facts, record, info);
        let severity = match (scores, needed) {
            (true, _) => RULE.severity,
            (_, true) => Severity::Error,
            (_, false) => kinds::severity(facts, info),
        };
        sink.add_as(&RULE, severity, || {
            let key = shorten(record.key().0, 80);
            let part = match record.kv.payload {
                Payload::Array(_) => KvPart::ElementType(Element::Whole),
                _ => KvPart::Type,
            };
            let primary = record.label(part).text(found.to_string());
            if scores {
                return Finding::new(&RULE, format!("\"{key}\" is {found}, where f32 is usual"), primary)
                    .note("some versions of llama.cpp refuse integer scores, others read them")
                    .help("convert the model again with a current converter: it writes scores as f32");
            }
            let message = format!("\"{key}\" is {found}, where {} is read", kinds::expected(info));
            let note = match needed {
                true => "every engine needs this key: it refuses the file, or takes the value for 0",
                false => kinds::consequence(facts, info),
            };
            let finding = Finding::new(&RULE, message, primary)
                .note(note)
                .help(match info.types.first() {
                    Some(ty) => format!("write the value as {ty}"),
                    None => "write the value with the usual type".to_owned(),
                });
            match meant(&record.value(), info.types) {
                Some(value) => {
                    let change = Change::SetScalar { index: record.index as u64, value };
                    finding.fix(Safety::Unsafe, "write what the value says with the usual type", change)
                }
                None => finding,
            }
        });
    }
}

/// The value that the text or number says, in the type that is read.
fn meant(value: &Value<'_>, types: &[KeyType]) -> Option<Scalar> {
    let Some(KeyType::Scalar(ty)) = types.first() else { return None };
    match (value, *ty) {
        (Value::Scalar(scalar), ValueType::BOOL) => match scalar.as_integer()? {
            0 => Some(Scalar::Bool(0)),
            1 => Some(Scalar::Bool(1)),
            _ => None,
        },
        (Value::String(_), ValueType::BOOL) => match value.as_str()? {
            "false" | "False" => Some(Scalar::Bool(0)),
            "true" | "True" => Some(Scalar::Bool(1)),
            _ => None,
        },
        (Value::String(text), ty) if ggufkit_inspect::is_integer(ty) && text.0.len() < 24 => {
            kinds::convert(Scalar::I64(value.as_str()?.parse().ok()?), ty)
        }
        (Value::String(text), ValueType::FLOAT32) if text.0.len() < 48 => {
            Some(Scalar::F32(value.as_str()?.parse().ok()?))
        }
        (Value::Scalar(scalar), ValueType::FLOAT32) => {
            #[allow(clippy::cast_precision_loss, reason = "compared afterwards")]
            let float = scalar.as_integer()? as f32;
            #[allow(clippy::cast_possible_truncation, reason = "compared with what it was")]
            let back = float as i128;
            (Some(back) == scalar.as_integer()).then_some(Scalar::F32(float))
        }
        _ => None,
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("general.architecture", "llama").kv("llama.block_count", "32").into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new()
        .kv("general.architecture", "llama")
        .kv("llama.block_count", 32_u32)
        .kv("llama.feed_forward_length", vec![1_u32])
        .kv("tokenizer.ggml.scores", vec![0.5_f32])
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ggufkit_format::spec::keys;

    /// What llama.cpp does, seen with one key of a model changed: `general.name` ends the loading, the other texts do not.
    #[test]
    fn texts_that_nobody_reads_are_notes_and_those_that_are_read_are_not() {
        let severity = |file: ggufkit_testkit::Builder| {
            let recipe: crate::testing::Recipe = file.into();
            recipe.judge(&crate::Options::default(), |report, _| {
                report.findings.iter().find(|finding| finding.rule == &RULE).map(|finding| finding.severity)
            })
        };
        let model = || ggufkit_testkit::Builder::new().kv("general.architecture", "llama");
        assert_eq!(severity(model().kv("general.name", 7_u32)), Some(Severity::Warning));
        for key in ["author", "description", "license", "basename", "size_label", "quantized_by", "type"] {
            assert_eq!(severity(model().kv(format!("general.{key}"), 7_u32)), Some(Severity::Note), "{key}");
        }
        assert_eq!(severity(model().kv("general.sampling.temp", "0.7")), Some(Severity::Note));
        let projector = ggufkit_testkit::Builder::new()
            .kv("general.architecture", "clip")
            .kv("general.type", "mmproj")
            .kv("general.description", 7_u32);
        assert_eq!(severity(projector), Some(Severity::Warning));
    }

    #[test]
    fn only_what_the_value_says_is_proposed() {
        let types = |key: &str| keys::lookup(key.as_bytes()).unwrap().types;
        let text = |text: &'static str| Value::String(ggufkit_format::ByteStr(text.as_bytes()));
        assert_eq!(meant(&text("32"), types("llama.block_count")), Some(Scalar::U32(32)));
        assert_eq!(meant(&text("-1"), types("llama.block_count")), None);
        assert_eq!(meant(&text("many"), types("llama.block_count")), None);
        let flag = types("tokenizer.ggml.add_bos_token");
        assert_eq!(meant(&Value::Scalar(Scalar::U32(1)), flag), Some(Scalar::Bool(1)));
        assert_eq!(meant(&Value::Scalar(Scalar::U32(2)), flag), None);
        let base = types("llama.rope.freq_base");
        assert_eq!(meant(&Value::Scalar(Scalar::U32(10_000)), base), Some(Scalar::F32(10_000.0)));
        assert_eq!(meant(&Value::Scalar(Scalar::U32(16_777_217)), base), None);
    }
}
