use super::{list, spot_label, title};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;
use ggufkit_format::shorten;

rule! {
    /// A chat template writes a special token that the vocabulary does not hold.
    ///
    /// `<|im_start|>` and the like are one token each in a model that was trained with them. Where the vocabulary has no
    /// such token the text is cut into pieces (`<`, `|`, `im`, …), which cost context and say less to the model. If none of
    /// a template's special tokens is known, it was most likely made for another model, and answers will not end where
    /// they should.
    ///
    /// Compare with the original model. A few models are trained with such marks as plain text; then all is well.
    GG613 "template-token-unknown" Templates Note: "a chat template writes a special token that the vocabulary does not hold"
        "对话模板写出了词表中没有的特殊词元"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if !sink.wants(&RULE) {
        return;
    }
    for (template, issues) in &facts.templates().judged {
        let Some(spot) = issues.tokens.first() else { continue };
        sink.add(&RULE, || {
            let message = format!("{} writes \"{}\", which is no token of the vocabulary", title(template), shorten(spot.text, 40));
            let finding = Finding::new(&RULE, message, spot_label(facts, template, spot));
            let finding = match issues.tokens.count() {
                1 => finding,
                _ => finding.note(format!("not in the vocabulary: {}", list(template, &issues.tokens, |spot| *spot))),
            };
            match issues.tokens_known {
                0 => finding.note("none of its special tokens is: it may be the template of another model"),
                n => finding.note(format!("special tokens that it writes and that are in the vocabulary: {n}")),
            }
        });
    }
}

#[cfg(test)]
fn recipe(template: &str) -> crate::testing::Recipe {
    use ggufkit_testkit::{Builder, Value};
    Builder::new()
        .kv("tokenizer.ggml.tokens", Value::strings(["<unk>", "<|im_start|>", "<|im_end|>"]))
        .kv("tokenizer.chat_template", template)
        .into()
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    recipe("{{ '<|user|>\n' + m }}<|end|>")
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    recipe("{{ '<|im_start|>' + m }}<|im_end|>{% if '<|think|>' in m %}{% endif %}<|{{ role }}|> <||> a<|b")
}
