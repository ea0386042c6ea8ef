use ggufkit_format::spec::ValueType;
use ggufkit_format::{Element, KvPart, Value, shorten};

use crate::facts::Facts;
use crate::finding::{Finding, Label};
use crate::rule::rule;
use crate::sink::Sink;

const NAMES: &str = "general.tensor_extra.name";
const PREFIX: &[u8] = b"general.tensor_extra.";

rule! {
    /// The lists of additional options for tensors do not have the same length.
    ///
    /// `general.tensor_extra.name` lists tensors, and each other array under `general.tensor_extra` holds one option for each
    /// of them, in the same order. llama.cpp refuses a file whose lists differ in length, since it cannot tell which option
    /// belongs to which tensor; so does it refuse options without the list of names. Editors that add a tensor to one list and
    /// not to the others leave such files, and so do tools that drop tensors.
    ///
    /// Quantize the model again, or remove all keys under `general.tensor_extra`: the tensors are then computed without
    /// the options.
    GG320 "tensor-extra-mismatch" Tensors Warning: "lists of options for tensors differ in length"
        "张量选项的各列表长度不同"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let names = facts.key(NAMES);
    let array = |value: Value<'_>| value.as_array().map(|array| (array.len(), array.element_type()));
    let listed = names.and_then(|place| array(place.part.view.value(place.record)));
    // A list of names of another type is another rule's; and what was not read cannot be counted.
    if !facts.is_complete() || (names.is_some() && listed.is_none_or(|(_, ty)| ty != ValueType::STRING)) {
        return;
    }
    let count = listed.map(|(count, _)| count);
    for record in facts.records() {
        let key = record.key().0;
        if !key.starts_with(PREFIX) || key == NAMES.as_bytes() {
            continue;
        }
        let Some((len, _)) = array(record.value()) else { continue };
        if Some(len) == count {
            continue;
        }
        sink.add(&RULE, || {
            let shown = shorten(key, 80);
            let message = match count {
                Some(count) => format!("\"{shown}\" has length {len}, {NAMES} has length {count}"),
                None => format!("\"{shown}\" has length {len}, and {NAMES} is absent"),
            };
            let primary = record.label(KvPart::Count(Element::Whole)).text(format!("length {len}"));
            let mut finding = Finding::new(&RULE, message, primary)
                .note("llama.cpp refuses the file: it cannot tell which entry belongs to which tensor")
                .help("quantize the model again, or remove all keys under general.tensor_extra");
            if let (Some(place), Some(count)) = (&names, count) {
                let label: Label = facts.kv_label(place, KvPart::Count(Element::Whole));
                finding = finding.because(label.text(format!("length {count}")));
            }
            finding
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new()
        .kv(NAMES, vec!["a", "b"])
        .kv("general.tensor_extra.prec_a4", vec![true])
        .into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    ggufkit_testkit::Builder::new()
        .kv(NAMES, vec!["a", "b"])
        .kv("general.tensor_extra.prec_a4", vec![true, false])
        .into()
}
