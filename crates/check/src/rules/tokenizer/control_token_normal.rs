use ggufkit_format::{Element, KvPart, Value};

use super::{said, token_label};
use crate::facts::Facts;
use crate::few::Few;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A token that looks like a control token has the type NORMAL.
    ///
    /// `<|im_end|>` and the like steer a conversation. With the type NORMAL (1) they are ordinary text: llama.cpp does
    /// not match them as one token in a prompt, prints them in answers, and may not stop at them. It corrects the types of
    /// a dozen well-known texts by itself and says "this is probably a bug in the model". Gemma files with
    /// `<end_of_turn>` as NORMAL have been published and fixed afterwards.
    ///
    /// Compare with `added_tokens_decoder` in the original `tokenizer_config.json`: what has `special: true` there is
    /// CONTROL (3), other added tokens are USER_DEFINED (4).
    GG514 "control-token-normal" Tokenizer Note: "a token that looks like a control token has the type NORMAL"
        "看起来是控制词元，类型却是 NORMAL"
}

const NORMAL: i128 = 1;

/// Texts that steer a conversation in well-known models and are not written `<|…|>`.
const CONTROLS: &[&[u8]] =
    &[b"<end_of_turn>", b"<start_of_turn>", b"<end_of_utterance>", b"<EOT>", b"[EOT]", b"<fim_prefix>", b"<fim_suffix>", b"<fim_middle>"];

fn looks_like_control(text: &[u8]) -> bool {
    let word = text.strip_prefix(b"<|").and_then(|text| text.strip_suffix(b"|>"));
    let is_word = |word: &[u8]| {
        word.len() > 1 && word.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    };
    word.is_some_and(is_word) || CONTROLS.contains(&text)
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if !sink.wants(&RULE) {
        return;
    }
    let (Some(vocabulary), Some(place)) = (facts.vocabulary(), facts.key("tokenizer.ggml.token_type")) else { return };
    let Value::Array(types) = place.part.view.value(place.record) else { return };
    let mut found: Few<u32> = Few::default();
    for ((id, text), value) in vocabulary.iter().zip(types) {
        if matches!(text.first(), Some(b'<' | b'['))
            && looks_like_control(text)
            && matches!(value, Value::Scalar(scalar) if scalar.as_integer() == Some(NORMAL))
        {
            found.push(id);
        }
    }
    let Some(first) = found.first().copied() else { return };
    sink.add(&RULE, || {
        let message = match found.count() {
            1 => format!("token {} looks like a control token and has the type NORMAL", said(vocabulary, first)),
            n => format!("{n} tokens look like control tokens and have the type NORMAL"),
        };
        let kind = facts.kv_label(&place, KvPart::Value(Element::At(first.into()))).text("1 is NORMAL");
        let finding = Finding::new(&RULE, message, kind)
            .because(token_label(facts, vocabulary, first).text(format!("token {first}")));
        let finding = match found.count() {
            1 => finding,
            _ => finding.note(format!("ids: {}", found.list(|id| said(vocabulary, *id)))),
        };
        finding
            .note("as NORMAL it is cut up like text in prompts, printed in answers, and may not end them")
            .help("if the original tokenizer calls it special, its type is CONTROL (3)")
    });
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipe::tokens("llama", &["<unk>", "<|im_start|>", "<|im_end|>"])
        .kv("tokenizer.ggml.token_type", vec![2_i32, 1, 1])
        .into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe::tokens("llama", &["<unk>", "<|im_start|>", "<||>", "<b>"])
        .kv("tokenizer.ggml.token_type", vec![2_i32, 3, 1, 1])
        .into()
}
