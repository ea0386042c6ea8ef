use ggufkit_format::shorten;

use super::{known, model, value_label};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// `tokenizer.ggml.pre` names a rule that llama.cpp does not know.
    ///
    /// The name tells how a byte-pair tokenizer cuts text into words before it merges. Each engine has a list; llama.cpp
    /// refuses a name that is not in its own ("unknown pre-tokenizer type"), and forks and older versions have shorter
    /// lists. Engines that do not read the key go on with one rule for all models and produce other tokens than in the
    /// training.
    ///
    /// If the model is new, use a version of the engine that knows the name. If the name was typed by hand, correct it:
    /// a rule that does not fit spoils the answers without any error.
    GG517 "pre-tokenizer-unknown" Tokenizer Warning: "the pre-tokenizer is not known to llama.cpp"
        "llama.cpp 不认识该预分词器"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    if !model(facts).is_some_and(known::reads_pre) {
        return;
    }
    let Some(name) = facts.str("tokenizer.ggml.pre") else { return };
    let Some(place) = facts.key("tokenizer.ggml.pre") else { return };
    if name.is_empty() || known::is_pre(name.as_bytes()) {
        return;
    }
    sink.add(&RULE, || {
        let message = format!("\"{}\" is no pre-tokenizer that llama.cpp knows", shorten(name.as_bytes(), 60));
        let finding = Finding::new(&RULE, message, value_label(facts, &place).text("the rule that cuts words"))
            .note(format!("llama.cpp of {} refuses the file: \"unknown pre-tokenizer type\"", known::AS_OF));
        match known::PRE.iter().find(|known| alike(known, name)) {
            Some(known) => finding.help(format!("there is one of the name \"{known}\"")),
            None => finding.help("use a version of llama.cpp that knows it, or the name that the converter gives"),
        }
    });
}

/// Whether two names differ only in case and marks.
fn alike(one: &str, other: &str) -> bool {
    let letters = |text: &'_ str| -> Vec<u8> {
        text.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_lowercase()).take(64).collect()
    };
    letters(one) == letters(other)
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::Value;
    super::recipe::tokens("gpt2", &["a"])
        .kv("tokenizer.ggml.pre", "GPT2")
        .kv("tokenizer.ggml.merges", Value::strings::<&str>([]))
        .into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe::merges(&["a b"]).into()
}
