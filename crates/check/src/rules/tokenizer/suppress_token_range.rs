use ggufkit_format::spec::ValueType;
use ggufkit_format::{Element, KvPart, Value};

use super::tokens_count_label;
use crate::facts::Facts;
use crate::few::Few;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// `tokenizer.ggml.suppress_tokens` lists what is no token, or is of another type than INT32.
    ///
    /// The key lists tokens that must never be generated. llama.cpp drops ids outside the vocabulary without a word, so
    /// the token that was meant can be generated after all; it refuses the file when the array is not INT32 ("invalid
    /// gguf type for tokenizer.ggml.suppress_tokens"). Engines that use the ids as indices into the logits crash.
    ///
    /// Compare with `suppress_tokens` in the original `generation_config.json` and write the list anew.
    GG523 "suppress-token-range" Tokenizer Warning: "a token to be suppressed is not in the vocabulary"
        "要屏蔽的词元不在词表内"
}

const KEY: &str = "tokenizer.ggml.suppress_tokens";

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some(place) = facts.key(KEY).filter(|_| sink.wants(&RULE)) else { return };
    let ids = match place.part.view.value(place.record) {
        Value::Array(ids) if ids.element_type() == ValueType::INT32 => ids,
        _ => {
            sink.add(&RULE, || {
                let found = ggufkit_inspect::type_label(place.record);
                let label = facts.kv_label(&place, KvPart::Type).text(format!("the type is {found}"));
                Finding::new(&RULE, format!("{KEY} is not an array of INT32"), label)
                    .note(format!("llama.cpp refuses the file: \"invalid gguf type for {KEY}\""))
                    .help("write the same ids as INT32")
            });
            return;
        }
    };
    let Some(vocabulary) = facts.vocabulary() else { return };
    let count = vocabulary.len();
    let mut odd: Few<(u64, i128)> = Few::default();
    for (at, value) in (0_u64..).zip(ids) {
        if let Value::Scalar(scalar) = value
            && let Some(id) = scalar.as_integer().filter(|id| *id < 0 || *id >= i128::from(count))
        {
            odd.push((at, id));
        }
    }
    let Some((at, id)) = odd.first().copied() else { return };
    sink.add(&RULE, || {
        let message = match odd.count() {
            1 => format!("the token {id} is to be suppressed and is not in the vocabulary"),
            n => format!("{n} tokens are to be suppressed and are not in the vocabulary: {}", odd.list(|(_, id)| id.to_string())),
        };
        let label = facts.kv_label(&place, KvPart::Value(Element::At(at)));
        Finding::new(&RULE, message, label.text(format!("{id} is no token")))
            .because(tokens_count_label(facts, &vocabulary.place, count))
            .note("llama.cpp drops it; engines that index the logits with it crash")
    });
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipe::tokens("llama", &["<unk>", "a"]).kv(KEY, vec![1_i32, 2]).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe::tokens("llama", &["<unk>", "a"]).kv(KEY, vec![1_i32, 0]).into()
}
