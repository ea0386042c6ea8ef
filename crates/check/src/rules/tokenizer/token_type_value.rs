use ggufkit_format::{Element, KvPart, Value};

use crate::facts::Facts;
use crate::few::Few;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A token has a type that is not defined.
    ///
    /// The types are 1 NORMAL, 2 UNKNOWN, 3 CONTROL, 4 USER_DEFINED, 5 UNUSED and 6 BYTE; 0 is "undefined". llama.cpp
    /// takes every other number for undefined, so the token is neither text nor control: it is not matched as a special
    /// token, and depending on the version it prints or vanishes. Readers that keep an enumeration refuse the file.
    ///
    /// Such numbers mostly come from an array of another list (scores, ids) or from shifted elements: compare the first
    /// ids with the original tokenizer before changing single values.
    GG512 "token-type-value" Tokenizer Warning: "a token has a type that is not defined"
        "词元的类型没有定义"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some(place) = facts.key("tokenizer.ggml.token_type").filter(|_| sink.wants(&RULE)) else { return };
    let Value::Array(types) = place.part.view.value(place.record) else { return };
    if !ggufkit_inspect::is_integer(types.element_type()) {
        return;
    }
    let mut odd: Few<(u64, i128)> = Few::default();
    for (id, value) in (0_u64..).zip(types) {
        if let Value::Scalar(scalar) = value
            && let Some(value) = scalar.as_integer().filter(|value| !(0..=6).contains(value))
        {
            odd.push((id, value));
        }
    }
    let Some((id, value)) = odd.first().copied() else { return };
    sink.add(&RULE, || {
        let message = match odd.count() {
            1 => format!("token {id} has the type {value}, which is not defined"),
            n => format!("{n} tokens have types that are not defined"),
        };
        let label = facts.kv_label(&place, KvPart::Value(Element::At(id)));
        let finding = Finding::new(&RULE, message, label.text(format!("the type of token {id} is {value}")));
        let finding = match odd.count() {
            1 => finding,
            _ => finding.note(format!("ids with their types: {}", odd.list(|(id, value)| format!("{id} has {value}")))),
        };
        finding
            .note("llama.cpp takes the token for \"undefined\": neither text nor control")
            .help("types are 1 NORMAL, 2 UNKNOWN, 3 CONTROL, 4 USER_DEFINED, 5 UNUSED, 6 BYTE")
    });
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipe::tokens("llama", &["<unk>", "a", "b"]).kv("tokenizer.ggml.token_type", vec![2_i32, 7, -1]).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe::tokens("llama", &["<unk>", "a", "b"]).kv("tokenizer.ggml.token_type", vec![2_i32, 0, 6]).into()
}
