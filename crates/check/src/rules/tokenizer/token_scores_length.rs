use crate::facts::Facts;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// `tokenizer.ggml.scores` has another length than the vocabulary.
    ///
    /// Scores stand parallel to the tokens: the score at an index is that of the token with this id. With fewer scores
    /// llama.cpp refuses the file ("Index out of array bounds for scores"); its older versions, and loaders made after
    /// them, read past the end of the array. Surplus scores are ignored, but they tell that the two lists were not
    /// written from the same vocabulary, so a score may stand at the wrong token.
    ///
    /// Write both arrays anew from the original tokenizer; do not pad one of them by hand.
    GG502 "token-scores-length" Tokenizer Error: "there are not as many scores as tokens"
        "分数的个数与词元数不同"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    let help = "write both arrays anew from the original tokenizer";
    super::parallel(facts, sink, &RULE, "tokenizer.ggml.scores", "score", help);
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    super::recipe::tokens("llama", &["<unk>", "a"]).kv("tokenizer.ggml.scores", vec![0.0_f32]).into()
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    super::recipe::tokens("llama", &["<unk>", "a"]).kv("tokenizer.ggml.scores", vec![0.0_f32, -1.0]).into()
}
