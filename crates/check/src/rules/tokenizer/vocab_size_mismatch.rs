use super::{array_len, tokens_count_label, value_label};
use crate::facts::Facts;
use crate::finding::{Change, Finding, Safety};
use crate::rule::rule;
use crate::sink::Sink;
use ggufkit_format::Scalar;

rule! {
    /// `{arch}.vocab_size` is not the number of tokens.
    ///
    /// llama.cpp counts the tokens and reads the key only where there are none. Others believe it: the Python loaders
    /// of Hugging Face and tools that plan memory size the embedding by it, and fail when the tensor has other rows, or
    /// cut off the last tokens.
    ///
    /// The embedding's rows decide which of the two is right (`gguf tensors FILE` shows `token_embd.weight`). Tokens that
    /// were added after training, or a vocabulary that was padded to a round size in the weights only, are the usual
    /// cause.
    GG522 "vocab-size-mismatch" Tokenizer Warning: "the vocabulary's stated size is not the number of tokens"
        "写明的词表大小与词元数不同"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let (Some(size), Some(tokens)) = (facts.arch_key("vocab_size"), facts.key("tokenizer.ggml.tokens")) else { return };
    let Some(stated) = facts.arch_u64("vocab_size") else { return };
    // Without a vocabulary the size is what counts.
    if facts.str("tokenizer.ggml.model").is_some_and(super::known::has_no_vocabulary) {
        return;
    }
    let Some(count) = array_len(&tokens).filter(|count| *count > 0 && *count != stated) else { return };
    sink.add(&RULE, || {
        let message = format!("the vocabulary's size is stated as {stated}, and there are {count} tokens");
        let finding = Finding::new(&RULE, message, value_label(facts, &size).text(format!("{stated} tokens are stated")))
            .because(tokens_count_label(facts, &tokens, count))
            .note("llama.cpp counts the tokens; loaders that believe the key expect an embedding of another size");
        let rows = facts.tensor("token_embd.weight").and_then(|place| {
            place.part.view.index().dims(place.record).get(1).copied()
        });
        match (rows, u32::try_from(count)) {
            (Some(rows), Ok(value)) if rows == count => finding
                .note(format!("token_embd.weight has {rows} rows too"))
                .fix(
                    Safety::Safe,
                    format!("set the size to {count}"),
                    Change::SetScalar { index: size.index as u64, value: Scalar::U32(value) },
                ),
            (Some(rows), _) => finding.help(format!("token_embd.weight has {rows} rows: they decide what is right")),
            (None, _) => finding.help("the rows of the embedding decide what is right"),
        }
    });
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipe::tokens("llama", &["<unk>", "a"])
        .kv("general.architecture", "llama")
        .kv("llama.vocab_size", 32000_u32)
        .into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe::tokens("llama", &["<unk>", "a"])
        .kv("general.architecture", "llama")
        .kv("llama.vocab_size", 2_u32)
        .into()
}
