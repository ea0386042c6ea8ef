use super::{has_tokens, known, model, value_label};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A byte-pair tokenizer does not say how words are cut before they are merged.
    ///
    /// `tokenizer.ggml.pre` names the rule. Files from before May 2024 do not have it. llama.cpp then warns "GENERATION
    /// QUALITY WILL BE DEGRADED" and takes a default that fits hardly any model: numbers, contractions and line breaks
    /// become other tokens than in the training. Nothing fails, the answers are only worse.
    ///
    /// Add the key (`llama-bpe` for Llama 3, `qwen2` for Qwen 2 and 3, `gpt-2`, `tekken`, …); the converter finds the name
    /// by the model's tokenizer, so converting again is the safe way.
    GG516 "pre-tokenizer-missing" Tokenizer Warning: "a byte-pair tokenizer does not name its pre-tokenizer"
        "字节对分词器没有写明预分词器"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some(name) = model(facts).filter(|name| known::reads_pre(name)) else { return };
    let Some(place) = facts.key("tokenizer.ggml.model") else { return };
    let empty = facts.str("tokenizer.ggml.pre") == Some("");
    // Without tokens there is nothing to cut words for, and another rule speaks.
    if !has_tokens(facts) || !(empty || facts.is_complete() && facts.key("tokenizer.ggml.pre").is_none()) {
        return;
    }
    sink.add(&RULE, || {
        let message = format!("the tokenizer is \"{name}\", and tokenizer.ggml.pre is {}", if empty { "empty" } else { "absent" });
        Finding::new(&RULE, message, value_label(facts, &place).text("a tokenizer that cuts words first"))
            .note("llama.cpp goes on with a default and warns: \"GENERATION QUALITY WILL BE DEGRADED\"")
            .help("convert again, or add tokenizer.ggml.pre with the model's own name for it")
    });
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    use ggufkit_testkit::Value;
    super::recipe::tokens("gpt2", &["a"]).kv("tokenizer.ggml.merges", Value::strings::<&str>([])).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe::merges(&["a b"]).into()
}
