use ggufkit_format::{Element, KvPart};

use super::{has_tokens, known, model, value_label};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A byte-pair tokenizer has no merge rules.
    ///
    /// The tokenizers `gpt2` and `gemma4` join pieces by the ranked rules of `tokenizer.ggml.merges`. Without them
    /// llama.cpp refuses the file ("cannot find tokenizer merges in model file"); a loader that goes on cuts every text
    /// into single bytes, and the model answers nonsense. Files whose pre-tokenizer is `kimi-k2` are the exception:
    /// their ranks follow from the vocabulary. Programs that bring a tokenizer of their own still run the model.
    ///
    /// Convert the model again with `merges.txt` or `tokenizer.json` beside it. Tools that copy metadata array by array
    /// and skip what is large are the usual cause.
    GG504 "merges-missing" Tokenizer Warning: "a byte-pair tokenizer has no merge rules"
        "字节对分词器没有合并规则"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let Some(name) = model(facts).filter(|name| known::reads_merges(name)) else { return };
    let Some(place) = facts.key("tokenizer.ggml.model") else { return };
    let Some(merges) = facts.key("tokenizer.ggml.merges") else {
        // Without tokens either, another rule speaks.
        if !facts.is_complete() || facts.str("tokenizer.ggml.pre") == Some(known::WITHOUT_MERGES) || !has_tokens(facts) {
            return;
        }
        sink.add(&RULE, || {
            let message = format!("the tokenizer is \"{name}\", and there is no tokenizer.ggml.merges");
            Finding::new(&RULE, message, value_label(facts, &place).text("a tokenizer that needs merge rules"))
                .note("llama.cpp refuses the file: \"cannot find tokenizer merges in model file\"")
                .help("convert the model again with its tokenizer files")
        });
        return;
    };
    if crate::vocabulary::strings(&merges).is_none() {
        sink.add(&RULE, || {
            let found = ggufkit_inspect::type_label(merges.record);
            let label = facts.kv_label(&merges, KvPart::Value(Element::Whole));
            Finding::new(&RULE, "tokenizer.ggml.merges is not an array of strings", label.text(format!("its type is {found}")))
                .because(value_label(facts, &place).text("a tokenizer that needs merge rules"))
                .note("llama.cpp refuses the file: \"invalid gguf type for tokenizer.ggml.merges\"")
                .help("convert the model again with its tokenizer files")
        });
    }
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipe::tokens("gpt2", &["a", "b"]).kv("tokenizer.ggml.pre", "gpt-2").into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe::tokens("gpt2", &["a", "b"]).kv("tokenizer.ggml.pre", "kimi-k2").into()
}
