use ggufkit_format::spec::FileType;
use ggufkit_format::spec::keys::Choice;
use ggufkit_format::{Element, KvPart, Value, shorten};

use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

/// Keys whose readers know a closed set of values.
const CLOSED: [&str; 5] = [
    "{arch}.rope.scaling.type",
    "{arch}.pooling_type",
    "{arch}.classifier.pooling_type",
    "{arch}.expert_gating_func",
    "general.sampling.mirostat",
];

rule! {
    /// A key that chooses among few values holds another one.
    ///
    /// What follows depends on the key. llama.cpp stops the process on an unknown `rope.scaling.type` and refuses an
    /// unknown `expert_gating_func`; an unknown `pooling_type` is taken as it is and fails when embeddings are asked for;
    /// an unknown `general.file_type` is printed as "unknown, may not work". Other readers take their default, so the model
    /// runs with another formula than the one it was trained with and answers worse.
    ///
    /// Correct the value: `gguf explain KEY` lists those that are known. A value from a newer converter, or from a fork, needs
    /// a program that knows it.
    GG120 "unknown-enum-value" Metadata Warning: "a key holds a value outside the known choices"
        "键的取值不在已知选项之内"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    for (record, info) in facts.known() {
        let value = record.value();
        let number = match value {
            Value::Scalar(scalar) => scalar.as_integer(),
            _ => None,
        };
        let file_type = info.pattern == "general.file_type";
        let known = match (number, &value) {
            (Some(number), _) if file_type => u32::try_from(number).is_ok_and(|n| FileType(n).info().is_some()),
            _ if !CLOSED.contains(&info.pattern) => true,
            (Some(number), _) => info.values.iter().any(|v| matches!(v.value, Choice::Int(n) if i128::from(n) == number)),
            (None, Value::String(text)) => {
                info.values.iter().any(|v| matches!(v.value, Choice::Str(s) if s.as_bytes() == text.0))
            }
            // Of another kind: another rule's.
            _ => true,
        };
        if known {
            continue;
        }
        sink.add(&RULE, || {
            let shown = match (&value, number) {
                (Value::String(text), _) => format!("\"{}\"", shorten(text.0, 40)),
                (_, Some(number)) => number.to_string(),
                _ => String::new(),
            };
            let message = format!("\"{}\" is {shown}, which no reader here knows", shorten(record.key().0, 80));
            let primary = record.label(KvPart::Value(Element::Whole)).text("not among the known values");
            let note = match info.pattern {
                "general.file_type" => "llama.cpp prints \"unknown, may not work\" and goes by the tensors' own types",
                "{arch}.rope.scaling.type" => "llama.cpp stops on an assertion when it loads the file",
                "{arch}.expert_gating_func" => "llama.cpp refuses to compute with it",
                _ => "readers fail on it, or take their default without a word",
            };
            let finding = Finding::new(&RULE, message, primary).note(note);
            if file_type {
                return finding.help("`gguf tensors FILE` shows what the tensors really are");
            }
            let choices: Vec<String> = info.values.iter().map(|v| match v.value {
                Choice::Int(n) => format!("{n} ({})", v.name),
                Choice::Str(s) => s.to_owned(),
            }).collect();
            finding.help(format!("known values: {}", choices.join(", ")))
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new().kv("llama.rope.scaling.type", "dynamic").into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new()
        .kv("llama.rope.scaling.type", "yarn")
        .kv("bert.pooling_type", 2_u32)
        .kv("general.file_type", 1024_u32 + 15)
        .into()
}
