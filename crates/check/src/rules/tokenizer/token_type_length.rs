use crate::facts::Facts;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// `tokenizer.ggml.token_type` has another length than the vocabulary.
    ///
    /// The kinds stand parallel to the tokens and tell control tokens from ordinary text. With fewer kinds llama.cpp
    /// refuses the file ("Index out of array bounds for toktypes"); loaders that do not compare the lengths read past the
    /// array, or treat the last tokens, where control tokens usually stand, as text. Surplus kinds are ignored, but they
    /// tell that the lists were not written from the same vocabulary.
    ///
    /// Write both arrays anew from the original tokenizer, added tokens included.
    GG503 "token-type-length" Tokenizer Error: "there are not as many token types as tokens"
        "词元类型的个数与词元数不同"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let help = "write both arrays anew from the original tokenizer, added tokens included";
    super::parallel(facts, sink, &RULE, "tokenizer.ggml.token_type", "token type", help);
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipe::tokens("llama", &["<unk>", "a"]).kv("tokenizer.ggml.token_type", vec![2_i32]).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe::tokens("llama", &["<unk>", "a"]).kv("tokenizer.ggml.token_type", vec![2_i32, 1]).into()
}
