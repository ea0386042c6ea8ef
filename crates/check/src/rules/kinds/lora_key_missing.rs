use ggufkit_format::{Element, HeaderPart, KvPart, Value, shorten};
use ggufkit_inspect::summary::Kind;

use crate::facts::Facts;
use crate::finding::Finding;
use crate::place;
use crate::rule::{Severity, rule};
use crate::sink::Sink;

rule! {
    /// A LoRA adapter lacks a key that says what it is for.
    ///
    /// llama.cpp demands `general.type` = "adapter", `adapter.type` = "lora" and the base model's `general.architecture`, and
    /// refuses the adapter when one is absent or different. `adapter.lora.alpha` is different: without it llama.cpp applies
    /// the adapter at full strength instead of alpha / rank, so the model behaves otherwise than it was trained to: a
    /// warning.
    ///
    /// `adapter_config.json` of the original adapter has the alpha (`lora_alpha`). Convert it anew with
    /// `convert_lora_to_gguf.py`, which writes all four.
    GG802 "lora-key-missing" Kinds Error: "a key of a LoRA adapter is absent"
        "缺少 LoRA 适配器的键"
}

/// The keys, the value that each must have, and what follows where it is absent.
const KEYS: [(&str, Option<&str>, Severity, &str); 4] = [
    ("general.type", Some("adapter"), Severity::Error, "llama.cpp refuses the adapter"),
    ("adapter.type", Some("lora"), Severity::Error, "llama.cpp refuses the adapter"),
    ("general.architecture", None, Severity::Error, "llama.cpp cannot tell whether it fits the model, and refuses it"),
    ("adapter.lora.alpha", None, Severity::Warning, "llama.cpp applies it at full strength instead of alpha / rank"),
];

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if facts.kind() != Kind::Lora || !facts.is_complete() {
        return;
    }
    for (key, wanted, severity, follows) in KEYS {
        let found = facts.key(key);
        let Some((file, _, view)) = facts.views().next() else { return };
        let (message, label) = match (&found, wanted) {
            (None, _) => {
                let label = place::header_label(file, view.index().header(), HeaderPart::KvCount);
                (format!("the adapter has no key {key}"), label.text("it is not among these keys"))
            }
            // What general.type says otherwise is another rule's.
            (Some(place), Some(wanted)) if key != "general.type" => {
                let Value::String(text) = place.part.view.value(place.record) else { continue };
                if text.0 == wanted.as_bytes() {
                    continue;
                }
                let label = facts.kv_label(place, KvPart::Value(Element::Whole)).text(format!("not \"{wanted}\""));
                (format!("{key} is \"{}\", expected \"{wanted}\"", shorten(text.0, 40)), label)
            }
            _ => continue,
        };
        sink.add_as(&RULE, severity, || {
            Finding::new(&RULE, message, label)
                .note(follows)
                .help("convert the adapter anew: adapter_config.json has the values")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    crate::testing::Tiny::lora().without_key("adapter.lora.alpha").into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    crate::testing::Tiny::lora().into()
}
