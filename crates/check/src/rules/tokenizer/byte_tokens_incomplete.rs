use ggufkit_format::{Element, KvPart, Value};

use super::{model, said};
use crate::facts::Facts;
use crate::few::Few;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// The tokens for single bytes are not complete.
    ///
    /// A SentencePiece vocabulary with byte fallback has 256 tokens of the type BYTE, `<0x00>` to `<0xFF>`, for text that
    /// no other token covers. If some are missing, llama.cpp throws in the middle of a text that needs one (an emoji, a
    /// rare script), which takes a server down; other tokenizers put the unknown token there. A BYTE token with
    /// another text is read as a wrong byte or refused.
    ///
    /// Compare with the original `tokenizer.model`. Vocabularies that were cut to a size have lost the tokens most often.
    GG513 "byte-tokens-incomplete" Tokenizer Warning: "the tokens for single bytes are not complete"
        "单字节词元不完整"
}

/// The type of tokens that stand for one byte.
const BYTE: i128 = 6;

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if !sink.wants(&RULE) || !matches!(model(facts), Some("llama" | "t5")) {
        return;
    }
    let (Some(vocabulary), Some(place)) = (facts.vocabulary(), facts.key("tokenizer.ggml.token_type")) else { return };
    let Value::Array(types) = place.part.view.value(place.record) else { return };
    let (mut bytes, mut first) = (0_u64, None);
    let mut odd: Few<u32> = Few::default();
    let mut there = [false; 256];
    for ((id, text), value) in vocabulary.iter().zip(types) {
        let Value::Scalar(scalar) = value else { return };
        if scalar.as_integer() != Some(BYTE) {
            continue;
        }
        bytes += 1;
        first = first.or(Some(id));
        match byte(text) {
            Some(byte) => {
                if let Some(there) = there.get_mut(usize::from(byte)) {
                    *there = true;
                }
            }
            None => odd.push(id),
        }
    }
    let Some(first) = first else { return };
    if let Some(id) = odd.first().copied() {
        sink.add(&RULE, || {
            let message = match odd.count() {
                1 => format!("token {} has the type BYTE and is not written <0x00> to <0xFF>", said(vocabulary, id)),
                n => format!("{n} tokens have the type BYTE and are not written <0x00> to <0xFF>"),
            };
            let label = facts.kv_label(&vocabulary.place, KvPart::Value(Element::At(id.into())));
            let kind = facts.kv_label(&place, KvPart::Value(Element::At(id.into())));
            Finding::new(&RULE, message, label.text(format!("token {id}")))
                .because(kind.text("6 is BYTE"))
                .note("llama.cpp reads two hexadecimal digits at a fixed place of the text, whatever stands there")
        });
    }
    let missing = there.iter().filter(|there| !**there).count() as u64;
    // Types that were shifted are told by the texts; then nothing is known about the bytes.
    if missing == 0 || odd.count() > bytes / 2 {
        return;
    }
    sink.add(&RULE, || {
        let mut gaps: Few<u8> = Few::default();
        (0..=u8::MAX).zip(there).filter(|(_, there)| !there).for_each(|(byte, _)| gaps.push(byte));
        let label = facts.kv_label(&vocabulary.place, KvPart::Value(Element::At(first.into())));
        Finding::new(&RULE, format!("{missing} of the 256 byte tokens {} missing", if missing == 1 { "is" } else { "are" }), label.text("the first byte token"))
            .note(format!("there is no token for {}", gaps.list(|byte| format!("0x{byte:02X}"))))
            .note("llama.cpp fails on text that needs one of them; other tokenizers put the unknown token there")
            .help("convert again from the original tokenizer.model")
    });
}

/// The byte that `<0x41>` stands for.
fn byte(text: &[u8]) -> Option<u8> {
    let digits = text.strip_prefix(b"<0x")?.strip_suffix(b">")?;
    let [high, low] = digits else { return None };
    let digit = |digit: u8| char::from(digit).to_digit(16).map(|digit| digit as u8);
    Some(digit(*high)? << 4 | digit(*low)?)
}

#[cfg(test)]
fn bytes(which: core::ops::RangeInclusive<u8>) -> crate::testing::Recipe {
    let texts: Vec<String> = which.map(|byte| format!("<0x{byte:02X}>")).collect();
    let types = vec![6_i32; texts.len()];
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    super::recipe::tokens("llama", &texts).kv("tokenizer.ggml.token_type", types).into()
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    bytes(0x00..=0xfb)
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    bytes(0x00..=0xff)
}
